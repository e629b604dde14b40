import Foundation
import KivoLog

/// The keys of one realm in etcd, and the values of those that are no commits.
package struct EtcdKeys: Sendable {
    /// The beginning of all keys.
    package let prefix: String

    /// Creates the keys of the realm of a prefix, which has no slash at its end.
    package init(_ prefix: String) { self.prefix = prefix + "/" }

    /// The number of the log.
    package var log: String { prefix + "log" }
    /// The version and the identity of the newest commit: see ``HeadNote``.
    package var head: String { prefix + "head" }
    /// The beginning of all commits.
    package var commits: String { prefix + "commits/" }
    /// The newest checkpoint: see ``CheckpointNote``.
    package var checkpoint: String { prefix + "checkpoint" }
    /// The store that makes a checkpoint.
    var maker: String { prefix + "maker" }
    /// The token of the store that has the right to write.
    package var writer: String { prefix + "writer" }
    /// The stores that wait for the right to write.
    var wanted: String { prefix + "wanted/" }
    /// The beginning of all parts of large commits.
    var parts: String { prefix + "parts/" }
    /// The beginning of all images of checkpoints.
    var images: String { prefix + "image/" }

    /// The key of the commit of a version.
    package func commit(_ version: UInt64) -> String { commits + EtcdKeys.padded(version) }

    /// The range of all commits.
    package var commitRange: (start: String, end: String) { (commits, prefix + "commits0") }

    /// The ranges of keys that followers watch: commits and checkpoints, the number of the log, and who writes or wants to.
    ///
    /// Images and the parts of large commits are between them. Only the followers that need these read them.
    package var watched: [(start: String, end: String)] {
        [
            (checkpoint, commitRange.end), (log, log + "\0"), (wanted, writer + "\0"),
        ]
    }

    /// The request for the key of the newest commit.
    var newestCommit: String {
        EtcdJSON.range(commits, toEndOf: commits, limit: 1, isDescending: true, keysOnly: true)
    }

    func parts(of identity: EncodedCommit.Identity) -> String {
        parts + EtcdKeys.hex(identity.store) + "-" + EtcdKeys.hex(identity.number) + "/"
    }

    /// The beginning of the parts of an image.
    package func image(_ id: UInt64) -> String { images + EtcdKeys.hex(id) + "/" }

    /// The version of the key of a commit.
    func version(_ key: String) -> UInt64? {
        key.hasPrefix(commits) ? UInt64(key.dropFirst(commits.count)) : nil
    }

    /// A number with leading zeros, so that the order of keys is that of numbers.
    package static func padded(_ number: UInt64) -> String {
        let digits = String(number)
        return String(repeating: "0", count: 20 - digits.count) + digits
    }

    static func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// The value under the key of a commit: the commit, or the number of its parts.
enum CommitValue {
    case whole(EncodedCommit)
    case parts(of: EncodedCommit.Identity, count: Int)

    /// The identity of the commit.
    var identity: EncodedCommit.Identity {
        switch self {
        case .whole(let commit): commit.identity
        case .parts(let identity, _): identity
        }
    }

    /// The first byte of a value that refers to parts; the first of a commit is the version of its layout.
    private static let marker: UInt8 = 0x80

    init(_ bytes: [UInt8], _ key: String) throws(CommitLogError) {
        if let commit = EncodedCommit(bytes: bytes) {
            self = .whole(commit)
            return
        }
        let words = String(decoding: bytes.dropFirst(), as: UTF8.self).split(separator: " ")
        guard bytes.first == CommitValue.marker, words.count == 3, let store = UInt64(words[0]),
            let number = UInt64(words[1]), let count = Int(words[2]), 1...EtcdLog.partLimit ~= count
        else { throw .corrupt("the value of '\(key)' is no commit") }
        self = .parts(of: .init(store: store, number: number), count: count)
    }

    /// The bytes that are stored for a commit in parts.
    static func bytes(of identity: EncodedCommit.Identity, count: Int) -> [UInt8] {
        [marker] + Array("\(identity.store) \(identity.number) \(count)".utf8)
    }
}

/// The value of the key of the newest version. An append compares it with the commit that it follows: in a cluster that was restored
/// from an older backup, another commit may have the same version.
package enum HeadNote {
    /// The note of a commit.
    package static func text(_ version: UInt64, _ identity: EncodedCommit.Identity) -> String {
        "\(version) \(identity.store) \(identity.number)"
    }

    /// Whether a note is of a version, but of another commit.
    static func contradicts(_ note: String, _ text: String) -> Bool {
        note != text && note.split(separator: " ").first == text.split(separator: " ").first
    }
}

/// The value of the key of the newest checkpoint: its version, and where its image lies.
package struct CheckpointNote: Equatable, Sendable {
    package var version: UInt64
    /// The number of the image in its keys.
    package var image: UInt64
    package var partCount: Int
    package var size: Int

    init(version: UInt64, image: UInt64, partCount: Int, size: Int) {
        (self.version, self.image, self.partCount, self.size) = (version, image, partCount, size)
    }

    /// Creates a note from its text; nil if that is none.
    package init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 4, let version = UInt64(words[0]), let image = UInt64(words[1]),
            let partCount = Int(words[2]), let size = Int(words[3]), partCount >= 0, size >= 0, size < 1 << 48
        else { return nil }
        self.init(version: version, image: image, partCount: partCount, size: size)
    }

    var text: String { "\(version) \(image) \(partCount) \(size)" }

    /// The size of an image that is replaced whenever the options say so.
    private static let smallSize = 1 << 20
    /// The number of bytes that etcd needs for a commit besides those of the commit itself.
    private static let commitOverhead = 1 << 10

    /// Whether a checkpoint of a version is due.
    ///
    /// A checkpoint contains all data. A large one is made again when the commits behind it weigh a quarter of it, so that all
    /// checkpoints together cost a multiple of what changed, however much data there are.
    static func isDue(
        _ version: UInt64, after last: CheckpointNote?, bytes: Int, _ options: EtcdOptions
    ) -> Bool {
        let first = last?.version ?? 0
        guard version > first else { return false }
        let count = Int(clamping: version - first)
        guard count >= options.checkpointInterval || bytes >= options.checkpointBytes else { return false }
        let size = last?.size ?? 0
        return size <= smallSize || 4 * (bytes + count * commitOverhead) >= size
    }
}
