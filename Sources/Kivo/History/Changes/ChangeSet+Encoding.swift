import Foundation
import KivoEngine
import KivoJournal

// An encoded change set:
//
//     "KVC" 1              four bytes; the last one is the version of this layout
//     lineage              8 bytes: the number of the data
//     classes              their number; for each its name, the number of changes, and the changes
//     change               1 byte: the kind, plus 4 if there is a primary key; the primary key; the key; the number of properties, and
//                          these
//     property             its name; 1 byte: the form of the difference, plus 16 for a collection; the difference
//     name                 the number of an earlier occurrence plus one, or 0 and the string
//     value                1 byte: the case; the contents
//     checksum             8 bytes
//
// Numbers take seven bits a byte. Only the order of elements of sets is arbitrary; they are ordered by their encoded bytes, so that
// equal change sets have equal bytes.

extension ChangeSet {
    /// Returns the change set as bytes that mean the same in other programs and on other machines: classes and properties have their
    /// stored names, and objects their primary keys. Objects of classes without a primary key can only be found in a realm that this
    /// one was copied from, or that was copied from it.
    ///
    /// Equal change sets have equal bytes. Values that are nested more than 128 deep cannot be decoded.
    ///
    /// - Complexity: O(n) in the changes.
    public func encoded() -> Data {
        var writer = ChangeWriter()
        writer.write(self)
        return Data(writer.finish())
    }

    /// Creates a change set from bytes that ``encoded()`` returned. Nothing in them is trusted.
    ///
    /// - Throws: ``EncodingError`` if the bytes are not a change set, are damaged, or were written by a later version of Kivo.
    /// - Complexity: O(n) in the changes.
    public init(decoding data: Data) throws {
        let bytes = [UInt8](data)
        self = try bytes.withUnsafeBytes { try ChangeReader.read($0) }
    }

    /// The error of bytes that are not a change set.
    public struct EncodingError: Error, Sendable, Equatable, LocalizedError, CustomStringConvertible {
        /// A sentence that describes the error.
        public let message: String
        /// The sentence that describes the error.
        public var description: String { message }
        /// The sentence that describes the error.
        public var errorDescription: String? { message }
    }
}

extension ChangeSet: Codable {
    /// Encodes the bytes of ``encoded()`` as a single value.
    ///
    /// - Throws: The errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(encoded())
    }

    /// Decodes a single value, which has the bytes of ``encoded()``.
    ///
    /// - Throws: The errors of the decoder; ``EncodingError`` if the bytes are not a change set.
    public init(from decoder: any Decoder) throws {
        try self.init(decoding: decoder.singleValueContainer().decode(Data.self))
    }
}

/// The layout of an encoded change set.
enum ChangeEncoding {
    static let magic: [UInt8] = [0x4B, 0x56, 0x43]
    static let version: UInt8 = 1
    static let checksumSize = 8
    /// Values are nested no deeper than this when they are decoded: each level takes a part of the stack.
    static let largestDepth = 128

    static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt64 { Checksum.of(bytes, seed: 0) }

    /// The forms of the differences of properties.
    enum Form: UInt8 {
        case inserted, deleted, replaced, list, set, dictionary
    }

    static let collectionMark: UInt8 = 16
    static let primaryKeyMark: UInt8 = 4
}
