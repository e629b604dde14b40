import Foundation
import KivoEngine
import KivoLog

/// Checkpoints: made by one elected store, in parts, and found under one key.
extension EtcdLog {
    /// The number of bytes of a part of an image.
    static let imagePartSize = 512 << 10
    /// The number of attempts to remove parts that belong to no commit. The next checkpoint tries again.
    private static let removalAttempts = 5
    /// The pauses after a checkpoint that failed: over a line that is too slow, other stores make them.
    private static let pauses = 60.0...3600

    func beginCheckpoint(
        of version: UInt64, isClosing: Bool
    ) -> (@Sendable (LogCheckpoint) throws -> Void)? {
        if isClosing { return nil }
        let isDue = state.withLock { state in
            if state.problem != nil || state.isOther != nil || state.nextCheckpoint > .now { return false }
            return CheckpointNote.isDue(
                version, after: state.checkpoint, bytes: state.bytesSinceCheckpoint, options)
        }
        guard isDue else { return nil }
        return { [weak self] checkpoint in
            guard let self else { return }
            do {
                try store(checkpoint)
                state.withLock { $0.checkpointPause = EtcdLog.pauses.lowerBound }
            } catch {
                state.withLock { state in
                    state.nextCheckpoint = .now + .seconds(state.checkpointPause)
                    state.checkpointPause = min(2 * state.checkpointPause, EtcdLog.pauses.upperBound)
                }
                throw error
            }
        }
    }

    /// Makes a checkpoint, if this store is elected. Its image stays only if the key of the newest checkpoint names it.
    private func store(_ checkpoint: LogCheckpoint) throws {
        guard let election = try EtcdElection(client, keys) else { return }
        defer { election.end() }
        try removeUnnamedImages(election)
        var note = CheckpointNote(version: checkpoint.version, image: election.id, partCount: 0, size: 0)
        do {
            note = try put(checkpoint, election)
            guard try publish(note, election) else { return election.discardImage(unless: note) }
        } catch {
            election.discardImage(unless: note)
            throw error
        }
        learn(note)
        try removeWhatItReplaces(note, election)
    }

    /// Stores the parts of an image, each for as long as something moves. Returns the note that names it.
    private func put(_ checkpoint: LogCheckpoint, _ election: EtcdElection) throws -> CheckpointNote {
        var note = CheckpointNote(version: checkpoint.version, image: election.id, partCount: 0, size: 0)
        var rest: [UInt8] = []
        func put(_ bytes: ArraySlice<UInt8>) throws {
            let key = keys.image(note.image) + EtcdKeys.padded(UInt64(note.partCount))
            try election.perform([("request_put", EtcdJSON.put(key, bytes))])
            note.partCount += 1
            note.size += bytes.count
        }
        try checkpoint.write { bytes in
            rest.append(contentsOf: bytes)
            var start = 0
            while rest.count - start >= EtcdLog.imagePartSize {
                try put(rest[start..<start + EtcdLog.imagePartSize])
                start += EtcdLog.imagePartSize
            }
            rest.removeFirst(start)
        }
        if !rest.isEmpty { try put(rest[...]) }
        return note
    }

