import Foundation
import Kivo

/// The type of a property, inferred from all fields of a column unless it is given.
struct CSVColumnType {
    /// A type that was given: `Int`, or `Int?`.
    struct Given {
        var scalar: ScalarType
        var isOptional: Bool

        /// The types that a column can have. Of values of any type, CSV does not say of which type each one is.
        private static let all = ScalarType.all.filter { $0 != .any }

        /// Reads the name of a type in Swift, in capital or small letters.
        init(_ text: String) throws(UsageError) {
            isOptional = text.hasSuffix("?")
            let name = (isOptional ? String(text.dropLast()) : text).lowercased()
            guard let scalar = Given.all.first(where: { $0.name.lowercased() == name }) else {
                throw UsageError(
                    "'\(text)' is no type of a column, which is one of "
                        + Given.all.map(\.name).joined(separator: ", "))
            }
            self.scalar = scalar
        }
    }

    private struct Kinds: OptionSet {
        let rawValue: UInt16
        static let bool = Kinds(rawValue: 1)
        static let int = Kinds(rawValue: 2)
        /// An integer that a floating-point number may not be able to represent.
        static let largeInt = Kinds(rawValue: 4)
        static let double = Kinds(rawValue: 8)
        /// A floating-point number without digits, which is also a word: `nan`.
        static let special = Kinds(rawValue: 16)
        static let date = Kinds(rawValue: 32)
        static let uuid = Kinds(rawValue: 64)
        static let text = Kinds(rawValue: 128)
    }

    private var kinds: Kinds = []
    private var (hasNull, hasEmptyText) = (false, false)
    private let given: Given?

    init(_ given: Given? = nil) { self.given = given }

    /// The given type, or that of which all values are.
    ///
    /// Texts that would not stay what they are as numbers make a column of strings: `007`, `+49`, and integers beyond 64 bits.
    var scalar: ScalarType {
        if let given { return given.scalar }
        return switch kinds {
        case .bool: .bool
        case .date: .date
        case .uuid: .uuid
        case .int, .largeInt, [.int, .largeInt]: .int
        case let kinds where kinds.isSubset(of: [.int, .double, .special]) && kinds != .special:
            kinds.isEmpty ? .string : .double
        default: .string
        }
    }

    /// Whether a value can be missing. Only strings and data can be empty without being null.
    var isOptional: Bool {
        given?.isOptional == true || hasNull || hasEmptyText && scalar != .string && scalar != .data
    }

    /// Adds a field of the column.
    mutating func add(_ field: CSVReader.Field) {
        guard let text = field.text, !text.isEmpty else {
            if field.isQuoted { hasEmptyText = true } else { hasNull = true }
            return
        }
        // A column with a text is of strings, whatever else it has.
        if !kinds.contains(.text) { kinds.formUnion(CSVColumnType.kinds(of: text)) }
    }

    private static func kinds(of text: String) -> Kinds {
        let utf8 = text.utf8
        switch utf8.first! {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            if let number = number(text) { return number }
            if utf8.count >= 10, utf8.dropFirst(4).first == UInt8(ascii: "-"), Date(iso8601: text) != nil {
                return .date
            }
            if text == "-inf" { return .special }
        case UInt8(ascii: "t"), UInt8(ascii: "T"), UInt8(ascii: "f"), UInt8(ascii: "F"):
            if ["true", "false"].contains(text.lowercased()) { return .bool }
        case UInt8(ascii: "i"), UInt8(ascii: "n"):
            if text == "inf" || text == "nan" { return .special }
        default: break
        }
        return utf8.count == 36 && UUID(uuidString: text) != nil ? .uuid : .text
    }

    /// Returns the kind of a number in the notation of JSON, which means that it has no zeros or signs before it.
    private static func number(_ text: String) -> Kinds? {
        var rest = text.utf8[...]
        func takeDigits() -> Int {
            let count = rest.count - rest.drop { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }.count
            rest = rest.dropFirst(count)
            return count
        }
        func accept(_ signs: String) -> Bool {
            guard let first = rest.first, signs.utf8.contains(first) else { return false }
            rest = rest.dropFirst()
            return true
        }
        let isNegative = accept("-")
        let beginsWithZero = rest.first == UInt8(ascii: "0")
        let digits = takeDigits()
        guard digits > 0, digits == 1 || !beginsWithZero else { return nil }
        if rest.isEmpty {
            // An integer cannot be negative zero.
            if isNegative, beginsWithZero { return .double }
            guard let value = Int(text) else { return nil }
            return value.magnitude > 1 << 53 ? .largeInt : .int
        }
        if accept("."), takeDigits() == 0 { return nil }
        if accept("eE") {
            _ = accept("+-")
            if takeDigits() == 0 { return nil }
        }
        guard rest.isEmpty, Double(text)?.isFinite == true else { return nil }
        return .double
    }
}
