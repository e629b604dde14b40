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

    /// The number of commits that are read with the first request. It grows while answers are fast, and shrinks while they are
    /// slow: a page that breaks off is read again.
    private static let firstPageSize = 8
    private static let pageSizes = 1...1024
    /// The number of times that the log is read again because what was to be read next was replaced.
    private static let readingAttempts = 10
    /// The longest pause between two checks of a watch that is silent.
    static let longestPause = Duration.seconds(30)
    /// How long parts of a commit or of an image are asked for again after a failure.
    static let partPatience = EtcdPatience.whileMoving(tryingFor: .seconds(30))

    var isClosed: Bool { log.state.withLock { $0.isClosed } }

    func run() {
        var pause = 0.02
        while !isClosed {
            do {
                let revision = try catchUp(.whileMoving(tryingFor: .seconds(5)))
                connected()
                let begin = ContinuousClock.now
                try watch(from: revision + 1)
                // A watch that is refused ends at once, and is not asked for without a pause.
                pause = .now - begin < .seconds(1) ? min(pause * 2, 0.5) : 0.02
                if pause > 0.04 { Thread.sleep(forTimeInterval: pause) }
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
    func catchUp(_ patience: EtcdPatience) throws -> Int64 {
        for _ in 0..<EtcdFollower.readingAttempts {
            do { return try catchUpOnce(patience) } catch is RemovedValue {}
        }
        throw CommitLogError.unavailable("its checkpoints are replaced faster than they are read")
    }

    private func catchUpOnce(_ patience: EtcdPatience) throws -> Int64 {
        var pageSize = EtcdFollower.firstPageSize
        var isChecked = false
        while true {
            let newest = log.replica.newest
            let next = log.keys.commit(newest.version + 1)
            let body = EtcdJSON.transaction(then: [
                ("request_range", EtcdJSON.range(log.keys.log)),
                ("request_range", EtcdJSON.range(log.keys.checkpoint)),
                ("request_range", EtcdJSON.range(log.keys.head)),
                ("request_range", EtcdJSON.range(next, toEndOf: log.keys.commits, limit: pageSize)),
            ])
            let begin = ContinuousClock.now
            let json = try log.client.ask("kv/txn", body, patience).json
            let time = ContinuousClock.now - begin
            let responses = EtcdAnswer.responses(json)
            guard responses.count == 4 else { throw CommitLogError.unavailable("an answer makes no sense") }
            try checkIdentity(EtcdAnswer.pairs(responses[0]).first, patience)
            let note = EtcdAnswer.pairs(responses[1]).first.flatMap { CheckpointNote($0.text) }
            note.map(log.learn)
            let pairs = EtcdAnswer.pairs(responses[3])
            let first = pairs.first.flatMap { log.keys.version($0.key) }
            if let note, note.version > newest.version, (first ?? .max) > newest.version + 1 {
                try fetchImage(note, patience)
                log.tell(.compactedAway(checkpoint: note.version))
                log.announceHead()
                continue
            }
            if !isChecked {
                try checkContinuity(newest, EtcdAnswer.pairs(responses[2]).first?.text, patience)
                isChecked = true
            }
            if let first, first > newest.version + 1 {
                throw CommitLogError.gap(expected: newest.version + 1, found: first)
            }
            for pair in pairs {
                guard let version = log.keys.version(pair.key) else { continue }
                try log.arrive(LogEntry(version: version, commit(pair, patience)))
            }
            if pairs.count < pageSize { return EtcdAnswer.Header(json).revision }
            if time < .milliseconds(200) { pageSize *= 2 }
            if time > .seconds(1) { pageSize /= 2 }
            pageSize = min(
                max(pageSize, EtcdFollower.pageSizes.lowerBound), EtcdFollower.pageSizes.upperBound)
        }
    }

    /// Makes sure that the log is that of the replica; gives a new log its number.
    private func checkIdentity(_ pair: EtcdPair?, _ patience: EtcdPatience) throws {
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
        _ = try log.client.ask("kv/txn", body, patience)
        // Another store may have been first.
        let json = try log.client.ask("kv/range", EtcdJSON.range(log.keys.log), patience).json
        guard let found = EtcdAnswer.pairs(json).first.flatMap({ UInt64($0.text) }) else {
            throw CommitLogError.unavailable("the new log is not there")
        }
        try log.replica.adopt(found)
    }

    /// Makes sure that the log continues what the replica has: a cluster that was restored from an older backup does not.
    ///
    /// - Parameter head: The note of the newest commit, which saves reading that commit again if it is the one that is known.
    private func checkContinuity(
        _ newest: (version: UInt64, identity: EncodedCommit.Identity?), _ head: String?,
        _ patience: EtcdPatience
    ) throws {
        if newest.version == 0 { return }
        let end = head.flatMap { $0.split(separator: " ").first }.flatMap { UInt64($0) } ?? 0
        if end < newest.version {
            throw log.refuse("it ends before version \(newest.version): it was restored from an older backup")
        }
        guard let known = newest.identity, head != HeadNote.text(newest.version, known) else { return }
        let key = log.keys.commit(newest.version)
        let json = try log.client.ask("kv/range", EtcdJSON.range(key), patience).json
        // A checkpoint may have replaced it.
        guard let pair = EtcdAnswer.pairs(json).first else { return }
        if try CommitValue(pair.value, pair.key).identity != known {
            throw log.refuse("version \(newest.version) is another: it was restored from an older backup")
        }
    }

    /// Returns the commit of a pair, whose parts are fetched if it has some.
    func commit(_ pair: EtcdPair, _ patience: EtcdPatience) throws -> EncodedCommit {
        switch try CommitValue(pair.value, pair.key) {
        case .whole(let commit): return commit
        case .parts(let identity, let count):
            let parts = try (0..<count).map { number in
                try value(log.keys.parts(of: identity) + EtcdKeys.padded(UInt64(number)), patience)
            }
            return try CommitParts.join(parts, of: identity)
        }
    }

    private func value(_ key: String, _ patience: EtcdPatience) throws -> [UInt8] {
        let json = try log.client.ask("kv/range", EtcdJSON.range(key), patience).json
        // It belongs to a commit or a checkpoint that was replaced meanwhile: reading the log again finds the newer one.
        guard let pair = EtcdAnswer.pairs(json).first else { throw RemovedValue() }
        return pair.value
    }

    struct RemovedValue: Error {}

    // MARK: Images

    /// Fetches the image of a checkpoint, part by part, and installs it in the replica. The parts that have arrived are kept if it
    /// fails, because the parts of an image never change.
    private func fetchImage(_ note: CheckpointNote, _ patience: EtcdPatience) throws {
        let (file, partCount) = try log.replica.beginImage(note)
        do {
            defer { file.close() }
            var offset = partCount * EtcdLog.imagePartSize
            for number in partCount..<note.partCount {
                if isClosed { throw CommitLogError.unavailable("the log is closed") }
                let bytes = try value(
                    log.keys.image(note.image) + EtcdKeys.padded(UInt64(number)), patience)
                try bytes.withUnsafeBytes { try file.write($0, at: offset) }
                offset += bytes.count
            }
            guard try file.size() == note.size else {
                throw CommitLogError.corrupt(
                    "checkpoint \(note.version) has \(try file.size()) bytes, not \(note.size)")
            }
        } catch CommitLogError.corrupt(let reason) {
            log.replica.discardImage(note)
            throw CommitLogError.corrupt(reason)
        } catch is RemovedValue {
            log.replica.discardImage(note)
            throw RemovedValue()
        } catch let error as JournalError {
            throw CommitLogError.unavailable("the local replica '\(log.replica.path)': \(error)")
        }
        try log.replica.install(note)
    }

    /// Replaces the image of the replica when its commits have become much larger, so that a restart reads less. Commits arrive
    /// meanwhile.
    func renewImageIfDue() {
        guard let note = log.state.withLock({ $0.checkpoint }), log.replica.isImageDue(for: note) else {
            return
        }
        let isMine = log.state.withLock { state in
            if state.isRenewing || state.nextRenewal > .now || state.isClosed { return false }
            state.isRenewing = true
            return true
        }
        guard isMine else { return }
        log.work.async { [self] in
            var pause = Duration.zero
            do {
                try fetchImage(note, EtcdFollower.partPatience)
            } catch is RemovedValue {
                // The watch reports the newer one that takes its place.
            } catch {
                pause = EtcdFollower.longestPause
            }
            log.state.withLock { state in (state.isRenewing, state.nextRenewal) = (false, .now + pause) }
        }
    }
}
