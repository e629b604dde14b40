import KivoEngine

/// An error that indicates that a checkpoint of closing exceeded its time limit.
struct CheckpointOverdue: Error {}

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

    mutating func append(_ chunk: PageChunk) throws -> Int {
        if let deadline, ContinuousClock.now >= deadline { throw CheckpointOverdue() }
        return try base.append(chunk)
    }
}
