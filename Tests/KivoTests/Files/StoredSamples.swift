import Foundation
import Kivo

/// A type of property or element of which there is a value for each number.
protocol StoredSample {
    static func sample(_ number: Int) -> Self
}

enum StoredSamples {
    static func fill<Element: StoredSample>(_ list: List<Element>, _ number: Int, _ count: Int) {
        for index in 0..<count { list.append(.sample(number + index)) }
    }

    static func fill<Element: StoredSample>(_ set: MutableSet<Element>, _ number: Int, _ count: Int) {
        for index in 0..<count { set.insert(.sample(number + index)) }
    }

    static func fill<Element: StoredSample>(_ map: Map<String, Element>, _ number: Int, _ count: Int) {
        for index in 0..<count { map[.sample(number + index + 1)] = .sample(number + index) }
    }

    /// The bytes of a number's sample: of lengths on both sides of what is stored in place.
    static func bytes(_ number: Int) -> [UInt8] {
        (0..<number % 23).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0 &* 7) }
    }

    /// The hexadecimal digits of a number, as many as are asked for.
    static func digits(_ number: Int, _ count: Int) -> String {
        let digits = String(UInt64(truncatingIfNeeded: number &* 0x2545_F491_4F6C_DD1D), radix: 16)
        return String(String(repeating: digits, count: count / digits.count + 1).prefix(count))
    }
}

extension StoredSample where Self: FixedWidthInteger {
    /// Numbers of all widths, negative ones among them, and the limits.
    static func sample(_ number: Int) -> Self {
        switch number % 9 {
        case 0: 0
        case 1: min
        case 2: max
        default: Self(truncatingIfNeeded: (number &* 0x9E37_79B9) >> (number % 7 * 5)) &- Self(number % 3)
        }
    }
}

extension Int: StoredSample {}
extension Int8: StoredSample {}
extension Int16: StoredSample {}
extension Int32: StoredSample {}
extension Int64: StoredSample {}

extension StoredSample where Self: BinaryFloatingPoint {
    static func sample(_ number: Int) -> Self {
        switch number % 8 {
        case 0: 0
        case 1: -.infinity
        case 2: .greatestFiniteMagnitude
        case 3: .leastNonzeroMagnitude
        default: Self(number) / 8 - 3
        }
    }
}

extension Float: StoredSample {}
extension Double: StoredSample {}

extension Bool: StoredSample {
    static func sample(_ number: Int) -> Bool { number % 2 == 1 }
}

extension String: StoredSample {
    /// Strings of up to 40 bytes, with characters of one to four of them.
    static func sample(_ number: Int) -> String {
        let characters = ["a", "Z", "7", " ", "é", "ß", "日", "🐕"]
        return number % 10 == 0
            ? "" : "\(number)" + (0..<number % 12).map { characters[(number + $0) % 8] }.joined()
    }
}

extension Data: StoredSample {
    static func sample(_ number: Int) -> Data { Data(StoredSamples.bytes(number)) }
}

extension Date: StoredSample {
    static func sample(_ number: Int) -> Date {
        Date(timeIntervalSinceReferenceDate: Double(number % 50 - 20) * 86_400.25)
    }
}

extension ObjectId: StoredSample {
    static func sample(_ number: Int) -> ObjectId {
        try! ObjectId(string: StoredSamples.digits(number + 1, 24))
    }
}

extension UUID: StoredSample {
    static func sample(_ number: Int) -> UUID {
        let digits = Array(StoredSamples.digits(number + 3, 32))
        let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
        return UUID(uuidString: parts.joined(separator: "-"))!
    }
}

extension Decimal128: StoredSample {
    static func sample(_ number: Int) -> Decimal128 {
        let texts = ["0", "-1.5", "12345678901234567890.123456789", "1E-40", "-9E90", "Inf", "\(number)"]
        return try! Decimal128(string: texts[number % texts.count])
    }
}

extension StoredGrade: StoredSample {
    static func sample(_ number: Int) -> StoredGrade { allCases[number % allCases.count] }
}

extension StoredMood: StoredSample {
    static func sample(_ number: Int) -> StoredMood { allCases[number % allCases.count] }
}

extension AnyRealmValue: StoredSample {
    /// Returns values of each type other than object, list and dictionary.
    static func sample(_ number: Int) -> AnyRealmValue {
        switch number % 12 {
        case 0: .none
        case 1: .bool(.sample(number))
        case 2: .int(.sample(number))
        case 3: .float(.sample(number))
        case 4: .double(.sample(number))
        case 5: .string(.sample(number))
        case 6: .data(.sample(number))
        case 7: .date(.sample(number))
        case 8: .objectId(.sample(number))
        case 9: .decimal128(.sample(number))
        case 10: .uuid(.sample(number))
        default: .string("a string of more than fifteen bytes, \(number)")
        }
    }
}

extension Optional: StoredSample where Wrapped: StoredSample {
    static func sample(_ number: Int) -> Wrapped? { number % 4 == 3 ? nil : Wrapped.sample(number) }
}
