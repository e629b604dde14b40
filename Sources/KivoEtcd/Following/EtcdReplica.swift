import Foundation
import KivoEngine
import KivoJournal
import KivoLog

/// The part of a log that has arrived, in two files: the image of a checkpoint, which is a Kivo file, and the commits since. The store reads
/// only here, so no page and no commit is fetched over the network in the middle of reading.
///
///      file.replica                the header, then the commits
///      file.replica.image-N        the image of the checkpoint of version N
///      file.replica.fetching-ID    the parts of an image that have arrived
///
/// An image is flushed and verified before the header names it, and verified again after a process that did not close the
/// replica. Commits are not flushed: what is lost or torn after a crash is fetched again. Thread-safe.
final class EtcdReplica: Sendable {
    struct State: Sendable {
        var file: FileDevice
        var path: String
        var header: ReplicaHeader
        var image: Image?
        var commits: ReplicaCommits
        /// The identity of the newest commit; nil if the newest version is that of the image.
        var newest: EncodedCommit.Identity?
        /// The newest version that the store has asked for commits after.
        var read: UInt64 = 0
        /// The number of times that the commits were replaced.
        var generation = 0
        var isClosed = false
        /// Whether the files are gone with the process. Then all of them are known: the folder for temporary files may have many
        /// more, and is not searched.
        let isTemporary: Bool
        /// The path of the file in which parts of an image were gathered last; nil if there was none.
        var fetching: String?

        init(_ file: FileDevice, _ path: String, _ header: ReplicaHeader, isTemporary: Bool) {
            (self.file, self.path, self.header, self.isTemporary) = (file, path, header, isTemporary)
            commits = ReplicaCommits(first: header.first)
        }

        var head: UInt64 { max(header.base, commits.head) }
    }

    /// The file of an image.
    struct Image: Sendable {
        let file: FileDevice
        let size: Int
    }

    let state: Lock<State>
    /// The reason why the path that was asked for is not used; nil if it is.
    let refusal: String?

    /// Opens the replica of a path; a temporary one if there is none, if another process has it, or if it cannot be used.
    ///
    /// - Throws: ``CommitLogError/unavailable(_:)`` if no temporary one can be made.
    init(_ path: String?, prefix: String) throws {
        var refusal: String?
        if let path {
            do {
                state = Lock(try EtcdReplica.open(path, prefix, isTemporary: false))
                self.refusal = nil
                return
            } catch {
                refusal = "the replica '\(path)' is not used: \(error)"
            }
        }
        let temporary = FileManager.default.temporaryDirectory
            .appendingPathComponent("kivo-\(UInt64.random(in: 0 ... .max)).replica").path
        do {
            state = Lock(try EtcdReplica.open(temporary, prefix, isTemporary: true))
        } catch {
            throw CommitLogError.unavailable("no replica: '\(temporary)': \(error)")
        }
        self.refusal = refusal
    }

    /// Closes the files, and removes temporary ones.
    func close() {
        state.withLock { state in
            (state.isClosed, state.header.isInUse) = (true, false)
            try? EtcdReplica.writeHeader(state)
            state.file.close()
            state.image?.file.close()
            guard state.isTemporary else { return }
            for file in EtcdReplica.files(beside: state) + [state.path] { EtcdReplica.remove(file, state) }
        }
    }

    // MARK: Loading

    private static func open(_ path: String, _ prefix: String, isTemporary: Bool) throws -> State {
        let file = try FileDevice.open(path: path)
        do {
            return try load(file, path, prefix, isTemporary: isTemporary)
        } catch {
            file.close()
            throw error
        }
    }

    private static func load(
        _ file: FileDevice, _ path: String, _ prefix: String, isTemporary: Bool
    ) throws -> State {
        var bytes = [UInt8](repeating: 0, count: ReplicaHeader.size)
        let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        bytes.removeLast(bytes.count - count)
        var state = State(
            file, path, ReplicaHeader(bytes) ?? ReplicaHeader(prefix: prefix), isTemporary: isTemporary)
        guard state.header.prefix == ReplicaHeader(prefix: prefix).prefix else {
            throw CommitLogError.otherLog("it belongs to another prefix of keys")
        }
        if ReplicaHeader(bytes) == nil {
            guard try ReplicaHeader.isReplica(bytes) || isBlank(file) else {
                throw CommitLogError.otherLog("the file is no replica")
            }
            try clear(&state)
        } else {
            do {
                try loadImage(&state)
                state.newest = try state.commits.load(file)?.identity
                if state.commits.head < state.header.base { throw JournalError.notAJournal }
            } catch let error as JournalError where error.isDamage || error == .notFound {
                // All of it is fetched again.
                state.header.log = 0
                try clear(&state)
            }
        }
        let image = imagePath(path, state.header.base)
        for file in files(beside: state) where file != image && !file.contains(fetchingSuffix) {
            remove(file, state)
        }
        state.header.isInUse = true
        try writeHeader(state)
        return state
    }

