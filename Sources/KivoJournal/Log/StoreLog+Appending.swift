import Foundation
import KivoEngine
import KivoLog

/// The error of an append of which nobody can say yet what became of it.
package struct UnknownAppend: Error, Equatable {
    /// The commit.
    package let identity: EncodedCommit.Identity
    /// The version after which it was to be appended.
    package let version: UInt64
    /// The reason why the log gives no answer, if it gives one.
    package let reason: String?
}

extension StoreLog {
    /// Appends a commit after the version of the store, and advances the store's state to it. Without a log, it is only counted and passed
    /// to the observer.
    func append(
        _ kind: EncodedCommit.Kind, _ payload: consuming [UInt8], numbers: TableNumbers? = nil,
        schemaVersion: UInt64? = nil, label: CommitLabel = CommitLabel()
    ) throws {
        guard countsCommits else { return }
        // In place: the caller gives the payload away.
        if log?.takesStamp(isLabeled: !label.isEmpty) ?? true { payload += CommitStamp(label).bytes }
        let (version, number, lease) = state.withLock { state in
            state.encoded += 1
            return (state.log.version, state.encoded, state.lease)
        }
        let commit = EncodedCommit(
            kind, payload, identity: .init(store: identity, number: number), log: self.number)
        if let log { try append(commit, after: version, under: lease, to: log) }
        let observer = state.withLock { state in
            if commit.log != 0 { state.origin.last.note(commit.identity, version: version + 1) }
            state.log.version = version + 1
            state.log.schemaVersion = schemaVersion ?? state.log.schemaVersion ?? 0
            if let numbers { state.log.numbers = numbers }
            return state.observer
        }
        observer?(LogEntry(version: version + 1, commit))
    }

    /// Appends a commit, and repeats it as long as its outcome is unknown and the patience lasts: at most one of several appends
    /// of the same commit after the same version succeeds.
    ///
    /// Once an attempt had an unknown outcome, no later failure is definite by itself: only what is stored in the place of the
    /// commit decides.
    private func append(
        _ commit: EncodedCommit, after version: UInt64, under lease: LogLease?, to log: any CommitLog
    ) throws {
        if let limit = log.largestCommit, commit.payload.count > limit {
            throw CommitLogError.tooLarge(limit: limit)
        }
        // A file answers before it returns, and takes no time to look at the clock.
        var deadline: ContinuousClock.Instant? = log.id == 0 && !log.isRemote ? nil : .now + patience
        var pauses = Pauses()
        var isUnknown = false
        var reason: String?
        while true {
            var denial = CommitLogError.conflict
            do {
                switch try log.append(AppendRequest(commit, after: version, lease: lease, deadline: deadline))
                {
                case .appended(let number):
                    guard number == version + 1 else {
                        throw CommitLogError.gap(expected: version + 1, found: number)
                    }
                    return
                case .behind: break
                case .fenced: denial = .fenced
                case .tooLarge(let limit): denial = .tooLarge(limit: limit)
                case .unknown: isUnknown = true
                }
            } catch let error where isUnknown {
                reason = "\(error)"
            }
            if !isUnknown { throw denial }
            let end = deadline ?? .now + patience
            deadline = end
            var isThere: Bool?
            var isForgotten = false
            do {
                isThere = try find(commit.identity, after: version, in: log, until: end)
            } catch {
                reason = "\(error)"
                isForgotten = error as? CommitLogError == .outcomeUnknown
            }
            if let isThere {
                if isThere { return }
                throw denial
            }
            guard !isForgotten, pauses.wait(until: end) else {
                throw UnknownAppend(identity: commit.identity, version: version, reason: reason)
            }
        }
    }

    /// Returns whether a commit whose append had an unknown outcome is in the log; nil if it may still be appended.
    ///
    /// - Throws: ``CommitLogError/outcomeUnknown`` if the log no longer knows; any error of the log.
    private func find(
        _ identity: EncodedCommit.Identity, after version: UInt64, in log: any CommitLog,
        until deadline: ContinuousClock.Instant?
    ) throws -> Bool? {
        switch try log.resolve(identity, after: version, until: deadline) {
        case .appended: return true
        case .other: return false
        case .open: return nil
        case .removed:
            guard let checkpoint = try log.checkpoint(), checkpoint.version > version,
                let last = try image(of: checkpoint).record.origin?.last,
                let isThere = last.contains(identity)
            else { throw CommitLogError.outcomeUnknown }
            return isThere
        }
    }

    /// Finds out what became of a commit whose append had an unknown outcome. If nothing is in its place yet, takes the place by a
    /// commit that changes nothing, so that the answer stays true.
    ///
    /// - Throws: ``UnknownAppend`` if it is still unknown when the patience ends.
    package func resolve(_ unknown: UnknownAppend) throws -> Bool {
        guard let log else { return false }
        let end = ContinuousClock.now + patience
        var pauses = Pauses()
        var reason: String?
        while true {
            do {
                if let isThere = try find(unknown.identity, after: unknown.version, in: log, until: end) {
                    return isThere
                }
                try takePlace(of: unknown, in: log, until: end)
            } catch let error as CommitLogError {
                reason = error.description
                if error == .outcomeUnknown { break }
            }
            guard pauses.wait(until: end) else { break }
        }
        throw UnknownAppend(identity: unknown.identity, version: unknown.version, reason: reason)
    }

    /// Appends a commit that changes nothing: it sets the schema version that the log has.
    private func takePlace(
        of unknown: UnknownAppend, in log: any CommitLog, until deadline: ContinuousClock.Instant
    ) throws {
        let (number, schemaVersion) = state.withLock { state in
            state.encoded += 1
            return (state.encoded, state.log.schemaVersion ?? 0)
        }
        let empty = EncodedCommit(
            .schemaVersion, SchemaVersionPayload.encode(schemaVersion),
            identity: .init(store: identity, number: number), log: log.id)
        _ = try log.append(AppendRequest(empty, after: unknown.version, deadline: deadline))
    }
}

extension CommitLogError {
    /// Whether the error has nothing to do with what was to be appended, so that another attempt may succeed.
    package var isPassing: Bool {
        switch self {
        case .conflict, .fenced, .unavailable, .accessDenied: true
        default: false
        }
    }
}

/// The pauses between attempts, which become longer: from 2 milliseconds to a quarter of a second.
private struct Pauses {
    private var next = Duration.milliseconds(2)

    /// Waits for the next attempt. Returns false if the deadline comes before it.
    mutating func wait(until deadline: ContinuousClock.Instant) -> Bool {
        guard .now + next < deadline else { return false }
        Thread.sleep(forTimeInterval: next.inSeconds)
        next = min(next * 2, .milliseconds(250))
        return true
    }
}
