import KivoEngine

/// A checkpoint of closing took longer than it may.
struct CheckpointOverdue: Error {}

/// A place for pages that takes no more of them after a time.
struct TimedPageDestination<Base: PageDestination>: PageDestination {
    private var base: Base
    private let deadline: ContinuousClock.Instant?

    /// - Parameter deadline: When it ends; nil for never.
    init(_ base: Base, until deadline: ContinuousClock.Instant?) {
        self.base = base
        self.deadline = deadline
    }

    var file: Int { base.file }

    func current(_ page: PageReference) -> PageReference? { base.current(page) }

    func bytes(of page: PageReference) throws -> [UInt8] { try base.bytes(of: page) }

    mutating func append(_ chunk: PageChunk) throws -> Int {
        if let deadline, ContinuousClock.now >= deadline { throw CheckpointOverdue() }
        return try base.append(chunk)
    }
}
