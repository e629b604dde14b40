extension RealmFile {
    /// An object id: 12 bytes.
    public struct ObjectID: Hashable, Sendable, CustomStringConvertible {
        private let first: UInt32
        private let rest: UInt64

        init(_ start: UnsafeRawPointer) {
            first = UInt32(bigEndian: start.loadUnaligned(as: UInt32.self))
            rest = UInt64(bigEndian: start.loadUnaligned(fromByteOffset: 4, as: UInt64.self))
        }

        /// The 12 bytes.
        public var bytes: [UInt8] { RealmFile.bytes(UInt64(first), 4) + RealmFile.bytes(rest, 8) }

        /// The bytes as 24 lower-case hexadecimal digits.
        public var description: String { RealmFile.hexadecimal(bytes) }
    }

    /// An id of 16 bytes.
    public struct UniqueID: Hashable, Sendable, CustomStringConvertible {
        private let first: UInt64
        private let rest: UInt64

        init(_ start: UnsafeRawPointer) {
            first = UInt64(bigEndian: start.loadUnaligned(as: UInt64.self))
            rest = UInt64(bigEndian: start.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }

        /// The 16 bytes.
        public var bytes: [UInt8] { RealmFile.bytes(first, 8) + RealmFile.bytes(rest, 8) }

        /// The id in lower case, with its four hyphens.
        public var description: String {
            let digits = RealmFile.hexadecimal(bytes)
            var groups: [Substring] = []
            var rest = digits[...]
            for length in [8, 4, 4, 4, 12] {
                groups.append(rest.prefix(length))
                rest = rest.dropFirst(length)
            }
            return groups.joined(separator: "-")
        }
    }

    private static func bytes(_ word: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * (count - 1 - $0))) }
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        String(
            decoding: bytes.flatMap { [hexadecimalDigits[Int($0 >> 4)], hexadecimalDigits[Int($0 & 15)]] },
            as: UTF8.self)
    }

    static let hexadecimalDigits = Array("0123456789abcdef".utf8)
}
