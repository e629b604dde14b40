import Foundation
import KivoEngine
import KivoLog

/// Checkpoints: made by one elected store, in parts, and found under one key.
extension EtcdLog {
    /// The number of bytes of a part of an image.
    private static let imagePartSize = 512 << 10
    /// The time, in seconds, after which a store that makes a checkpoint and is not heard of is replaced by another.
    private static let makerLease = 30
    /// The number of attempts to remove parts that belong to no commit. The next checkpoint tries again.
    private static let removalAttempts = 5

    func beginCheckpoint(
        of version: UInt64, isClosing: Bool
    ) -> (@Sendable (LogCheckpoint) throws -> Void)? {
        if isClosing { return nil }
        let isDue = state.withLock { state in
            if state.problem != nil || state.isOther != nil { return false }
            return CheckpointNote.isDue(
                version, after: state.checkpoint, bytes: state.bytesSinceCheckpoint, options)
        }
        guard isDue else { return nil }
        return { [weak self] checkpoint in try self?.store(checkpoint) }
    }

    private func store(_ checkpoint: LogCheckpoint) throws {
        let id = UInt64.random(in: 1 ... .max)
        let deadline = ContinuousClock.now + .seconds(60)
        guard let lease = try elect(id, until: deadline) else { return }
        defer { revoke(lease) }
        var parts = 0
        var size = 0
        var rest: [UInt8] = []
        func put(_ bytes: ArraySlice<UInt8>) throws {
            let key = keys.image(id) + EtcdKeys.padded(UInt64(parts))
            _ = try client.ask("kv/put", EtcdJSON.put(key, bytes), until: .now + .seconds(20))
            parts += 1
            // Long before the lease ends.
            if parts % 4 == 0 {
                let body = EtcdJSON.object([("ID", EtcdJSON.number(lease))])
                _ = try client.ask("lease/keepalive", body, until: .now + .seconds(10))
            }
        }
        do {
            try checkpoint.write { bytes in
                rest.append(contentsOf: bytes)
                size += bytes.count
                while rest.count >= EtcdLog.imagePartSize {
                    try put(rest[..<EtcdLog.imagePartSize])
                    rest.removeFirst(EtcdLog.imagePartSize)
                }
            }
            if !rest.isEmpty { try put(rest[...]) }
        } catch {
            discardImage(id)
            throw error
        }
        let note = CheckpointNote(version: checkpoint.version, image: id, partCount: parts, size: size)
        guard try publish(note, maker: id, until: deadline) else { return discardImage(id) }
        try removeWhatItReplaces(note, until: .now + .seconds(20))
    }

    /// Returns a lease if this store is the one to make a checkpoint.
    private func elect(_ id: UInt64, until deadline: ContinuousClock.Instant) throws -> Int64? {
        let grant = EtcdJSON.object([("TTL", EtcdJSON.number(EtcdLog.makerLease))])
        let json = try client.ask("lease/grant", grant, until: deadline).json
        guard let lease = (json["ID"] as? String).flatMap(Int64.init) else { return nil }
        let body = EtcdJSON.transaction(
            if: [EtcdJSON.exists(keys.maker, false)],
            then: [("request_put", EtcdJSON.put(keys.maker, "\(id)".utf8, lease: lease))],
            else: [("request_range", EtcdJSON.range(keys.maker))])
        let answer = try client.ask("kv/txn", body, until: deadline).json
        // The answer to a first attempt may have been lost.
        let found = EtcdAnswer.responses(answer).first.flatMap { EtcdAnswer.pairs($0).first }
        if answer["succeeded"] as? Bool == true || found?.text == "\(id)" { return lease }
        revoke(lease)
        return nil
    }

    private func revoke(_ lease: Int64) {
        let body = EtcdJSON.object([("ID", EtcdJSON.number(lease))])
        client.send("lease/revoke", body, timeout: .seconds(5)) { _ in }
    }

    /// Makes a checkpoint the newest, unless the election has passed on. Only one store makes checkpoints, so that none replaces a
    /// newer one.
    private func publish(
        _ note: CheckpointNote, maker id: UInt64, until deadline: ContinuousClock.Instant
    ) throws -> Bool {
        let known = try client.ask("kv/range", EtcdJSON.range(keys.checkpoint), until: deadline).json
        let newest = EtcdAnswer.pairs(known).first
        if let version = newest.flatMap({ CheckpointNote($0.text) })?.version, version >= note.version {
            return false
        }
        let body = EtcdJSON.transaction(
            if: [
                EtcdJSON.has(keys.maker, "\(id)".utf8), EtcdJSON.has(keys.log, "\(self.id)".utf8),
                newest.map { EtcdJSON.has(keys.checkpoint, $0.value) }
                    ?? EtcdJSON.exists(keys.checkpoint, false),
            ], then: [("request_put", EtcdJSON.put(keys.checkpoint, note.text.utf8))],
            else: [("request_range", EtcdJSON.range(keys.checkpoint))])
        let answer = try client.ask("kv/txn", body, until: deadline).json
        let found = EtcdAnswer.responses(answer).first.flatMap { EtcdAnswer.pairs($0).first }
        return answer["succeeded"] as? Bool == true || found?.text == note.text
    }

    /// Removes the commits before that of the checkpoint, behind which others append, and the images before it.
    private func removeWhatItReplaces(
        _ note: CheckpointNote, until deadline: ContinuousClock.Instant
    ) throws {
        let images = try client.ask(
            "kv/range", EtcdJSON.range(keys.images, toEndOf: keys.images, keysOnly: true), until: deadline)
        let current = keys.image(note.image)
        let old = Set(
            EtcdAnswer.pairs(images.json).map { String($0.key.prefix(current.utf8.count)) }
                .filter { $0 != current })
        let range = EtcdJSON.delete(keys.commit(0), to: keys.commit(note.version))
        _ = try client.ask("kv/deleterange", range, until: deadline)
        for image in old {
            _ = try client.ask(
                "kv/deleterange", EtcdJSON.delete(image, prefix: image), until: deadline)
        }
        try removeOrphans(note, until: deadline)
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

    private func discardImage(_ id: UInt64) {
        let prefix = keys.image(id)
        client.send("kv/deleterange", EtcdJSON.delete(prefix, prefix: prefix), timeout: .seconds(5)) { _ in }
    }
}
