import Dispatch
import Foundation
import KivoEngine
import KivoLog

/// Appending: one transaction, which may be sent more than once, because at most one of several appends of the same commit after
/// the same version succeeds.
extension EtcdLog {
    func append(
        _ request: AppendRequest, _ completion: @escaping @Sendable (Result<AppendOutcome, any Error>) -> Void
    ) {
        if let reason = state.withLock({ $0.isOther }) {
            return completion(.failure(CommitLogError.otherLog(reason)))
        }
        if let limit = largestCommit, request.commit.payload.count > limit {
            return completion(.success(.tooLarge(limit: limit)))
        }
        let deadline = request.deadline ?? .now + .seconds(options.openTimeout)
        let append = EtcdAppend(log: self, request, until: deadline, completion)
        if request.commit.payload.count < EtcdLog.partSize - 1024 {
            append.attempt()
        } else {
            work.async { append.storeParts() }
        }
    }

    func cancelAppend(_ identity: EncodedCommit.Identity) {
        _ = state.withLock { $0.cancelled.insert(identity) }
    }

    func resolve(
        _ identity: EncodedCommit.Identity, after version: UInt64, until deadline: ContinuousClock.Instant?
    ) throws -> AppendResolution {
        let body = EtcdJSON.transaction(then: [
            ("request_range", EtcdJSON.range(keys.commit(version + 1))),
            ("request_range", EtcdJSON.range(keys.checkpoint)),
            ("request_range", EtcdJSON.range(keys.log)),
        ])
        let end = deadline ?? .now + .seconds(options.openTimeout)
        let responses = EtcdAnswer.responses(try client.ask("kv/txn", body, until: end).json)
        guard responses.count == 3 else { throw CommitLogError.unavailable("an answer makes no sense") }
        guard let log = EtcdAnswer.pairs(responses[2]).first, UInt64(log.text) == id else {
            throw refuse("log '\(options.prefix)' is gone")
        }
        if let pair = EtcdAnswer.pairs(responses[0]).first {
            return try CommitValue(pair.value, pair.key).identity == identity ? .appended : .other
        }
        let note = EtcdAnswer.pairs(responses[1]).first.flatMap { CheckpointNote($0.text) }
        guard let note, note.version > version else { return .open }
        // The commit, or the checkpoint, which the store asks, once it is here.
        expect(note.version)
        guard wait(until: end, { replica.head > version }) else {
            throw CommitLogError.unavailable("checkpoint \(note.version) has not arrived")
        }
        if let found = try inReplica(identity, after: version) { return found }
        return .removed(checkpoint: replica.base)
    }

    /// What the replica knows of the place after a version: it may still have what the log has removed.
    private func inReplica(
        _ identity: EncodedCommit.Identity, after version: UInt64
    ) throws -> AppendResolution? {
        var found: EncodedCommit.Identity?
        do {
            try replica.commits(after: version) { entry in
                found = entry.commit.identity
                throw CommitLogError.conflict
            }
        } catch CommitLogError.conflict {
        } catch CommitLogError.removed { return nil }
        return found.map { $0 == identity ? .appended : .other }
    }
}

/// One append, from the first attempt to its outcome. Attempts follow each other, never at the same time.
private final class EtcdAppend: Sendable {
    private let log: EtcdLog
    private let request: AppendRequest
    private let deadline: ContinuousClock.Instant
    private let completion: @Sendable (Result<AppendOutcome, any Error>) -> Void
    private let state: Lock<State>

    private struct State: Sendable {
        var patience: EtcdPatience
        /// Whether an attempt was sent that has no answer, and may be carried out at any time.
        var isSent = false
        var pause = 0.002
        var partCount = 0
        var failure: CommitLogError = .unavailable("the time is over")
    }

    init(
        log: EtcdLog, _ request: AppendRequest, until deadline: ContinuousClock.Instant,
        _ completion: @escaping @Sendable (Result<AppendOutcome, any Error>) -> Void
    ) {
        (self.log, self.request, self.deadline, self.completion) = (log, request, deadline, completion)
        // A member that was stopped does not answer; the next one may.
        state = Lock(State(patience: .until(deadline, silence: .milliseconds(1500))))
    }

    private var version: UInt64 { request.version + 1 }

    /// Stores the parts of a large commit. They are nothing until the commit refers to them.
    func storeParts() {
        let parts = CommitParts.split(request.commit, atMost: EtcdLog.partSize)
        let prefix = log.keys.parts(of: request.commit.identity)
        do {
            for (number, part) in parts.enumerated() {
                let body = EtcdJSON.put(prefix + EtcdKeys.padded(UInt64(number)), part)
                _ = try log.client.ask("kv/put", body, until: deadline)
            }
        } catch let error as CommitLogError {
            state.withLock { $0.failure = error }
            return end()
        } catch {
            return end()
        }
        state.withLock { $0.partCount = parts.count }
        attempt()
    }

