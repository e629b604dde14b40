import Foundation
import Kivo

extension JSONText {
    /// Writes a value in JSON without loss:
    ///
    /// - Integers: numbers, or strings beyond ±2^53.
    /// - Floating-point numbers: numbers, or `{"repr","bits"}` if JSON cannot represent them.
    /// - Data: `{"hex"}`.
    /// - Dates: `{"seconds","nanoseconds"}` since 1970, with `bits` if that is not exact.
    /// - Decimals: `{"repr","hi","lo"}`.
    /// - Links: `{"key"}`.
    /// - Lists and sets: arrays.
    /// - Maps: arrays of `[key, value]`.
    /// - Values of any type: `{"type","value"}`.
    /// - Values of unknown types: `{"unknownType"}`, without the value.
    mutating func value(_ value: StoredValue) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .int(let value): number(value)
        case .float(let value):
            if value.isFinite { number(finite: value) } else { special("\(value)", Double(value)) }
        case .double(let value):
            if value.isFinite { number(finite: value) } else { special("\(value)", value) }
        case .string(let value): string(value)
        case .data(let value):
            object { json in
                json.name("hex")
                json.hexadecimal(value)
            }
        case .date(let value): date(value)
        case .decimal(let value):
            object { json in
                json.member("repr", value.stringValue)
                json.name("hi")
                json.bits(value._words.0)
                json.name("lo")
                json.bits(value._words.1)
            }
        case .objectId(let value): string(value.stringValue)
        case .uuid(let value): string(value.uuidString.lowercased())
        case .link(_, let key): object { $0.member("key", Int(key)) }
        case .list(let values): array { json in for value in values { json.value(value) } }
        case .map(let entries):
            array { json in
                for entry in entries {
                    json.array {
                        $0.string(entry.key)
                        $0.value(entry.value)
                    }
                }
            }
        case .any(let value): any(value)
        case .unknown(let code): object { $0.member("unknownType", Int(code)) }
        }
    }

    private mutating func special(_ text: String, _ value: Double) {
        object { json in
            json.member("repr", text)
            json.name("bits")
            json.bits(value.bitPattern)
        }
    }

    private mutating func date(_ date: Date) {
        let parts = DateParts(date)
        object { json in
            if let parts {
                json.member("seconds", parts.seconds)
                json.member("nanoseconds", parts.nanoseconds)
            }
            if parts?.date != date {
                json.name("bits")
                json.bits(date.timeIntervalSinceReferenceDate.bitPattern)
            }
        }
    }

    private mutating func any(_ value: StoredValue) {
        if value == .null { return null() }
        object { json in
            json.member("type", value.typeWord)
            json.name("value")
            switch value {
            case .link(let name, let key):
                json.object {
                    $0.member("class", name)
                    $0.member("key", Int(key))
                }
            case .list(let values): json.array { json in for value in values { json.any(value) } }
            case .map(let entries):
                json.array { json in
                    for entry in entries {
                        json.array {
                            $0.string(entry.key)
                            $0.any(entry.value)
                        }
                    }
                }
            case .null, .bool, .int, .float, .double, .string, .data, .date, .decimal, .objectId, .uuid, .any,
                .unknown:
                json.value(value)
            }
        }
    }
}

extension StoredValue {
    /// The name of the type of a value of type any.
    var typeWord: String {
        switch self {
        case .bool, .int, .float, .double, .string, .data, .date, .decimal, .objectId, .uuid:
            scalar!.jsonName!
        case .null: "null"
        case .link: "link"
        case .list: "list"
        case .map: "dictionary"
        case .any(let value): value.typeWord
        case .unknown: "unknown"
        }
    }
}

/// A point in time as whole numbers.
struct DateParts {
    /// The seconds since 1970, rounded down.
    var seconds: Int
    var nanoseconds: Int

    private static let reference = 978_307_200

    /// Returns nil if whole numbers cannot represent the time.
    init?(_ date: Date) {
        let time = date.timeIntervalSinceReferenceDate
        guard time.isFinite, time.magnitude < 1e15 else { return nil }
        let whole = time.rounded(.down)
        seconds = Int(whole) + DateParts.reference
        nanoseconds = Int(((time - whole) * 1e9).rounded())
        if nanoseconds == 1_000_000_000 { (seconds, nanoseconds) = (seconds + 1, 0) }
    }

    init(seconds: Int, nanoseconds: Int) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    var date: Date {
        Date(
            timeIntervalSinceReferenceDate: Double(seconds - DateParts.reference) + Double(nanoseconds) / 1e9)
    }
}
