/// An error of a log. Each says what may be done about it.
public enum CommitLogError: Error, Equatable, Sendable {
    /// The authority cannot be reached, or does not take commits, for this reason. Nothing was carried out; later it may be.
    case unavailable(String)
    /// The authority does not let this program in, or not do what it asked for, for this reason. Nothing was carried out.
    case accessDenied(String)
    /// It is unknown whether a commit was appended, because the answer was lost.
    case outcomeUnknown
    /// Another store appended first, and the transaction was rolled back. It may be tried again.
    case conflict
    /// Another store has the lease, and the transaction was rolled back. It may be tried again.
    case fenced
    /// The commit has more bytes than the log takes.
    case tooLarge(limit: Int)
    /// The requested commits were removed from the log. The checkpoint of this version contains their changes.
    case removed(checkpoint: UInt64)
    /// The log is another one than that which the store has read: it was replaced, or restored from an older backup.
    case otherLog(String)
    /// The log delivers bytes that cannot be read.
    case corrupt(String)
    /// The log delivers commits with gaps.
    case gap(expected: UInt64, found: UInt64)
    /// The log accepts only checkpoints that a store of this process makes.
    case foreignCheckpoint
}

extension CommitLogError: CustomStringConvertible {
    /// The description of the error.
    public var description: String {
        switch self {
        case .unavailable(let reason): "the log does not answer: \(reason)"
        case .accessDenied(let reason): "the log does not let this program in: \(reason)"
        case .outcomeUnknown: "it is unknown whether the commit was carried out"
        case .conflict: "somebody else has committed first, and nothing of this write was carried out"
        case .fenced: "somebody else has the right to write by now, and nothing of this write was carried out"
        case .tooLarge(let limit): "the commit is larger than the \(limit) bytes that the log takes"
        case .removed(let version):
            "the commits that are missing are only in the checkpoint of version \(version) by now"
        case .otherLog(let reason): "it is another log than before: \(reason)"
        case .corrupt(let reason): "the log is damaged: \(reason)"
        case .gap(let expected, let found): "the log delivers commit \(found) where \(expected) is due"
        case .foreignCheckpoint: "the log takes only checkpoints that are made in this process"
        }
    }
}
