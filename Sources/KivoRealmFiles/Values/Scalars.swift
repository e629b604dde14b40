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

extension RealmFile {
    /// A decimal number of 34 digits, with the bits of IEEE 754-2008 in the binary integer encoding.
    ///
    /// Numbers with the same value but different exponents, for example 0 and 0.00, have different bits and are not equal here.
    public struct Decimal128: Hashable, Sendable {
        static let exponentBias = 6176

        /// The upper 64 bits: sign, exponent, and the top of the coefficient.
        public let high: UInt64
        /// The lower 64 bits of the coefficient.
        public let low: UInt64

        /// Creates a number from its bits.
        public init(high: UInt64, low: UInt64) {
            self.high = high
            self.low = low
        }

        /// A Boolean value that indicates whether this is not a number.
        public var isNaN: Bool { high >> 58 & 0x1F == 0x1F }
        /// A Boolean value that indicates whether this is plus or minus infinity.
        public var isInfinite: Bool { high >> 58 & 0x1F == 0x1E }
        /// A Boolean value that indicates whether the sign is minus. Zero can have it, too.
        public var isNegative: Bool { high >> 63 == 1 }
        /// The power of ten by which the coefficient is multiplied. It is undefined for infinity and NaN.
        public var exponent: Int { Int(high >> 49 & 0x3FFF) - Decimal128.exponentBias }
        /// The digits as an integer. They are undefined for infinity and NaN.
        public var coefficient: (high: UInt64, low: UInt64) { (high & 0x1_FFFF_FFFF_FFFF, low) }
    }
}

extension RealmFile.Decimal128: CustomStringConvertible {
    /// The number in decimal notation. It has an exponent if it is very small or would otherwise have zeros that are not digits
    /// of the coefficient.
    public var description: String {
        if isNaN { return "NaN" }
        let sign = isNegative ? "-" : ""
        if isInfinite { return sign + "Inf" }
        let digits = RealmFile.Decimal128.digits(coefficient)
        // The exponent in scientific notation, with the point after the first digit.
        let scientific = exponent + digits.count - 1
        if exponent == 0 { return sign + digits }
        if exponent < 0, scientific >= 0 {
            let point = digits.index(digits.endIndex, offsetBy: exponent)
            return sign + digits[..<point] + "." + digits[point...]
        }
        let rest = digits.dropFirst()
        let power = scientific == 0 ? "" : "E\(scientific)"
        return sign + digits.prefix(1) + (rest.isEmpty ? "" : ".") + rest + power
    }

    private static func digits(_ coefficient: (high: UInt64, low: UInt64)) -> String {
        // 10^19 is the greatest power of ten in 64 bits, and the coefficient has 113 bits: it takes two parts.
        let unit: UInt64 = 10_000_000_000_000_000_000
        let (quotient, remainder) = unit.dividingFullWidth((coefficient.high, coefficient.low))
        if quotient == 0 { return String(remainder) }
        let low = String(remainder)
        return String(quotient) + String(repeating: "0", count: 19 - low.utf8.count) + low
    }
}

extension RealmFile {
    /// A point in time: whole seconds since 1970 in UTC, and nanoseconds.
    ///
    /// Both have the same sign. The time can be further away than `Date` can represent exactly.
    public struct Timestamp: Hashable, Sendable {
        /// The seconds since 1970.
        public let seconds: Int64
        /// The nanoseconds, from −999 999 999 to 999 999 999.
        public let nanoseconds: Int32

        init(seconds: Int64, nanoseconds: Int64, ref: Int) throws(RealmFileError) {
            guard (-999_999_999...999_999_999).contains(nanoseconds) else {
                throw .damaged(offset: ref, reason: "\(nanoseconds) nanoseconds are more than a second")
            }
            self.seconds = seconds
            self.nanoseconds = Int32(nanoseconds)
        }
    }
}
