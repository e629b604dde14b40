import KivoEngine

/// An error that indicates that a file would exceed its size limit.
struct FileTooLarge: Error {}

/// An error that indicates that a checkpoint of closing exceeded its time limit.
struct CheckpointOverdue: Error {}

/// The end of a journal that is in use. Each chunk of pages becomes a record between the commits.
struct JournalPageDestination: PageDestination {
    private let journal: Journal
    private let pages: JournalPages
    private let sharing: (any JournalSharing)?
    /// The maximal size of the file in bytes.
    private let limit: Int

    init(_ journal: Journal, _ pages: JournalPages, _ sharing: (any JournalSharing)?, limit: Int) {
        self.journal = journal
        self.pages = pages
        self.sharing = sharing
        self.limit = limit
    }

    var file: Int { pages.number }

    func current(_ page: PageReference) -> PageReference? { pages.current(page) }

    func bytes(of page: PageReference) throws -> [UInt8] { try JournalPages.bytes(of: page) }

    var notesNodes: Bool { pages.heap.cache.isLimited }

    func note(_ node: EvictableNode, at offset: Int) { pages.note(node, at: offset) }

    func append(_ chunk: PageChunk) throws -> Int {
        if chunk.count > limit - journal.position.end { throw FileTooLarge() }
        try sharing?.lock()
        defer { sharing?.unlock() }
        return try journal.writeAtEnd(to: pages.journal) { writer throws(JournalError) in
            try writer.append(chunk, isDurable: true)
        }
    }
}

/// A journal that a compaction writes, and that no other code uses yet.
final class FreshJournal {
    var writer: JournalWriter

    init(_ writer: JournalWriter) { self.writer = writer }
}

/// A journal that a compaction writes, and to which the pages of earlier files are carried over.
struct FreshPageDestination: PageDestination {
    private let journal: FreshJournal
    private let pages: JournalPages

    init(_ journal: FreshJournal, _ pages: JournalPages) {
        self.journal = journal
        self.pages = pages
    }

    var file: Int { pages.number }

    func current(_ page: PageReference) -> PageReference? { pages.current(page) }

    func bytes(of page: PageReference) throws -> [UInt8] { try JournalPages.bytes(of: page) }

    var notesNodes: Bool { pages.heap.cache.isLimited }

    func note(_ node: EvictableNode, at offset: Int) { pages.note(node, at: offset) }

    func append(_ chunk: PageChunk) throws -> Int { try journal.writer.append(chunk, isDurable: false) }
}

/// A journal to which a copy is written, and to which the pages that are not in memory are carried over.
struct CopyPageDestination: PageDestination {
    /// An error that indicates that the file was compacted during the copy, so that its pages are now in another file.
    struct PagesMoved: Error {}

    private let journal: FreshJournal

    init(_ journal: FreshJournal) { self.journal = journal }

    /// Zero, because no file of this process has this number.
    var file: Int { 0 }

    func current(_ page: PageReference) -> PageReference? {
        guard let file = PageFiles.file(page.file) as? JournalPages else { return page }
        return file.current(page)
    }

    func bytes(of page: PageReference) throws -> [UInt8] {
        do {
            return try JournalPages.bytes(of: page)
        } catch {
            if (PageFiles.file(page.file) as? JournalPages)?.hasMoved == true { throw PagesMoved() }
            throw JournalError.corrupt(offset: page.offset, reason: "a page is damaged: \(error)")
        }
    }

    func append(_ chunk: PageChunk) throws -> Int { try journal.writer.append(chunk, isDurable: false) }
}

/// A page destination that rejects pages after a deadline.
struct TimedPageDestination<Base: PageDestination>: PageDestination {
    private var base: Base
    private let deadline: ContinuousClock.Instant?

    /// - Parameter deadline: The time after which appending throws; nil for no limit.
    init(_ base: Base, until deadline: ContinuousClock.Instant?) {
        self.base = base
        self.deadline = deadline
    }

    var file: Int { base.file }

    func current(_ page: PageReference) -> PageReference? { base.current(page) }

    func bytes(of page: PageReference) throws -> [UInt8] { try base.bytes(of: page) }

    var notesNodes: Bool { base.notesNodes }

    func note(_ node: EvictableNode, at offset: Int) { base.note(node, at: offset) }

    mutating func append(_ chunk: PageChunk) throws -> Int {
        if let deadline, ContinuousClock.now >= deadline { throw CheckpointOverdue() }
        return try base.append(chunk)
    }
}

extension JournalWriter {
    /// Writes pages as one record; returns the offset of the first page.
    mutating func append(_ chunk: PageChunk, isDurable: Bool) throws(JournalError) -> Int {
        // A reference to a page has only so many bits for the offset.
        guard chunk.count < PageReference.offsetLimit - RecordHeader.size - position.end else {
            throw .tooLarge
        }
        var start = 0
        let journal = id
        try append(.pages, count: chunk.count, isDurable: isDurable) { offset in
            start = offset
            chunk.resolveReferences(at: offset)
            for page in chunk.pages {
                let bytes = UnsafeMutableRawBufferPointer(rebasing: chunk.bytes[page])
                let checksum = JournalPages.checksum(
                    UnsafeRawBufferPointer(bytes), journal: journal, offset: offset + page.lowerBound)
                bytes.store(checksum, at: 0)
            }
            return UnsafeRawBufferPointer(chunk.bytes)
        }
        return start
    }
}
