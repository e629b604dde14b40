import Foundation
import KivoEngine
import KivoJournal
import KivoLog

// A capsule is a file of frames, which is only appended to:
//
//     "KivoCaps"           eight bytes
//     frame                1 byte: its kind; 4 bytes: the number n of bytes of its contents; the contents; 8 bytes: a checksum
//
// The kinds and their contents, in the order in which they come:
//
//     header     1         the version of this layout, the number of the log, the schema version, the version of the base
//     base       2         a part of the base, which is a checkpoint; the parts follow each other
//     begun      3         nothing: the base is complete
//     place      4         the number of a realm instance, and where it belongs
//     commit     5         the version that it leads to, and the encoded commit
//     turn       6         the number of an instance, and the version with which it told its observers of all changes so far
//     own        7         the number of an instance, and the version that a commit of its own led to
//
// What follows the first frame that is not whole was cut off by the end of the program, and is ignored.

/// The contents of a capsule: a base, the commits after it, and what the instances that observe the realm did meanwhile.
package struct CapsuleContents: Sendable {
    /// An instance that had told its observers of all changes up to a version, or that had committed a version.
    package struct Mark: Sendable, Equatable {
        /// The number of the instance.
        package var place: Int
        package var version: UInt64
        /// Whether the instance committed the version.
        package var isOwnCommit: Bool

        package init(place: Int, version: UInt64, isOwnCommit: Bool = false) {
            (self.place, self.version, self.isOwnCommit) = (place, version, isOwnCommit)
        }
    }

    /// The number of the log; 0 if it has none.
    package var log: UInt64
    package var schemaVersion: UInt64
    /// The version of the base.
    package var baseVersion: UInt64
    /// The checkpoint of the base; empty if nothing was ever written before.
    package var base: [UInt8] = []
    /// The commits after the base, each of which leads to the next version.
    package var commits: [EncodedCommit] = []
    /// The homes of the instances, by their numbers.
    package var places: [Int: String] = [:]
    /// The turns and commits of instances, in the order in which they were recorded.
    package var marks: [Mark] = []

    package init(log: UInt64 = 0, schemaVersion: UInt64 = 0, baseVersion: UInt64 = 0) {
        (self.log, self.schemaVersion, self.baseVersion) = (log, schemaVersion, baseVersion)
    }

    /// The version that the last commit leads to.
    package var end: UInt64 { baseVersion + UInt64(commits.count) }

    // MARK: Writing

    /// The extension of the names of capsules.
    package static let fileExtension = "kivocapsule"
    /// The bytes with which every capsule begins.
    static let beginning = Array("KivoCaps".utf8)
    private static let layout = 1
    /// The number of bytes of the base in one frame.
    private static let largestPart = 1 << 20
    /// The number of bytes of a commit that a frame takes.
    static let largestCommit = 1 << 30

    enum Kind: UInt8 {
        case header = 1
        case base, begun, place, commit, turn, own
    }

    /// Returns a frame as bytes.
    static func frame(_ kind: Kind, _ write: (inout ByteWriter) -> Void = { _ in }) -> [UInt8] {
        var contents = ByteWriter()
        write(&contents)
        let count = UInt32(contents.bytes.count)
        var bytes = [kind.rawValue]
        bytes.reserveCapacity(13 + contents.bytes.count)
        withUnsafeBytes(of: count.littleEndian) { bytes.append(contentsOf: $0) }
        bytes += contents.bytes
        let checksum = checksum(kind.rawValue, contents.bytes[...])
        withUnsafeBytes(of: checksum.littleEndian) { bytes.append(contentsOf: $0) }
        return bytes
    }

    private static func checksum(_ kind: UInt8, _ contents: ArraySlice<UInt8>) -> UInt64 {
        contents.withUnsafeBytes { Checksum.of($0, seed: UInt64(kind) << 32 | UInt64(contents.count)) }
    }

    /// The frame with which a capsule of these contents begins.
    var header: [UInt8] {
        CapsuleContents.frame(.header) { writer in
            writer.write(CapsuleContents.layout)
            writer.write(word: log)
            writer.write(word: schemaVersion)
            writer.write(word: baseVersion)
        }
    }

    static func frame(_ version: UInt64, _ commit: EncodedCommit) -> [UInt8] {
        frame(.commit) { writer in
            writer.write(word: version)
            writer.write(commit.bytes)
        }
    }

    static func frame(_ mark: Mark) -> [UInt8] {
        frame(mark.isOwnCommit ? .own : .turn) { writer in
            writer.write(mark.place)
            writer.write(word: mark.version)
        }
    }

    static func frame(place: Int, _ home: String) -> [UInt8] {
        frame(.place) { writer in
            writer.write(place)
            writer.write(home)
        }
    }

    /// Returns the frames of the parts of a base.
    static func frame(base part: UnsafeRawBufferPointer) -> [UInt8] {
        frame(.base) { $0.write(Array(part)) }
    }

    /// The bytes of the capsule.
    package var bytes: [UInt8] {
        var bytes = CapsuleContents.beginning + header
        for start in stride(from: 0, to: base.count, by: CapsuleContents.largestPart) {
            let part = base[start..<min(start + CapsuleContents.largestPart, base.count)]
            part.withUnsafeBytes { bytes += CapsuleContents.frame(base: $0) }
        }
        bytes += CapsuleContents.frame(.begun)
        for (number, home) in places.sorted(by: { $0.key < $1.key }) {
            bytes += CapsuleContents.frame(place: number, home)
        }
        for (index, commit) in commits.enumerated() {
            bytes += CapsuleContents.frame(baseVersion + UInt64(index) + 1, commit)
        }
        for mark in marks { bytes += CapsuleContents.frame(mark) }
        return bytes
    }

    // MARK: Reading

    /// The error of bytes that are not a capsule.
    package struct Damage: Error, CustomStringConvertible, LocalizedError {
        package let description: String
        package var errorDescription: String? { description }
    }

    /// Reads a capsule. Nothing in it is trusted.
    ///
    /// - Throws: ``Damage`` if it is not one, or has no base.
    package init(reading bytes: [UInt8]) throws {
        guard bytes.starts(with: CapsuleContents.beginning) else {
            throw Damage(description: "This is not a capsule.")
        }
        self.init()
        var rest = bytes[CapsuleContents.beginning.count...]
        var hasHeader = false
        var hasBegun = false
        while let (kind, contents) = CapsuleContents.nextFrame(&rest) {
            try Array(contents).withUnsafeBytes { contents in
                var reader = ByteReader(contents, of: "a capsule")
                let isInPlace =
                    switch kind {
                    case .header: !hasHeader
                    case .base, .begun: hasHeader && !hasBegun
                    default: hasBegun
                    }
                guard isInPlace else {
                    throw Damage(description: "The parts of the capsule are in disorder.")
                }
                switch kind {
                case .header:
                    let layout = try reader.readNumber()
                    guard layout == CapsuleContents.layout else {
                        throw Damage(description: "The capsule was written by a later version of Kivo.")
                    }
                    log = try reader.readWord()
                    schemaVersion = try reader.readWord()
                    baseVersion = try reader.readWord()
                    // A number with room for more commits than there can be.
                    guard baseVersion < 1 << 62 else {
                        throw Damage(description: "The version of the capsule makes no sense.")
                    }
                    hasHeader = true
                case .base: base += try reader.readBytes()
                case .begun: hasBegun = true
                case .place: places[try reader.readNumber()] = try reader.readString()
                case .commit:
                    let version = try reader.readWord()
                    guard version == end + 1, let commit = EncodedCommit(bytes: try reader.readBytes()) else {
                        throw Damage(description: "A commit of the capsule makes no sense.")
                    }
                    commits.append(commit)
                case .turn, .own:
                    let place = try reader.readNumber()
                    let mark = Mark(
                        place: place, version: try reader.readWord(), isOwnCommit: kind == .own)
                    marks.append(mark)
                }
            }
        }
        guard hasBegun else {
            throw Damage(description: "The program ended before the base of the capsule was written.")
        }
    }

    /// Returns the next frame, and removes it; nil if the rest is none.
    private static func nextFrame(_ rest: inout ArraySlice<UInt8>) -> (Kind, ArraySlice<UInt8>)? {
        guard let first = rest.first, let kind = Kind(rawValue: first), rest.count >= 13 else { return nil }
        let start = rest.startIndex + 5
        let size = rest[(rest.startIndex + 1)..<start].reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
        guard let count = Int(exactly: size), count <= rest.count - 13 else { return nil }
        let contents = rest[start..<start + count]
        let stored = rest[(start + count)..<(start + count + 8)].reversed()
            .reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        guard stored == checksum(first, contents) else { return nil }
        rest = rest[(start + count + 8)...]
        return (kind, contents)
    }
}