    /// Whether a file has only zeros, as a loss of power may leave a new one.
    private static func isBlank(_ file: FileDevice) throws(JournalError) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        for offset in stride(from: 0, to: try file.size(), by: buffer.count) {
            let result = buffer.withUnsafeMutableBytes { bytes in
                Result { () throws(JournalError) in try file.read(into: bytes, at: offset) }
            }
            if try !buffer[..<result.get()].allSatisfy({ $0 == 0 }) { return false }
        }
        return true
    }

    private static func loadImage(_ state: inout State) throws {
        guard state.header.base > 0 else { return }
        let file = try FileDevice.open(path: imagePath(state.path, state.header.base), readOnly: true)
        do {
            guard try file.size() == state.header.imageSize else { throw JournalError.notAJournal }
            if state.header.isInUse { try verify(file) }
        } catch {
            file.close()
            throw error
        }
        state.image = Image(file: file, size: state.header.imageSize)
    }

    /// - Throws: ``JournalError/corrupt(offset:reason:)`` if the image is damaged.
    static func verify(_ file: FileDevice) throws(JournalError) {
        let report = try JournalVerification.verify(file)
        if let flaw = report.flaws.first(where: { !$0.isHarmless }) {
            throw .corrupt(offset: flaw.offset, reason: flaw.reason)
        }
    }

    static func imagePath(_ path: String, _ version: UInt64) -> String { "\(path).image-\(version)" }

    /// The beginning of what follows the path of the replica in that of a file in which parts of an image are gathered.
    static let fetchingSuffix = ".fetching-"

    /// The paths of images, and of files in which parts of images are gathered.
    static func files(beside state: State) -> [String] {
        if state.isTemporary {
            return [imagePath(state.path, state.header.base)] + [state.fetching].compactMap { $0 }
        }
        let url = URL(fileURLWithPath: state.path)
        let (folder, name) = (url.deletingLastPathComponent().path, url.lastPathComponent)
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
            .filter { $0.hasPrefix(name + ".image-") || $0.hasPrefix(name + fetchingSuffix) }
            .map { state.path + $0.dropFirst(name.count) }
    }

    /// Removes a file, durably unless all files are temporary.
    static func remove(_ path: String, _ state: State) {
        if state.isTemporary {
            try? FileManager.default.removeItem(atPath: path)
        } else {
            _ = try? FileSystem.remove(path)
        }
    }

    private static func clear(_ state: inout State) throws {
        state.image?.file.close()
        let header = state.header
        let generation = state.generation
        state = State(state.file, state.path, header, isTemporary: state.isTemporary)
        (state.header.base, state.header.imageSize, state.header.first) = (0, 0, 0)
        (state.commits, state.generation) = (ReplicaCommits(first: 0), generation + 1)
        try state.file.truncate(to: 0)
        try writeHeader(state)
    }

    static func writeHeader(_ state: State) throws {
        try state.header.bytes.withUnsafeBytes { try state.file.write($0, at: 0) }
    }

    /// Removes what has arrived, all of which can be fetched again. The log stays the same.
    func clear() throws {
        try naming { state in
            let files = EtcdReplica.files(beside: state)
            try EtcdReplica.clear(&state)
            for file in files { EtcdReplica.remove(file, state) }
        }
    }

    /// Calls a closure with the state. Errors of the file name its path.
    func naming<Value>(_ body: (inout State) throws -> Value) throws -> Value {
        try state.withLock { state in
            do {
                return try body(&state)
            } catch let error as JournalError {
                throw CommitLogError.unavailable("the local replica '\(state.path)': \(error)")
            }
        }
    }

    // MARK: Contents

    /// The number of the log; 0 if the replica is new.
    var id: UInt64 { state.withLock { $0.header.log } }

    /// Sets the number of the log of a new replica.
    func adopt(_ id: UInt64) throws {
        try naming { state in
            state.header.log = id
            try EtcdReplica.writeHeader(state)
            // A later loss of power leaves a header by which the file is known.
            if !state.isTemporary { try state.file.synchronize() }
        }
    }

    /// The path of the file.
    var path: String { state.withLock { $0.path } }

    /// The newest version that has arrived.
    var head: UInt64 { state.withLock { $0.head } }

    /// The newest version, and the identity of its commit, which is nil if it is not known.
    var newest: (version: UInt64, identity: EncodedCommit.Identity?) {
        state.withLock { ($0.head, $0.newest) }
    }

    /// The version of the image; 0 if there is none.
    var base: UInt64 { state.withLock { $0.header.base } }

    /// Adds the commit after the newest. Returns false if there is such a commit already.
    ///
    /// - Throws: ``CommitLogError/gap(expected:found:)`` if it is not the next one; ``CommitLogError/unavailable(_:)`` if it
    ///   cannot be written.
    func add(_ entry: LogEntry) throws -> Bool {
        try naming { state in
            if entry.version <= state.head { return false }
            guard entry.version == state.head + 1 else {
                throw CommitLogError.gap(expected: state.head + 1, found: entry.version)
            }
            try state.commits.append(entry.commit.bytes, to: state.file)
            state.newest = entry.commit.identity
            return true
        }
    }

    /// Reads the commits after a version.
    ///
    /// - Throws: ``CommitLogError/removed(checkpoint:)`` if some are only in the image; errors of `body`.
    func commits(after version: UInt64, _ body: (LogEntry) throws -> Void) throws {
        var next = version
        var place: (generation: Int, offset: Int)?
        while true {
            let found: EncodedCommit? = try naming { state in
                state.read = max(state.read, version)
                guard next >= state.commits.first else {
                    throw CommitLogError.removed(checkpoint: state.header.base)
                }
                if next >= state.commits.head { return nil }
                var offset = place?.offset ?? 0
                if place?.generation != state.generation {
                    offset = try state.commits.offset(after: next, in: state.file)
                }
                guard
                    let (commit, end) = try state.commits.next(at: offset, version: next + 1, in: state.file)
                else {
                    throw CommitLogError.corrupt(
                        "the local replica '\(state.path)' has no commit \(next + 1)")
                }
                place = (state.generation, end)
                return commit
            }
            guard let found else { return }
            next += 1
            try body(LogEntry(version: next, found))
        }
    }
}
