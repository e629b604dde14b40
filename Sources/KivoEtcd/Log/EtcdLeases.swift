import Dispatch
import Foundation
import KivoEngine
import KivoLog

/// The right to write, for one store: a key that lives as long as its lease is kept alive. It is kept after a write until another
/// store asks for it. Thread-safe.
final class EtcdLeases: Sendable {
    private struct State: Sendable {
        /// The lease that etcd has granted; 0 if there is none.
        var grant: Int64 = 0
        /// When the grant ends, as far as this machine knows.
        var end = ContinuousClock.now
        /// The right to write.
        var held: LogLease?
        /// The revision at which it was taken, and the version of the log then.
        var revision: Int64 = 0
        var head: UInt64 = 0
        var isInUse = false
        /// Whether another store waits.
        var isWanted = false
        var isClosed = false
        var isKeeping = false
    }

    private let client: EtcdClient
    private let keys: EtcdKeys
    private let seconds: Int
    private let state = Lock(State())
    private let queue = DispatchQueue(label: "Kivo: leases of etcd")
    /// Signalled when another store has given the right back.
    private let freed = DispatchSemaphore(value: 0)

    init(_ client: EtcdClient, _ keys: EtcdKeys, _ writing: EtcdOptions.Writing) {
        (self.client, self.keys) = (client, keys)
        if case .lease(let seconds) = writing { self.seconds = max(2, seconds) } else { seconds = 10 }
    }

    /// Takes the right to write, and returns the version that the log had then. Returns nil if another store has it until the
    /// deadline.
    func acquire(until deadline: ContinuousClock.Instant) throws -> (lease: LogLease, head: UInt64)? {
        let held = state.withLock { state -> (LogLease, UInt64)? in
            guard let held = state.held, state.end > .now else { return nil }
            state.isInUse = true
            return (held, state.head)
        }
        if let held { return held }
        do {
            return try ask(until: deadline)
        } catch {
            // The right may have been given without an answer. It ends with the grant, also if the request is still on its way.
            revokeGrant()
            throw error
        }
    }

    private func ask(until deadline: ContinuousClock.Instant) throws -> (lease: LogLease, head: UInt64)? {
        var isAsked = false
        let lease = LogLease(token: .random(in: 1 ... .max))
        let token = "\(lease.token)"
        while .now < deadline {
            let grant = try grant(until: deadline)
            let body = EtcdJSON.transaction(
                if: [EtcdJSON.exists(keys.writer, false)],
                then: [
                    ("request_put", EtcdJSON.put(keys.writer, token.utf8, lease: grant)),
                    ("request_range", keys.newestCommit),
                    ("request_range", EtcdJSON.range(keys.wanted, toEndOf: keys.wanted, keysOnly: true)),
                ],
                else: [
                    ("request_range", EtcdJSON.range(keys.writer)),
                    ("request_range", keys.newestCommit),
                    ("request_range", EtcdJSON.range(keys.wanted, toEndOf: keys.wanted, keysOnly: true)),
                ])
            let json = try client.ask("kv/txn", body, until: deadline).json
            let responses = EtcdAnswer.responses(json)
            guard responses.count == 3 else { throw CommitLogError.unavailable("an answer makes no sense") }
            let holder = EtcdAnswer.pairs(responses[0]).first
            // An attempt before this one may have been carried out, and its answer lost.
            if json["succeeded"] as? Bool == true || holder?.text == token {
                let own = keys.wanted + EtcdKeys.hex(UInt64(bitPattern: grant))
                let isWanted = EtcdAnswer.pairs(responses[2]).contains { $0.key != own }
                let revision = holder?.modified ?? EtcdAnswer.Header(json).revision
                let newest = EtcdAnswer.pairs(responses[1]).first
                let head = newest.flatMap { keys.version($0.key) } ?? 0
                state.withLock { state in
                    (state.held, state.isInUse, state.isWanted) = (lease, true, isWanted)
                    (state.revision, state.head) = (revision, head)
                }
                if isAsked { discard(own) }
                return (lease, head)
            }
            if let holder, holder.lease == grant {
                // Taken by a write that has ended with an error.
                giveBack(LogLease(token: UInt64(holder.text) ?? 0))
            } else if !isAsked {
                isAsked = true
                let key = keys.wanted + EtcdKeys.hex(UInt64(bitPattern: grant))
                _ = try client.ask("kv/put", EtcdJSON.put(key, [], lease: grant), until: deadline)
            }
            let rest = min(max(0, (deadline - .now).inSeconds), 0.2)
            _ = freed.wait(timeout: .now() + rest)
        }
        if isAsked {
            discard(keys.wanted + EtcdKeys.hex(UInt64(bitPattern: state.withLock { $0.grant })))
        }
        return nil
    }

