import Foundation
import KivoEngine
import KivoJournal
import KivoLog

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The work of the thread that follows a log: it reads what is there, then watches for what comes, and begins again when the watch
/// breaks, falls silent, or finds that its revision was compacted.
struct EtcdFollower: Sendable {
    let log: EtcdLog

    init(_ log: EtcdLog) { self.log = log }

    /// The number of commits that are read with one request.
    private static let pageSize = 64

    private var isClosed: Bool { log.state.withLock { $0.isClosed } }

    func run() {
        var pause = 0.02
        while !isClosed {
            do {
                let revision = try catchUp(until: .now + .seconds(5))
                connected()
                pause = 0.02
                try watch(from: revision + 1)
            } catch {
                if isClosed { return }
                disconnected(error)
                log.client.turn(from: log.client.endpoint)
                Thread.sleep(forTimeInterval: pause)
                pause = min(pause * 2, 0.5)
            }
        }
    }

    private func connected() {
        let wasConnected = log.state.withLock { state in
            defer { state.problem = nil }
            return state.problem == nil
        }
        if !wasConnected { log.tell(.connected) }
    }

    private func disconnected(_ error: any Error) {
        let reason = (error as? CommitLogError).map(\.description) ?? "\(error)"
        let isNew = log.state.withLock { state in
            defer { state.problem = reason }
            return state.problem != reason
        }
        if isNew { log.tell(.disconnected(reason: reason)) }
    }

    // MARK: Reading

    /// Reads all commits that the replica lacks, and the checkpoint if some of them are only there. Returns the revision at which
    /// nothing was missing.
    @discardableResult
    func catchUp(until deadline: ContinuousClock.Instant) throws -> Int64 {
        while true {
            let newest = log.replica.newest
            let start = max(newest.version, 1)
            let body = EtcdJSON.transaction(then: [
                ("request_range", EtcdJSON.range(log.keys.log)),
                ("request_range", EtcdJSON.range(log.keys.checkpoint)),
                (
                    "request_range",
                    EtcdJSON.range(
                        log.keys.commit(start), toEndOf: log.keys.commits, limit: EtcdFollower.pageSize)
                ),
            ])
            let json = try log.client.ask("kv/txn", body, until: deadline).json
            let responses = EtcdAnswer.responses(json)
            guard responses.count == 3 else { throw CommitLogError.unavailable("an answer makes no sense") }
            try checkIdentity(EtcdAnswer.pairs(responses[0]).first, until: deadline)
            let note = EtcdAnswer.pairs(responses[1]).first.flatMap { CheckpointNote($0.text) }
            learn(note)
            let pairs = EtcdAnswer.pairs(responses[2])
            let first = pairs.first.flatMap { log.keys.version($0.key) }
            if let note, note.version > newest.version, (first ?? .max) > newest.version + 1 {
                try fetchImage(note, until: deadline + .seconds(60))
                log.tell(.compactedAway(checkpoint: note.version))
                log.announceHead()
                continue
            }
            try checkContinuity(newest, pairs.first, first, note)
            for pair in pairs {
                guard let version = log.keys.version(pair.key), version > newest.version else { continue }
                try log.arrive(LogEntry(version: version, commit(pair, until: deadline)))
            }
            if pairs.count < EtcdFollower.pageSize { return EtcdAnswer.Header(json).revision }
        }
    }

    /// Makes sure that the log is that of the replica; gives a new log its number.
    private func checkIdentity(_ pair: EtcdPair?, until deadline: ContinuousClock.Instant) throws {
        let known = log.replica.id
        if let found = pair.flatMap({ UInt64($0.text) }) {
            if known == 0 { return try log.replica.adopt(found) }
            if found == known { return }
            throw log.refuse("log '\(log.options.prefix)' has the number \(found), not \(known)")
        }
        if known != 0 { throw log.refuse("log '\(log.options.prefix)' is gone") }
        let id = UInt64.random(in: 1 ... .max)
        let body = EtcdJSON.transaction(
            if: [EtcdJSON.exists(log.keys.log, false)],
            then: [("request_put", EtcdJSON.put(log.keys.log, "\(id)".utf8))])
        _ = try log.client.ask("kv/txn", body, until: deadline)
        // Another store may have been first.
        let json = try log.client.ask("kv/range", EtcdJSON.range(log.keys.log), until: deadline).json
        guard let found = EtcdAnswer.pairs(json).first.flatMap({ UInt64($0.text) }) else {
            throw CommitLogError.unavailable("the new log is not there")
        }
        try log.replica.adopt(found)
    }

    /// Makes sure that the log continues what the replica has: a cluster that was restored from an older backup does not.
    private func checkContinuity(
        _ newest: (version: UInt64, identity: EncodedCommit.Identity?), _ pair: EtcdPair?, _ first: UInt64?,
        _ note: CheckpointNote?
    ) throws {
        if newest.version == 0 { return }
        guard let pair, let first else {
            throw log.refuse("it ends before version \(newest.version): it was restored from an older backup")
        }
        if first == newest.version {
            guard let known = newest.identity else { return }
            if try CommitValue(pair.value, pair.key).identity != known {
                throw log.refuse("version \(first) is another: it was restored from an older backup")
            }
        } else if first > newest.version + 1 {
            throw CommitLogError.gap(expected: newest.version + 1, found: first)
        }
    }

    private func learn(_ note: CheckpointNote?) {
        guard let note else { return }
        let isNew = log.state.withLock { state in
            if let known = state.checkpoint, known.version >= note.version { return false }
            state.checkpoint = note
            state.bytesSinceCheckpoint = 0
            return true
        }
        if isNew { log.tell(.checkpoint(note.version)) }
    }