    /// Makes a checkpoint the newest, unless the election has passed on or there is a newer one. Only one store makes checkpoints,
    /// so that none replaces a newer one.
    private func publish(_ note: CheckpointNote, _ election: EtcdElection) throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(30)
        let known = try client.ask("kv/range", EtcdJSON.range(keys.checkpoint), until: deadline).json
        let newest = EtcdAnswer.pairs(known).first
        if let version = newest.flatMap({ CheckpointNote($0.text) })?.version, version >= note.version {
            return false
        }
        let body = EtcdJSON.transaction(
            if: [
                election.holds, EtcdJSON.has(keys.log, "\(id)".utf8),
                newest.map { EtcdJSON.has(keys.checkpoint, $0.value) }
                    ?? EtcdJSON.exists(keys.checkpoint, false),
            ], then: [("request_put", EtcdJSON.put(keys.checkpoint, note.text.utf8))],
            else: [("request_range", EtcdJSON.range(keys.checkpoint))])
        let answer = try client.ask("kv/txn", body, until: deadline).json
        let found = EtcdAnswer.responses(answer).first.flatMap { EtcdAnswer.pairs($0).first }
        return answer["succeeded"] as? Bool == true || found?.text == note.text
    }

    /// Removes the images that no checkpoint names: those of stores that ended while they made one. No other store makes an image now,
    /// and none that was begun before can become a checkpoint any more.
    private func removeUnnamedImages(_ election: EtcdElection) throws {
        let deadline = ContinuousClock.now + .seconds(20)
        let known = try client.ask("kv/range", EtcdJSON.range(keys.checkpoint), until: deadline).json
        let note = EtcdAnswer.pairs(known).first.flatMap { CheckpointNote($0.text) }
        try removeImages(except: note, election, until: deadline)
    }

    /// Removes all images but that of a note.
    private func removeImages(
        except note: CheckpointNote?, _ election: EtcdElection, until deadline: ContinuousClock.Instant
    ) throws {
        let range = EtcdJSON.range(keys.images, toEndOf: keys.images, keysOnly: true)
        let pairs = EtcdAnswer.pairs(try client.ask("kv/range", range, until: deadline).json)
        let length = keys.image(0).utf8.count
        let named = note.map { keys.image($0.image) }
        for image in Set(pairs.map { String($0.key.prefix(length)) }) where image != named {
            try election.perform([("request_delete_range", EtcdJSON.delete(image, prefix: image))])
        }
    }

    /// Removes the commits before that of the checkpoint, behind which others append, and the images before it. A store that was
    /// suspended, and is not elected any more, removes nothing: there may be a newer checkpoint.
    private func removeWhatItReplaces(_ note: CheckpointNote, _ election: EtcdElection) throws {
        let deadline = ContinuousClock.now + .seconds(20)
        let commits = EtcdJSON.delete(keys.commit(0), to: keys.commit(note.version))
        try election.perform([("request_delete_range", commits)])
        try removeImages(except: note, election, until: deadline)
        try removeOrphans(note, until: deadline)
    }

    /// Notes a checkpoint of the log.
    func learn(_ note: CheckpointNote) {
        let isNew = state.withLock { state in
            if let known = state.checkpoint, known.version >= note.version { return false }
            (state.checkpoint, state.bytesSinceCheckpoint) = (note, 0)
            return true
        }
        if isNew { tell(.checkpoint(note.version)) }
    }

    /// Removes the parts that belong to no commit from the checkpoint's on. They were left by a writer that was killed or refused,
    /// or belong to commits that were removed.
    ///
    /// Nothing is removed if a commit was appended meanwhile, which may be that of the parts. An append that is in progress stores
    /// its parts again.
    private func removeOrphans(_ note: CheckpointNote, until deadline: ContinuousClock.Instant) throws {
        let parts = try client.ask(
            "kv/range", EtcdJSON.range(keys.parts, toEndOf: keys.parts, keysOnly: true), until: deadline)
        let stored = EtcdAnswer.pairs(parts.json)
        if stored.isEmpty { return }
        let last = try client.ask("kv/range", EtcdJSON.range(keys.commit(note.version)), until: deadline)
        guard let newest = EtcdAnswer.pairs(last.json).first else { return }
        let own = keys.parts(of: try CommitValue(newest.value, newest.key).identity)
        let old = Set(
            stored.filter { $0.created < newest.created }
                .compactMap { pair in pair.key.lastIndex(of: "/").map { String(pair.key[...$0]) } })
        for _ in 0..<EtcdLog.removalAttempts {
            var kept: Set<String> = [own]
            var head = note.version
            try replica.commits(after: note.version) { entry in
                kept.insert(keys.parts(of: entry.commit.identity))
                head = entry.version
            }
            let conditions = [
                EtcdJSON.exists(keys.commit(head), true), EtcdJSON.exists(keys.commit(head + 1), false),
            ]
            let isRemoved = try old.subtracting(kept).allSatisfy { prefix in
                let body = EtcdJSON.transaction(
                    if: conditions, then: [("request_delete_range", EtcdJSON.delete(prefix, prefix: prefix))])
                return try client.ask("kv/txn", body, until: deadline).json["succeeded"] as? Bool == true
            }
            // Commits that were appended meanwhile arrive soon.
            if isRemoved || !wait(until: .now + .seconds(1), { replica.head > head }) { return }
        }
    }
}