    /// The transaction of the next attempt.
    private var body: String {
        let transaction = AppendTransaction(
            keys: log.keys, log: log.id, commit: request.commit, after: request.version, lease: request.lease,
            known: known, partCount: state.withLock { $0.partCount })
        return transaction.body
    }

    /// The value of the key of the newest version if the commit before this one is it; nil if that commit is not here.
    private var known: String? {
        let newest = log.replica.newest
        guard newest.version == request.version, let identity = newest.identity else { return nil }
        return HeadNote.text(newest.version, identity)
    }

    func attempt() {
        let isCancelled = log.state.withLock { $0.cancelled.remove(request.commit.identity) != nil }
        guard .now < deadline, !isCancelled else { return end() }
        log.client.send("kv/txn", body, state.withLock { $0.patience }) { [self] result in
            switch result {
            case .success(let answer): take(answer.json)
            case .failure(.notSent(let reason)): again(reason)
            case .failure(.unanswered(let reason)):
                state.withLock { state in
                    state.isSent = true
                    state.patience.prolong()
                }
                again(reason)
            case .failure(let failure):
                if failure.reason.contains("too large") {
                    return finish(.success(.tooLarge(limit: EtcdLog.partSize)))
                }
                state.withLock { $0.failure = failure.logError }
                // A member also says that there is no space after it carried out the request that exceeded the quota.
                if failure.reason.contains("space exceeded") {
                    return log.work.async { [self] in endWithoutSpace() }
                }
                // Nothing that is tried again changes missing rights; an earlier attempt may be carried out.
                end()
            }
        }
    }

    /// Ends the append after an answer that there is no space, by reading whether the commit is there.
    private func endWithoutSpace() {
        do {
            switch try log.resolve(request.commit.identity, after: request.version, until: deadline) {
            case .appended: appended()
            case .open, .other: end()
            case .removed: completion(.success(.unknown))
            }
        } catch {
            completion(.success(.unknown))
        }
    }

    private func again(_ reason: String) {
        let pause = state.withLock { state in
            defer { state.pause = min(state.pause * 2, 0.2) }
            state.failure = .unavailable(reason)
            return state.pause
        }
        log.work.asyncAfter(deadline: .now() + pause) { [self] in attempt() }
    }

    /// Ends the append without an answer. It did not happen, and will not, only if no attempt is still on its way.
    private func end() {
        let (isSent, failure) = state.withLock { ($0.isSent, $0.failure) }
        completion(isSent ? .success(.unknown) : .failure(failure))
    }

    private func finish(_ result: Result<AppendOutcome, any Error>) {
        // What is certain of this attempt is not of one before that got no answer.
        let isDefinite: Bool =
            switch result {
            case .success(.appended), .success(.behind): true
            case .success(.fenced): request.lease != nil
            default: false
            }
        if !isDefinite, state.withLock({ $0.isSent }) { return completion(.success(.unknown)) }
        completion(result)
    }

    private func take(_ json: [String: Any]) {
        if json["succeeded"] as? Bool == true { return appended() }
        let responses = EtcdAnswer.responses(json)
        guard responses.count == 6 else {
            // It is not one of etcd, and so does not say whether the transaction was carried out.
            state.withLock { $0.isSent = true }
            return again("an answer makes no sense")
        }
        let pairs = responses.map { EtcdAnswer.pairs($0).first }
        guard pairs[0].flatMap({ UInt64($0.text) }) == log.id else {
            return finish(.failure(log.refuse("log '\(log.options.prefix)' is gone")))
        }
        let head = pairs[2].flatMap { log.keys.version($0.key) } ?? 0
        log.expect(head)
        if let pair = pairs[1] {
            let identity = try? CommitValue(pair.value, pair.key).identity
            if identity == request.commit.identity { return appended() }
            return finish(.success(.behind(head: head)))
        }
        let note = pairs[4].flatMap { CheckpointNote($0.text) }
        if let note, note.version >= version {
            // An earlier attempt may have been carried out and removed since: the store asks the checkpoint.
            let isSent = state.withLock { $0.isSent }
            return completion(.success(isSent ? .unknown : .behind(head: max(head, note.version))))
        }
        if head < request.version {
            let reason = "it ends at version \(head): it was restored from an older backup"
            return finish(.failure(log.refuse(reason)))
        }
        if let note = pairs[5]?.text, let known, HeadNote.contradicts(note, known) {
            let reason = "version \(head) is another: it was restored from an older backup"
            return finish(.failure(log.refuse(reason)))
        }
        let isFenced = request.lease.map { pairs[3]?.text != "\($0.token)" } ?? (pairs[3] != nil)
        if isFenced {
            request.lease.map(log.leases.lose)
            return finish(.success(.fenced))
        }
        // The conditions hold by now, or parts are missing.
        let count = state.withLock { $0.partCount }
        count > 0 ? log.work.async { [self] in storeParts() } : again("the log has changed meanwhile")
    }

    private func appended() {
        // If it is not the next one in the replica, the follower brings it and those before.
        _ = try? log.arrive(LogEntry(version: version, request.commit))
        completion(.success(.appended(version: version)))
    }
}
