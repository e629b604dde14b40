import KivoJournal

/// A part of the past that a session does not have at hand. It is read from the file outside of the session, because that takes as
/// long as the file is large.
enum StudioReplay: Error, Sendable {
    /// The version of a commit.
    case version(of: UInt64)
    /// The summaries of the newest commits before a number.
    case summaries(before: UInt64)

    /// Reads the file from its beginning. O(commits).
    func read(_ path: String) throws -> StudioPast {
        let history = try StudioHistory(path, newCommits: nil, isWhole: true)
        switch self {
        case .version(let number):
            guard try history.readOn(to: number) else {
                throw HTTPProblem(.notFound, "Commit \(number) is not in the file.")
            }
            return .version(of: number, history)
        case .summaries(let number):
            let limit = RecentCommits.largestCount
            var (found, isComplete) = ([CommitSummary](), true)
            try history.readOn { record, commits in
                guard record.number < number, record.kind.isData else { return }
                found.append(CommitSummary(record, commits))
                // Removed in bulk, because the array moves.
                if found.count < 2 * limit { return }
                found.removeFirst(found.count - limit)
                isComplete = false
            }
            return .summaries(CommitSummaries(before: number, found, isComplete: isComplete))
        }
    }
}

/// A part of the past that was read from the file.
enum StudioPast: Sendable {
    case version(of: UInt64, StudioHistory)
    case summaries(CommitSummaries)
}

/// The summaries of the newest commits before a number.
struct CommitSummaries: Sendable {
    private let number: UInt64
    /// The commits in ascending order.
    private let all: [CommitSummary]
    /// Whether the file has no earlier ones.
    private let isComplete: Bool

    init(before number: UInt64, _ all: [CommitSummary], isComplete: Bool) {
        (self.number, self.all, self.isComplete) = (number, all, isComplete)
    }

    /// Returns the newest of the commits before a number, the newest first, and whether there are earlier ones. Nil if they are not
    /// among these.
    func newest(_ count: Int, before number: UInt64) -> (commits: [CommitSummary], hasMore: Bool)? {
        let earlier = all.prefix(all.partitionPoint { $0.number < number })
        guard number <= self.number, isComplete || earlier.count >= count else { return nil }
        return (earlier.suffix(count).reversed(), !isComplete || earlier.count > count)
    }
}