    /// Ends the grant, and with it all that was asked for under it.
    private func revokeGrant() {
        let grant = state.withLock { state in
            defer { (state.grant, state.held, state.isInUse) = (0, nil, false) }
            return state.grant
        }
        guard grant != 0 else { return }
        repeatedly("lease/revoke", EtcdJSON.object([("ID", EtcdJSON.number(grant))]))
    }

    /// Ends the use of the right, which is given back if another store waits.
    func release(_ lease: LogLease) {
        let isWanted = state.withLock { state in
            guard state.held == lease else { return false }
            state.isInUse = false
            return state.isWanted
        }
        if isWanted { giveBack(lease) }
    }

    /// Notes that the right has passed.
    func lose(_ lease: LogLease) {
        state.withLock { state in if state.held == lease { (state.held, state.isInUse) = (nil, false) } }
    }

    /// Takes an event of the keys of leases.
    func notice(_ pair: EtcdPair, isDeleted: Bool, of log: EtcdLog) {
        if pair.key == keys.writer {
            let lost = state.withLock { state -> LogLease? in
                // An event of an earlier time says nothing: the right was taken since.
                guard let held = state.held, pair.modified > state.revision else { return nil }
                (state.held, state.isInUse) = (nil, false)
                return held
            }
            if isDeleted { freed.signal() }
            if let lost { log.tell(.leaseLost(lost)) }
        } else if !isDeleted {
            let idle = state.withLock { state -> LogLease? in
                if pair.key == keys.wanted + EtcdKeys.hex(UInt64(bitPattern: state.grant)) { return nil }
                state.isWanted = true
                return state.isInUse ? nil : state.held
            }
            if let idle { giveBack(idle) }
        }
    }

    private func giveBack(_ lease: LogLease) {
        lose(lease)
        let body = EtcdJSON.transaction(
            if: [EtcdJSON.has(keys.writer, "\(lease.token)".utf8)],
            then: [("request_delete_range", EtcdJSON.delete(keys.writer))])
        repeatedly("kv/txn", body)
    }

    private func discard(_ key: String) { repeatedly("kv/deleterange", EtcdJSON.delete(key)) }

    /// Sends a request until it is answered, but not for longer than the lease lasts.
    private func repeatedly(_ path: String, _ body: String) {
        let deadline = ContinuousClock.now + .seconds(seconds)
        queue.async { [client] in _ = try? client.ask(path, body, until: deadline) }
    }

    // MARK: Grants

    private func grant(until deadline: ContinuousClock.Instant) throws -> Int64 {
        let known = state.withLock { $0.grant != 0 && $0.end > .now ? $0.grant : 0 }
        if known != 0 { return known }
        let start = ContinuousClock.now
        let body = EtcdJSON.object([("TTL", EtcdJSON.number(seconds))])
        let json = try client.ask("lease/grant", body, until: deadline).json
        guard let grant = (json["ID"] as? String).flatMap(Int64.init) else {
            throw CommitLogError.unavailable("no lease was granted")
        }
        let isKept = state.withLock { state in
            (state.grant, state.end, state.held) = (grant, start + .seconds(seconds), nil)
            defer { state.isKeeping = true }
            return state.isKeeping
        }
        if !isKept { keepLater() }
        return grant
    }

    private func keepLater() {
        queue.asyncAfter(deadline: .now() + Double(seconds) / 3) { [weak self] in self?.keep() }
    }

    private func keep() {
        let grant = state.withLock { state in
            if state.isClosed || state.end <= .now { (state.isKeeping, state.grant) = (false, 0) }
            return state.grant
        }
        guard grant != 0 else { return }
        let start = ContinuousClock.now
        let body = EtcdJSON.object([("ID", EtcdJSON.number(grant))])
        client.send("lease/keepalive", body, .until(.now + .seconds(max(1, seconds / 3)))) {
            [weak self] result in
            guard let self else { return }
            if case .success(let answer) = result, let found = answer.json["result"] as? [String: Any] {
                let isAlive = (found["TTL"] as? String).flatMap(Int.init) ?? 0 > 0
                state.withLock { state in
                    guard state.grant == grant else { return }
                    if isAlive {
                        state.end = start + .seconds(seconds)
                    } else {
                        (state.grant, state.held, state.isInUse) = (0, nil, false)
                    }
                }
            }
            keepLater()
        }
    }

    /// Gives everything back.
    func close() {
        let (grant, isFirst) = state.withLock { state in
            defer { (state.isClosed, state.held, state.grant) = (true, nil, 0) }
            return (state.grant, !state.isClosed)
        }
        guard isFirst, grant != 0 else { return }
        let body = EtcdJSON.object([("ID", EtcdJSON.number(grant))])
        _ = try? client.ask("lease/revoke", body, until: .now + .seconds(1))
    }
}
