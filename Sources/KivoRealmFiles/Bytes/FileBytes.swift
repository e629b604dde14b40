/// An owner of the bytes of a file, mapped or copied. They stay in place and unchanged until the owner is released.
///
/// All reading goes through its `view`, within `withExtendedLifetime` of the file.
///
/// The bytes are only read, and both properties are constants, so that it can be used from any thread.
final class FileBytes: @unchecked Sendable {
    private let memory: Memory
    let bytes: UnsafeRawBufferPointer

    private enum Memory: ~Copyable {
        case mapped(FileMapping)
        case copied
    }

    init(path: String) throws(RealmFileError) {
        let mapping = try FileMapping(path: path)
        bytes = mapping.bytes
        memory = .mapped(mapping)
    }

    init(copying source: [UInt8]) throws(RealmFileError) {
        guard !source.isEmpty else { throw .empty }
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count, alignment: 8)
        copy.copyBytes(from: source)
        bytes = UnsafeRawBufferPointer(copy)
        memory = .copied
    }

    deinit {
        switch memory {
        case .mapped: break
        case .copied: bytes.deallocate()
        }
    }
}

/// The only place where offsets of a file become memory addresses. It checks that the whole node is inside the file.
///
/// It does not own the memory. The view, and every node, leaf and cursor from it, may be used only while its `FileBytes` is
/// alive.
package struct FileView {
    private let start: UnsafeRawPointer
    /// The number of bytes that may contain nodes: the smaller of the file's size and the size in its top node.
    package let limit: Int
    /// The format version of the file.
    let version: Int

    init(_ bytes: FileBytes, limit: Int, version: Int) {
        precondition(limit <= bytes.bytes.count)
        start = bytes.bytes.baseAddress!
        self.limit = limit
        self.version = version
    }

    /// Returns the maximum number of nodes on a walk over a tree with a number of elements. Each node takes at least 8 bytes, no
    /// node has two parents, and parts without elements are removed.
    func nodeLimit(_ count: Int) -> Int { min(limit / 8, 64 + 8 * min(count, limit)) }

    /// The maximum number of columns in the file: each one takes more than 16 bytes.
    var columnLimit: Int { 1024 + limit / 16 }

    /// The maximum number of pairs in a dictionary: each key takes at least 2 bytes, because keys are unique.
    var pairLimit: Int { 1024 + limit / 2 }

    /// The maximum number of elements in a collection.
    ///
    /// A leaf of a list takes at least 9 bytes, including the reference to it, and has at most 1000 elements. All of them may be
    /// zeros that take no space. Each of them may be a link that is listed once more at its target.
    package var elementLimit: Int { 4096 + 256 * min(limit, Int.max >> 10) }

    /// Returns the node at an offset.
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
