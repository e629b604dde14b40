/// A commit in parts, for logs whose service takes only requests of a limited size.
///
/// The parts are stored first, under the identity of the commit. The commit exists once the entry of its version refers to them:
///
///      let parts = CommitParts.split(commit, atMost: 1 << 20)
///      …
///      let commit = try CommitParts.join(parts, of: identity)
public enum CommitParts {
    /// Returns the bytes of a commit in parts. O(bytes).
    ///
    /// - Parameters:
    ///   - commit: The commit to divide.
    ///   - size: The number of bytes of a part; the last one may have fewer.
    public static func split(_ commit: EncodedCommit, atMost size: Int) -> [ArraySlice<UInt8>] {
        let bytes = commit.bytes
        return stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min(bytes.count, $0 + size)] }
    }

    /// Returns the commit of parts. O(bytes).
    ///
    /// - Throws: ``CommitLogError/corrupt(_:)`` if the parts are not those of the commit.
    public static func join(
        _ parts: [[UInt8]], of identity: EncodedCommit.Identity
    ) throws(CommitLogError) -> EncodedCommit {
        guard let commit = EncodedCommit(bytes: Array(parts.joined())), commit.identity == identity else {
            throw .corrupt("the parts of commit \(identity.number) of store \(identity.store) do not fit")
        }
        return commit
    }
}
