import Foundation
import KivoEngine
import KivoJournal
import KivoLog

/// What has arrived of a log, in two files: the image of a checkpoint, which is a Kivo file, and the commits since, one after the
/// other. The store reads only here, so no page and no commit is fetched over the network in the middle of reading.
///
///      file.replica            16 bytes: "KIVOETC1" and the number of the log; 16 bytes: the version of the image and of the
///                              commit before the first; then for each commit its size, its checksum and its bytes
///      file.replica.image-N    the image of the checkpoint of version N
///
/// Neither file is flushed: what is lost or torn after a crash is fetched again. Thread-safe.
final class EtcdReplica: Sendable {
    private struct State: Sendable {
        var file: FileDevice
        var path: String
        var id: UInt64 = 0
        /// The version of the image; 0 if there is none.
        var base: UInt64 = 0
        var image: Image?
        /// The version before the first commit.
        var first: UInt64 = 0
        /// The places of the commits in the file.
        var places: [Range<Int>] = []
        var end = EtcdReplica.headerSize
        /// The identity of the newest commit; nil if the newest version is that of the image.
        var newest: EncodedCommit.Identity?
        /// The newest version that the store has asked for commits after.
        var read: UInt64 = 0

        var head: UInt64 { max(base, first + UInt64(places.count)) }
    }

    /// The file of an image.
    private struct Image: Sendable {
        let file: FileDevice
        let size: Int
    }

    private static let magic: UInt64 = 0x3143_5445_4F56_494B
    private static let headerSize = 32
    private static let frameSize = 16

    private let state: Lock<State>
    private let isTemporary: Bool

    /// Opens the replica of a path, or a temporary one if there is none, or if another process has it.
    init(_ path: String?) throws {
        let temporary = FileManager.default.temporaryDirectory
            .appendingPathComponent("kivo-\(UInt64.random(in: 0 ... .max)).replica").path
        var opened: (FileDevice, String)?
        if let path { opened = (try? FileDevice.open(path: path)).map { ($0, path) } }
        isTemporary = opened == nil
        let (file, place) = try opened ?? (FileDevice.open(path: temporary), temporary)
        state = Lock(State(file: file, path: place))
        try state.withLock { try EtcdReplica.load(&$0) }
    }

    private static func imagePath(_ path: String, _ version: UInt64) -> String { "\(path).image-\(version)" }

    /// Closes the files, and removes temporary ones.
    func close() {
        state.withLock { state in
            state.file.close()
            state.image?.file.close()
            guard isTemporary else { return }
            _ = try? FileSystem.remove(state.path)
            if state.base > 0 { _ = try? FileSystem.remove(EtcdReplica.imagePath(state.path, state.base)) }
        }
    }

    // MARK: Loading

    private static func load(_ state: inout State) throws {
        var header = [UInt8](repeating: 0, count: headerSize)
        let count = try header.withUnsafeMutableBytes { try state.file.read(into: $0, at: 0) }
        guard count == headerSize, word(header, 0) == magic else { return try clear(&state, id: 0) }
        (state.id, state.base, state.first) = (word(header, 8), word(header, 16), word(header, 24))
        if state.base > 0 {
            let path = imagePath(state.path, state.base)
            guard FileSystem.exists(path), let file = try? FileDevice.open(path: path, readOnly: true) else {
                return try clear(&state, id: 0)
            }
            state.image = Image(file: file, size: try file.size())
        }
        let size = try state.file.size()
        while state.end + frameSize <= size {
            var frame = [UInt8](repeating: 0, count: frameSize)
            _ = try frame.withUnsafeMutableBytes { try state.file.read(into: $0, at: state.end) }
            let length = Int(clamping: word(frame, 0))
            let start = state.end + frameSize
            guard length > 0, length <= size - start else { break }
            let bytes = try read(state.file, start..<start + length)
            guard checksum(bytes, state.first + UInt64(state.places.count)) == word(frame, 8),
                let commit = EncodedCommit(bytes: bytes)
            else { break }
            state.places.append(start..<start + length)
            state.newest = commit.identity
            state.end = start + length
        }
        if state.first + UInt64(state.places.count) < state.base { return try clear(&state, id: 0) }
        if state.end < size { try state.file.truncate(to: state.end) }
    }

    private static func clear(_ state: inout State, id: UInt64) throws {
        state.image?.file.close()
        state = State(file: state.file, path: state.path, id: id)
        try state.file.truncate(to: 0)
        try writeHeader(state)
    }

    private static func writeHeader(_ state: State) throws {
        try write(words: [magic, state.id, state.base, state.first], state.file, at: 0)
    }

    private static func write(words: [UInt64], _ file: FileDevice, at offset: Int) throws {
        try words.map(\.littleEndian).withUnsafeBytes { try file.write($0, at: offset) }
    }

