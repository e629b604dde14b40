/// A file from which nodes are loaded.
///
/// Thread-safe: any reader can be the first to reach a node.
package protocol PageFile: AnyObject, Sendable {
    /// Returns the node of a page, and publishes its address in the slot that refers to it, if one is given. The first call reads
    /// the page; later calls return the same node until it is evicted. It lives until the version that evicts or replaces it is the
    /// oldest. Traps if the page is damaged or does not fit the role, with a message that names the file and the offset.
    func node(
        at offset: Int, _ role: NodeRole, for slot: UnsafeMutableRawPointer?
    ) -> UnsafeMutableRawPointer

    /// Advances the clock over a node that is in memory: the first call removes its address from the slot of the newest version,
    /// which refers to the page then, and the next call evicts it, unless it was looked up in between.
    ///
    /// - Parameter prepare: Called with the node before, without a lock, to evict what is below it.
    func passClock(
        over offset: Int, _ slot: UnsafeMutableRawPointer, _ prepare: (UnsafeMutableRawPointer) -> Void
    ) -> ClockPass

    /// Evicts a node of a sequence, to which only this slot of the newest version leads. Returns the node, or nil if it is not in
    /// memory or has to stay there.
    ///
    /// - Parameter prepare: Called with the node before it is taken, without a lock, to evict its children. Afterwards would be too
    ///   late. A reader can have read the node again by then, and found a child in memory whose address its slot keeps.
    func takeNode(
        at offset: Int, _ slot: UnsafeMutableRawPointer, _ expected: PageExpectation,
        _ prepare: (UnsafeMutableRawPointer) -> Void
    ) -> UnsafeMutableRawPointer?

    /// Registers the expected contents of a page before a slot refers to it. Each page has one parent: a second one is damage.
    func expect(_ page: PageExpectation, at offset: Int)

    /// Returns the node of a page if it was loaded; otherwise nil.
    func loadedNode(at offset: Int) -> UnsafeMutableRawPointer?

    /// Returns the string or the bytes of a page, which is read on each call. Traps like ``node(at:_:)``.
    func value(at offset: Int, isString: Bool) -> Cell

    /// Retains a value that older versions need but the newest does not. Otherwise a compaction would drop it.
    func retainValue(at offset: Int)

    /// Releases a value that ``retainValue(at:)`` retained.
    func releaseValue(at offset: Int)

    /// Returns the page of a leaf for one scan, without loading the node. Its bytes are valid until the window reads another page.
    /// Returns nil if the node has to be loaded: it is in memory already, or was scanned before and there is room for it, or the page
    /// cannot be read.
    func pageToScan(
        at offset: Int, _ window: PageWindow
    ) -> (bytes: UnsafeRawBufferPointer, expected: PageExpectation)?

    /// Returns the bytes of a page in the file after checking them, or nil if they cannot be read. Does not load the node.
    func bytes(at offset: Int) -> [UInt8]?
}

/// What became of a node when the clock passed over it.
package enum ClockPass {
    /// It stays in memory.
    case kept
    /// The newest version does not contain it any more.
    case gone
    /// It was evicted: nothing in the newest version refers to its address.
    case evicted(UnsafeMutableRawPointer)
}

/// The files to which nodes of this process can refer, by the file numbers in the references.
package enum PageFiles {
    private struct Files: Sendable {
        var byNumber: [Int: any PageFile] = [:]
        var next = 1
    }

    private static let files = Lock(Files())

    /// Assigns a number to a file, which is retained until ``remove(_:)``.
    package static func add(_ make: (_ number: Int) -> any PageFile) {
        let number = files.withLock { files in
            repeat {
                files.next = files.next + 1 < PageReference.fileLimit ? files.next + 1 : 1
            } while files.byNumber[files.next] != nil
            return files.next
        }
        let file = make(number)
        files.withLock { $0.byNumber[number] = file }
    }

    /// Removes a file to which no node refers any more.
    package static func remove(_ number: Int) {
        _ = files.withLock { $0.byNumber.removeValue(forKey: number) }
    }

    /// Returns the file with a number, or nil if there is none.
    package static func file(_ number: Int) -> (any PageFile)? { files.withLock { $0.byNumber[number] } }

    /// Returns the file of a reference. Traps if the file is closed.
    static func file(of page: PageReference) -> any PageFile {
        guard let file = files.withLock({ $0.byNumber[page.file] }) else {
            fatalError("A node refers to a page of a file that is closed.")
        }
        return file
    }
}
