import Foundation
import KivoLog

extension EtcdFollower {
    /// How long an event may be on its way after its commit can be read.
    private static let delay = Duration.milliseconds(300)

    /// Watches the keys of the log, and returns when reading it again is better than going on.
    func watch(from revision: Int64) throws {
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
        watch.begin(log.client, member, EtcdJSON.watch(keys.watched, from: revision))
        let firstPause = Duration.seconds(log.options.checkInterval)
        var pause = firstPause
        // A version that the log has, which should arrive until then.
        var awaited: (head: UInt64, end: ContinuousClock.Instant)?
        while true {
            // By what has arrived, and not by silence: commits may never stop coming.
            renewImageIfDue()
            let line = watch.next(atMost: awaited.map { max(.zero, $0.end - .now) } ?? pause)
            if let expected = awaited, log.replica.head >= expected.head { awaited = nil }
            switch line {
            case .text(let line):
                guard try take(line) else { return }
                pause = firstPause
            case .end:
                log.client.turn(from: member)
                // The cluster is not gone because one member restarts.
                if !self.isClosed { try checkCluster() }
                return
            case .check, .none:
                if self.isClosed { return }
                if let expected = awaited {
                    if expected.end > .now { continue }
                    // The watch has missed it.
                    log.client.turn(from: member)
                    return
                }
                let (head, known) = (try newestVersion(), log.replica.head)
                if head > known {
                    awaited = (head, .now + EtcdFollower.delay)
                } else if head < known {
                    // Reading the log again finds out why.
                    return
                } else if case .none = line {
                    pause = max(firstPause, min(pause * 2, EtcdFollower.longestPause))
                }
            }
        }
    }

    /// Makes sure that some member answers.
    private func checkCluster() throws {
        _ = try log.client.ask("kv/range", EtcdJSON.range(log.keys.log), until: .now + .seconds(3))
    }

    private func newestVersion() throws -> UInt64 {
        let json = try log.client.ask("kv/range", log.keys.newestCommit, until: .now + .seconds(3)).json
        return EtcdAnswer.pairs(json).first.flatMap { log.keys.version($0.key) } ?? 0
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
                CheckpointNote(pair.text).map(log.learn)
            } else if pair.key == log.keys.log {
                // Another log was put into the place of this one.
                return false
            } else if !isDeleted, let version = log.keys.version(pair.key) {
                let head = log.replica.head
                if version <= head { continue }
                guard version == head + 1 else { return false }
                do {
                    try log.arrive(LogEntry(version: version, commit(pair, EtcdFollower.partPatience)))
                } catch is RemovedValue { return false }
            }
        }
        return true
    }
}
