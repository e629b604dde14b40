/// The one place where offsets of a file become memory: it checks that all of a node is inside the file.
///
/// It does not own the memory: it, and every node, leaf and cursor made with it, may be used only while the
/// `FileBytes` it was made from is alive.
struct FileView {
    private let start: UnsafeRawPointer
    /// The bytes which may hold nodes: the smaller of the file's size and the size it says it has.
    let limit: Int
    /// The format version of the file.
    let version: Int

    init(_ bytes: FileBytes, limit: Int, version: Int) {
        precondition(limit <= bytes.bytes.count)
        start = bytes.bytes.baseAddress!
        self.limit = limit
        self.version = version
    }

    /// No walk over a tree of a number of elements meets more nodes than this: each node takes at least 8 bytes, no node has
    /// two parents, and parts without elements do not stay.
    func nodeLimit(_ count: Int) -> Int { min(limit / 8, 64 + 8 * min(count, limit)) }

    /// No file has more columns than this: each one takes more than 16 bytes.
    var columnLimit: Int { 1024 + limit / 16 }

    /// No dictionary has more pairs than this: each key takes 2 bytes, as no two are the same.
    var pairLimit: Int { 1024 + limit / 2 }

    /// No collection has more elements than this.
    ///
    /// A leaf of a list takes at least 9 bytes, with the reference to it, and has 1000 elements at most, which all may
    /// be zeros that take no space. Each of them may be a link that is listed once more where it leads to.
    var elementLimit: Int { 4096 + 256 * min(limit, Int.max >> 10) }

    /// The node at an offset.
    ///
    /// - Throws: ``RealmFileError/damaged(offset:reason:)`` if no node can be there.
    func node(at ref: Int64) throws(RealmFileError) -> Node {
        guard ref >= Int64(FileHeader.size), ref & 7 == 0, ref <= Int64(limit - Node.headerSize) else {
            throw .damaged(
                offset: Int(truncatingIfNeeded: ref), reason: "a reference leads to no place for a node")
        }
        let node = Node(header: start + Int(ref), ref: Int(ref))
        guard let length = node.payloadLength else {
            throw .damaged(offset: node.ref, reason: "a node has an unknown kind of elements")
        }
        guard length <= limit - node.ref - Node.headerSize else {
            throw .damaged(offset: node.ref, reason: "a node ends after the end of the file")
        }
        return node
    }
}