    /// Returns the commit of a pair, whose parts are fetched if it has some.
    private func commit(_ pair: EtcdPair, until deadline: ContinuousClock.Instant) throws -> EncodedCommit {
        switch try CommitValue(pair.value, pair.key) {
        case .whole(let commit): return commit
        case .parts(let identity, let count):
            let parts = try (0..<count).map { number in
                let key = log.keys.parts(of: identity) + EtcdKeys.padded(UInt64(number))
                return try value(key, until: deadline + .seconds(30))
            }
            return try CommitParts.join(parts, of: identity)
        }
    }

    private func value(_ key: String, until deadline: ContinuousClock.Instant) throws -> [UInt8] {
        let json = try log.client.ask("kv/range", EtcdJSON.range(key), until: deadline).json
        // It belongs to a commit or a checkpoint that was replaced meanwhile: reading the log again finds the newer one.
        guard let pair = EtcdAnswer.pairs(json).first else {
            throw CommitLogError.unavailable("'\(key)' was removed")
        }
        return pair.value
    }

    // MARK: Images

    /// Fetches the image of a checkpoint, part by part, and installs it in the replica.
    private func fetchImage(_ note: CheckpointNote, until deadline: ContinuousClock.Instant) throws {
        let path = log.replica.pathForImage(of: note.version)
        let file = try FileDevice.open(path: path)
        do {
            try file.truncate(to: 0)
            var offset = 0
            for number in 0..<note.partCount {
                if isClosed { throw CommitLogError.unavailable("the log is closed") }
                let key = log.keys.image(note.image) + EtcdKeys.padded(UInt64(number))
                let bytes = try value(key, until: deadline)
                try bytes.withUnsafeBytes { try file.write($0, at: offset) }
                offset += bytes.count
            }
            guard offset == note.size else {
                throw CommitLogError.corrupt(
                    "checkpoint \(note.version) has \(offset) bytes, not \(note.size)")
            }
            file.close()
        } catch {
            file.close()
            _ = try? FileSystem.remove(path)
            throw error
        }
        try log.replica.install(note.version)
    }

    /// Replaces the image of the replica when its commits have become much larger, so that a restart reads less.
    private func renewImageIfDue() throws {
        let (commits, image) = log.replica.sizes
        guard commits > 4 << 20, commits > 2 * image, let note = log.state.withLock({ $0.checkpoint }),
            note.version > log.replica.base, note.version <= log.replica.head
        else { return }
        try fetchImage(note, until: .now + .seconds(60))
    }

    // MARK: Watching

    /// Watches the keys of the log, and returns when reading it again is better than going on.
    private func watch(from revision: Int64) throws {
        let keys = log.keys
        let watch = EtcdWatch()
        let isClosed = log.state.withLock { state in
            if !state.isClosed { state.watch = watch }
            return state.isClosed
        }
        if isClosed { return }
        defer {
            watch.cancel()
            log.state.withLock { $0.watch = nil }
        }
        let member = log.client.endpoint
        watch.begin(log.client, member, EtcdJSON.watch(keys.prefix, from: revision))
        while true {
            switch watch.next(atMost: .seconds(log.options.checkInterval)) {
            case .text(let line):
                guard try take(line) else { return }
            case .end:
                log.client.turn(from: member)
                // A member that restarts is no reason to say that the cluster is gone.
                if !self.isClosed { try checkCluster() }
                return
            case .none:
                if try isBehind() {
                    log.client.turn(from: member)
                    return
                }
                try renewImageIfDue()
            }
        }
    }

    /// Makes sure that some member answers.
    private func checkCluster() throws {
        _ = try log.client.ask("kv/range", EtcdJSON.range(log.keys.log), until: .now + .seconds(3))
    }

    /// Whether the watch has missed something: it is silent, and the cluster has newer commits.
    private func isBehind() throws -> Bool {
        if isClosed { return true }
        let body = log.keys.newestCommit
        let json = try log.client.ask("kv/range", body, until: .now + .seconds(3)).json
        let head = EtcdAnswer.pairs(json).first.flatMap { log.keys.version($0.key) } ?? 0
        let known = log.replica.head
        if head == known { return false }
        // It may be on its way. A log that is shorter is read again, which says why.
        return head < known || !log.wait(until: .now + .milliseconds(300)) { log.replica.head >= head }
    }

    /// Takes the events of a line. Returns whether the watch goes on.
    private func take(_ line: Data) throws -> Bool {
        guard let json = (try? JSONSerialization.jsonObject(with: line)) as? [String: Any],
            let result = json["result"] as? [String: Any], result["canceled"] as? Bool != true
        else { return false }
        for event in result["events"] as? [[String: Any]] ?? [] {
            guard let pair = (event["kv"] as? [String: Any]).flatMap(EtcdPair.init) else { continue }
            let isDeleted = event["type"] as? String == "DELETE"
            if pair.key == log.keys.writer || pair.key.hasPrefix(log.keys.wanted) {
                log.leases.notice(pair, isDeleted: isDeleted, of: log)
            } else if pair.key == log.keys.checkpoint, !isDeleted {
                learn(CheckpointNote(pair.text))
            } else if pair.key == log.keys.log {
                // Another log was put into the place of this one.
                return false
            } else if !isDeleted, let version = log.keys.version(pair.key) {
                let head = log.replica.head
                if version <= head { continue }
                guard version == head + 1 else { return false }
                try log.arrive(LogEntry(version: version, commit(pair, until: .now + .seconds(5))))
            }
        }
        return true
    }
}
