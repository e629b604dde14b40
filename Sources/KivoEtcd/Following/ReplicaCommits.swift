import KivoEngine
import KivoJournal
import KivoLog

/// The commits of a replica's file, one after the other, each behind a frame of 16 bytes with its size and its checksum.
///
/// The place of every 32nd commit is kept in memory. The others are found by going from frame to frame.
struct ReplicaCommits: Sendable {
    /// The version before the first commit.
    var first: UInt64
    /// The number of commits.
    private(set) var count = 0
    /// The offset behind the last commit.
    private(set) var end = ReplicaHeader.size
    private var marks: [Int] = []

    private static let step = 32
    private static let frameSize = 16

    /// Creates the commits of a file without any.
    init(first: UInt64) { self.first = first }

    /// The version of the newest commit, or of that before the first one.
    var head: UInt64 { first + UInt64(count) }

    private mutating func note(_ size: Int) {
        if count % ReplicaCommits.step == 0 { marks.append(end) }
        count += 1
        end += ReplicaCommits.frameSize + size
    }

    /// Reads what is intact of a file. Returns the last commit.
    mutating func load(_ file: FileDevice) throws(JournalError) -> EncodedCommit? {
        let size = try file.size()
        var last: EncodedCommit?
        while end < size {
            guard let commit = try commit(at: end, of: file, version: head + 1, upTo: size) else { break }
            note(commit.bytes.count)
            last = commit
        }
        if end < size { try file.truncate(to: end) }
        return last
    }

    /// Writes a commit behind the others.
    mutating func append(_ bytes: [UInt8], to file: FileDevice) throws(JournalError) {
        let frame = [UInt64(bytes.count), ReplicaCommits.checksum(bytes, head + 1)].map(\.littleEndian)
        // The frame last: without it the commit is not there.
        try ReplicaCommits.write(bytes, file, at: end + ReplicaCommits.frameSize)
        try ReplicaCommits.write(frame, file, at: end)
        note(bytes.count)
    }

    private static func write<Element>(
        _ elements: [Element], _ file: FileDevice, at offset: Int
    ) throws(JournalError) {
        let result = elements.withUnsafeBytes { bytes in
            Result { () throws(JournalError) in try file.write(bytes, at: offset) }
        }
        try result.get()
    }

    /// Returns the offset of the commit after a version. O(1), apart from the frames that are read.
    func offset(after version: UInt64, in file: FileDevice) throws(JournalError) -> Int {
        let index = Int(version - first)
        if index == count { return end }
        var offset = marks[index / ReplicaCommits.step]
        for _ in 0..<index % ReplicaCommits.step { offset += try frame(at: offset, of: file).size }
        return offset
    }

    /// Returns the commit of a version, and the offset of the next one; nil if its bytes are damaged.
    func next(
        at offset: Int, version: UInt64, in file: FileDevice
    ) throws(JournalError) -> (commit: EncodedCommit, end: Int)? {
        guard let commit = try commit(at: offset, of: file, version: version, upTo: end) else { return nil }
        return (commit, offset + ReplicaCommits.frameSize + commit.bytes.count)
    }

    private func frame(at offset: Int, of file: FileDevice) throws(JournalError) -> (
        size: Int, checksum: UInt64
    ) {
        let bytes = try ReplicaCommits.read(ReplicaCommits.frameSize, of: file, at: offset)
        guard bytes.count == ReplicaCommits.frameSize else { return (0, 0) }
        let words = bytes.withUnsafeBytes { buffer in
            (0..<2).map {
                UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: 8 * $0, as: UInt64.self))
            }
        }
        return (ReplicaCommits.frameSize + Int(clamping: words[0] & UInt64(Int.max >> 1)), words[1])
    }

    private func commit(
        at offset: Int, of file: FileDevice, version: UInt64, upTo limit: Int
    ) throws(JournalError) -> EncodedCommit? {
        let (size, checksum) = try frame(at: offset, of: file)
        let length = size - ReplicaCommits.frameSize
        guard length > 0, size <= limit - offset else { return nil }
        let bytes = try ReplicaCommits.read(length, of: file, at: offset + ReplicaCommits.frameSize)
        guard bytes.count == length, ReplicaCommits.checksum(bytes, version) == checksum else { return nil }
        return EncodedCommit(bytes: bytes)
    }

    private static func read(_ count: Int, of file: FileDevice, at offset: Int) throws(JournalError)
        -> [UInt8]
    {
        var bytes = [UInt8](repeating: 0, count: count)
        let result = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(JournalError) in try file.read(into: buffer, at: offset) }
        }
        bytes.removeLast(count - (try result.get()))
        return bytes
    }

    private static func checksum(_ bytes: [UInt8], _ version: UInt64) -> UInt64 {
        bytes.withUnsafeBytes { Checksum.of($0, seed: version &+ UInt64(bytes.count) << 32) }
    }
}
