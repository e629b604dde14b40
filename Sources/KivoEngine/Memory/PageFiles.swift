/// A file that nodes are brought in from.
///
/// Thread-safe: any reader can be the first to reach a node.
public protocol PageFile: AnyObject, Sendable {
    /// The node of a page, as a slot leads to it. The first call reads the page, later ones return the same node, which lives
    /// until the version that replaces it is the oldest. Traps in words, with the name of the file and the offset, if the
    /// page is damaged or not of this role.
    func node(at offset: Int, _ role: NodeRole) -> UnsafeMutableRawPointer

    /// Registers what a page has to be before a slot leads to it. Each page has one parent: a second one is damage.
    func expect(_ page: PageExpectation, at offset: Int)

    /// The node of a page if it was brought in, else nil.
    func loadedNode(at offset: Int) -> UnsafeMutableRawPointer?

    /// The string or the bytes of a page, which is read each time. Traps as ``node(at:_:)`` does.
    func value(at offset: Int, isString: Bool) -> Cell

    /// Keeps a value for versions that see it: the newest does not any more, and a compaction would leave it out.
    func keepValue(at offset: Int)

    /// Ends what ``keepValue(at:)`` began.
    func giveUpValue(at offset: Int)

    /// The bytes of a page as it is in the file, checked; nil if they cannot be read. The node is not brought in.
    func bytes(at offset: Int) -> [UInt8]?
}

/// The files that nodes of this process can refer to, by the numbers that the references have.
public enum PageFiles {
    private struct Files: Sendable {
        var byNumber: [Int: any PageFile] = [:]
        var next = 1
    }

    private static let files = Lock(Files())

    /// Gives a file a number. It is kept until ``remove(_:)``.
    public static func add(_ make: (_ number: Int) -> any PageFile) {
        let number = files.withLock { files in
            repeat {
                files.next = files.next + 1 < PageReference.fileLimit ? files.next + 1 : 1
            } while files.byNumber[files.next] != nil
            return files.next
        }
        let file = make(number)
        files.withLock { $0.byNumber[number] = file }
    }

    /// Forgets a file: no node refers to it any more.
    public static func remove(_ number: Int) {
        _ = files.withLock { $0.byNumber.removeValue(forKey: number) }
    }

    /// The file of a number, or nil.
    public static func file(_ number: Int) -> (any PageFile)? { files.withLock { $0.byNumber[number] } }

    /// The file of a reference.
    static func file(of page: PageReference) -> any PageFile {
        guard let file = files.withLock({ $0.byNumber[page.file] }) else {
            fatalError("A node refers to a page of a file that is closed.")
        }
        return file
    }
}