    private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt64 {
        bytes.withUnsafeBytes {
            UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
    }

    private static func read(_ file: FileDevice, _ place: Range<Int>) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: place.count)
        let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: place.lowerBound) }
        guard count == place.count else {
            throw CommitLogError.corrupt("the local replica ends within a commit")
        }
        return bytes
    }

    private static func checksum(_ bytes: [UInt8], _ version: UInt64) -> UInt64 {
        bytes.withUnsafeBytes { Checksum.of($0, seed: version &+ UInt64(bytes.count) << 32) }
    }

    // MARK: Contents

    /// The number of the log; 0 if the replica is new.
    var id: UInt64 { state.withLock { $0.id } }

    /// Sets the number of the log of a new replica.
    func adopt(_ id: UInt64) throws {
        try state.withLock { state in
            state.id = id
            try EtcdReplica.writeHeader(state)
        }
    }

    /// The newest version that has arrived.
    var head: UInt64 { state.withLock { $0.head } }

    /// The newest version, and the identity of its commit, which is nil if it is not known.
    var newest: (version: UInt64, identity: EncodedCommit.Identity?) {
        state.withLock { ($0.head, $0.newest) }
    }

    /// The version of the image; 0 if there is none.
    var base: UInt64 { state.withLock { $0.base } }

    /// The number of bytes of the commits and of the image.
    var sizes: (commits: Int, image: Int) { state.withLock { ($0.end, $0.image?.size ?? 0) } }

    /// Adds the commit after the newest. Returns false if there is such a commit already.
    ///
    /// - Throws: ``CommitLogError/gap(expected:found:)`` if it is not the next one.
    func add(_ entry: LogEntry) throws -> Bool {
        let bytes = entry.commit.bytes
        return try state.withLock { state in
            if entry.version <= state.head { return false }
            guard entry.version == state.head + 1 else {
                throw CommitLogError.gap(expected: state.head + 1, found: entry.version)
            }
            let checksum = EtcdReplica.checksum(bytes, state.first + UInt64(state.places.count))
            let start = state.end + EtcdReplica.frameSize
            try bytes.withUnsafeBytes { try state.file.write($0, at: start) }
            try EtcdReplica.write(words: [UInt64(bytes.count), checksum], state.file, at: state.end)
            state.places.append(start..<start + bytes.count)
            state.end = start + bytes.count
            state.newest = entry.commit.identity
            return true
        }
    }

    /// Reads the commits after a version.
    ///
    /// - Throws: ``CommitLogError/removed(checkpoint:)`` if some are only in the image; errors of `body`.
    func commits(after version: UInt64, _ body: (LogEntry) throws -> Void) throws {
        var next = version
        while true {
            let bytes: [UInt8]? = try state.withLock { state in
                state.read = max(state.read, version)
                guard next >= state.first else { throw CommitLogError.removed(checkpoint: state.base) }
                let index = Int(next - state.first)
                return index < state.places.count
                    ? try EtcdReplica.read(state.file, state.places[index]) : nil
            }
            guard let bytes else { return }
            guard let commit = EncodedCommit(bytes: bytes) else {
                throw CommitLogError.corrupt("the local replica has no commit \(next + 1)")
            }
            next += 1
            try body(LogEntry(version: next, commit))
        }
    }

    /// The image as a checkpoint; nil if there is none.
    func checkpoint() -> LogCheckpoint? {
        state.withLock { state in
            guard let image = state.image else { return nil }
            return LogCheckpoint(version: state.base, size: image.size, isLocal: true) { buffer, offset in
                let count = min(buffer.count, image.size - offset)
                if count <= 0 { return 0 }
                return try image.file.read(
                    into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), at: offset)
            }
        }
    }

    // MARK: Images

    /// The path at which the image of a version is written before it is installed.
    func pathForImage(of version: UInt64) -> String {
        EtcdReplica.imagePath(state.withLock { $0.path }, version)
    }

    /// Replaces the image by that of a later version, which lies at its path. Keeps the commits that the store has not read, if
    /// they lead on to the newest version.
    func install(_ version: UInt64) throws {
        try state.withLock { state in
            let path = EtcdReplica.imagePath(state.path, version)
            let file = try FileDevice.open(path: path, readOnly: true)
            let before = (base: state.base, image: state.image, head: state.head)
            var kept: [[UInt8]] = []
            var first = version
            if before.head >= version {
                first = max(state.first, min(version, state.read))
                kept = try state.places.dropFirst(Int(first - state.first)).map {
                    try EtcdReplica.read(state.file, $0)
                }
            }
            let image = Image(file: file, size: try file.size())
            (state.base, state.image, state.first, state.places) = (version, image, first, [])
            (state.end, state.newest) = (EtcdReplica.headerSize, nil)
            try state.file.truncate(to: 0)
            try EtcdReplica.writeHeader(state)
            for bytes in kept {
                let checksum = EtcdReplica.checksum(bytes, first + UInt64(state.places.count))
                let start = state.end + EtcdReplica.frameSize
                try bytes.withUnsafeBytes { try state.file.write($0, at: start) }
                try EtcdReplica.write(words: [UInt64(bytes.count), checksum], state.file, at: state.end)
                state.places.append(start..<start + bytes.count)
                state.end = start + bytes.count
                state.newest = EncodedCommit(bytes: bytes)?.identity
            }
            // The store may still read the pages of the image before: its file has no name from now on.
            if before.base > 0, before.base != version {
                _ = try? FileSystem.remove(EtcdReplica.imagePath(state.path, before.base))
            }
        }
    }
}
