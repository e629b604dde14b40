import Foundation
import KivoJournal
import KivoLog

extension EtcdReplica {
    /// The image as a checkpoint; nil if there is none.
    func checkpoint() -> LogCheckpoint? {
        state.withLock { state in
            guard let image = state.image else { return nil }
            let path = EtcdReplica.imagePath(state.path, state.header.base)
            let bytes = CheckpointBytes(name: path, size: image.size, isLocal: true) { buffer, offset in
                let count = min(buffer.count, image.size - offset)
                if count <= 0 { return 0 }
                return try image.file.read(
                    into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), at: offset)
            }
            return LogCheckpoint(version: state.header.base, .bytes(bytes))
        }
    }

    /// Whether the commits have become so many, beside the image, that a newer image should replace them.
    func isImageDue(for note: CheckpointNote) -> Bool {
        state.withLock { state in
            guard note.version > state.header.base, note.version <= state.head else { return false }
            let isLarge = state.commits.end > 4 << 20 && state.commits.end > 2 * state.header.imageSize
            // A place in memory belongs to each 32 of them.
            return isLarge || state.commits.count > 1 << 22
        }
    }

    /// Opens the file in which the parts of an image are gathered. Returns it with the number of parts that it has already, from
    /// an attempt before.
    func beginImage(_ note: CheckpointNote) throws -> (file: FileDevice, partCount: Int) {
        try naming { state in
            let fetching = EtcdReplica.fetchingPath(state.path, note)
            for file in EtcdReplica.files(beside: state)
            where file != fetching && file.contains(EtcdReplica.fetchingSuffix) {
                EtcdReplica.remove(file, state)
            }
            state.fetching = fetching
            let file = try FileDevice.open(path: fetching)
            let size = EtcdLog.imagePartSize
            // Only the parts of this size have places that are known before they are read.
            let isRegular = note.partCount == (note.size + size - 1) / size
            let partCount = isRegular ? min(try file.size() / size, note.partCount) : 0
            try file.truncate(to: partCount * size)
            return (file, partCount)
        }
    }

    private static func fetchingPath(_ path: String, _ note: CheckpointNote) -> String {
        "\(path)\(fetchingSuffix)\(EtcdKeys.hex(note.image))"
    }

    /// Removes the file in which the parts of an image were gathered.
    func discardImage(_ note: CheckpointNote) { discardImage(EtcdReplica.fetchingPath(path, note)) }

    private func discardImage(_ path: String) { _ = try? FileSystem.remove(path) }

    /// Replaces the image by that of a later version, all of whose parts have arrived. Keeps the commits that the store has not
    /// read, if they lead on to the newest version.
    ///
    /// - Throws: ``CommitLogError/corrupt(_:)`` if the image is damaged; it is then removed.
    func install(_ note: CheckpointNote) throws {
        let source = EtcdReplica.fetchingPath(path, note)
        // Verified and flushed outside of the lock, because it takes long.
        let path = EtcdReplica.imagePath(path, note.version)
        do {
            let file = try FileDevice.open(path: source)
            defer { file.close() }
            try EtcdReplica.verify(file)
            // A temporary one does not outlive a loss of power.
            if !state.withLock({ $0.isTemporary }) { try file.synchronize() }
        } catch {
            guard error.isDamage else { throw CommitLogError.unavailable("'\(source)': \(error)") }
            discardImage(note)
            throw CommitLogError.corrupt("checkpoint \(note.version): \(error)")
        }
        try naming { state in
            // Another thread may have installed a newer one.
            guard note.version > state.header.base, !state.isClosed else { return discardImage(source) }
            let before = state
            let kept = try EtcdReplica.unread(state, from: note.version)
            try EtcdReplica.move(source, to: path, state)
            let file = try FileDevice.open(path: path, readOnly: true)
            state.image = Image(file: file, size: note.size)
            (state.header.base, state.header.imageSize) = (note.version, note.size)
            do {
                try EtcdReplica.restart(&state, first: kept.first, kept.commits)
            } catch {
                // Without the commits, all of which are fetched again.
                state.newest = nil
                try? EtcdReplica.restart(&state, first: note.version, [])
                throw error
            }
            // The store may still read the pages of the image before: its file has no name from now on.
            if before.header.base > 0, before.header.base != note.version {
                EtcdReplica.remove(EtcdReplica.imagePath(state.path, before.header.base), state)
            }
        }
    }

    /// Moves a file to its place, durably unless all files are temporary.
    private static func move(_ source: String, to path: String, _ state: State) throws {
        if !state.isTemporary { return try FileSystem.move(source, to: path, replacing: true) }
        remove(path, state)
        try FileManager.default.moveItem(atPath: source, toPath: path)
    }

    /// Returns the commits that stay beside an image of a version: those that the store has not read, if they lead on to the newest
    /// version.
    private static func unread(
        _ state: State, from version: UInt64
    ) throws -> (first: UInt64, commits: [EncodedCommit]) {
        guard state.head >= version else { return (version, []) }
        let first = max(state.commits.first, min(version, state.read))
        var offset = try state.commits.offset(after: first, in: state.file)
        var commits: [EncodedCommit] = []
        for version in first..<state.commits.head {
            guard let next = try state.commits.next(at: offset, version: version + 1, in: state.file) else {
                throw JournalError.notAJournal
            }
            commits.append(next.commit)
            offset = next.end
        }
        return (first, commits)
    }

    /// Replaces the commits of the file.
    private static func restart(_ state: inout State, first: UInt64, _ commits: [EncodedCommit]) throws {
        state.header.first = first
        (state.commits, state.generation) = (ReplicaCommits(first: first), state.generation + 1)
        state.newest = nil
        try state.file.truncate(to: 0)
        try EtcdReplica.writeHeader(state)
        for commit in commits {
            try state.commits.append(commit.bytes, to: state.file)
            state.newest = commit.identity
        }
    }
}
