import Foundation
import Kivo

/// A type that properties of the cases' models have: made from a value of a case.
protocol KeyValueCaseValue {
    static func make(_ value: JSONValue, _ side: KeyValueCaseSide) throws -> Self
    /// The model class that values are objects of, or hold objects of.
    static var objectClass: (any KeyValueCaseModel.Type)? { get }
}

extension KeyValueCaseValue {
    static var objectClass: (any KeyValueCaseModel.Type)? { nil }

    static func misfit(_ value: JSONValue) -> KeyValueCaseError {
        KeyValueCaseError("the value \(value) where a model has \(Self.self)")
    }
}

/// A case needs what neither the models nor the steps of this runner have.
struct KeyValueCaseError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// The plain structure that a property may hold.
struct KeyValueCasePoint: Hashable, Sendable {
    var x = 0
    var y = 0
    var z = 0
}

/// Identifiers and numbers that cases only have symbols for.
enum KeyValueCaseSymbol {
    static func text(_ form: String, _ symbol: String) -> String? {
        switch form {
        case "objectId": objectId(symbol).stringValue
        case "uuid": uuid(symbol).uuidString
        case "decimal": try? "\(Decimal128(string: symbol))"
        default: nil
        }
    }

    static func objectId(_ symbol: String) -> ObjectId {
        if let id = try? ObjectId(string: symbol) { return id }
        return (try? ObjectId(string: String(digits(symbol).prefix(24)))) ?? .zero
    }

    static func uuid(_ symbol: String) -> UUID {
        if let id = UUID(uuidString: symbol) { return id }
        var bytes = [UInt8](repeating: 0, count: 16)
        for (index, byte) in symbol.utf8.prefix(16).enumerated() { bytes[index] = byte }
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    private static func digits(_ symbol: String) -> String {
        let hex = symbol.utf8.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        return hex + String(repeating: "0", count: 24)
    }
}

// MARK: Simple values

extension KeyValueCaseValue where Self: FixedWidthInteger {
    static func make(_ value: JSONValue, _ side: KeyValueCaseSide) throws -> Self {
        guard case .int(let int) = value, let number = Self(exactly: int) else { throw misfit(value) }
        return number
    }
}

extension KeyValueCaseValue where Self: BinaryFloatingPoint {
    static func make(_ value: JSONValue, _ side: KeyValueCaseSide) throws -> Self {
        switch value {
        case .int(let int): return Self(int)
        case .double(let double): return Self(double)
        default: throw misfit(value)
        }
    }
}

extension Int: KeyValueCaseValue {}
extension Int8: KeyValueCaseValue {}
extension Int16: KeyValueCaseValue {}
extension Int32: KeyValueCaseValue {}
extension Int64: KeyValueCaseValue {}
extension Float: KeyValueCaseValue {}
extension Double: KeyValueCaseValue {}

extension Bool: KeyValueCaseValue {
    static func make(_ value: JSONValue, _ side: KeyValueCaseSide) throws -> Bool {
        guard case .bool(let bool) = value else { throw misfit(value) }
        return bool
    }
}

extension String: KeyValueCaseValue {
    static func make(_ value: JSONValue, _ side: KeyValueCaseSide) throws -> String {
        guard case .string(let string) = value else { throw misfit(value) }
        return string
    }
}

/// A value that cases write as an object with one member.
protocol KeyValueCaseTagged: KeyValueCaseValue {
    init?(untagged value: Any)
}

extension KeyValueCaseTagged {
    static func make(_ value: JSONValue, _ side: KeyValueCaseSide) throws -> Self {
        guard let any = try side.any(value), let result = Self(untagged: any) else { throw misfit(value) }
        return result
    }

    init?(untagged value: Any) {
        guard let value = value as? Self else { return nil }
        self = value
    }
}

extension Data: KeyValueCaseTagged {}
extension Date: KeyValueCaseTagged {}
extension UUID: KeyValueCaseTagged {}
extension ObjectId: KeyValueCaseTagged {}
extension Decimal128: KeyValueCaseTagged {}
extension KeyValueCasePoint: KeyValueCaseTagged {}

extension AnyHashable: KeyValueCaseValue {
    static func make(_ value: JSONValue, _ side: KeyValueCaseSide) throws -> AnyHashable {
        guard let any = try side.any(value) as? AnyHashable else { throw misfit(value) }
        return any
    }
}

// MARK: Values that hold values

extension Optional: KeyValueCaseValue where Wrapped: KeyValueCaseValue {
    static func make(_ value: JSONValue, _ side: KeyValueCaseSide) throws -> Wrapped? {
        value == .null ? nil : try Wrapped.make(value, side)
    }

    static var objectClass: (any KeyValueCaseModel.Type)? { Wrapped.objectClass }
}

extension Array: KeyValueCaseValue where Element: KeyValueCaseValue {
    static func make(_ value: JSONValue, _ side: KeyValueCaseSide) throws -> [Element] {
        if let path = side.path(value) {
            guard let array = try side.value(path) as? [Element] else { throw misfit(value) }
            return array
        }
        guard let elements = value.elements else { throw misfit(value) }
        return try elements.map { try Element.make($0, side) }
    }

    static var objectClass: (any KeyValueCaseModel.Type)? { Element.objectClass }
}

extension Set: KeyValueCaseValue where Element: KeyValueCaseValue {
    static func make(_ value: JSONValue, _ side: KeyValueCaseSide) throws -> Set<Element> {
        if let path = side.path(value) {
            guard let set = try side.value(path) as? Set<Element> else { throw misfit(value) }
            return set
        }
        guard let elements = (value["set"] ?? value).elements else { throw misfit(value) }
        return Set(try elements.map { try Element.make($0, side) })
    }

    static var objectClass: (any KeyValueCaseModel.Type)? { Element.objectClass }
}

extension List: KeyValueCaseValue where Element: KeyValueCaseValue {
    static func make(_ value: JSONValue, _ side: KeyValueCaseSide) throws -> Self {
        if let path = side.path(value) {
            guard let list = try side.value(path) as? Self else { throw misfit(value) }
            return list
        }
        let list = Self()
        list.append(objectsIn: try [Element].make(value, side))
        return list
    }

    static var objectClass: (any KeyValueCaseModel.Type)? { Element.objectClass }
}

extension MutableSet: KeyValueCaseValue where Element: KeyValueCaseValue {
    static func make(_ value: JSONValue, _ side: KeyValueCaseSide) throws -> Self {
        if let path = side.path(value) {
            guard let set = try side.value(path) as? Self else { throw misfit(value) }
            return set
        }
        let set = Self()
        set.insert(objectsIn: try [Element].make(value["set"] ?? value, side))
        return set
    }

    static var objectClass: (any KeyValueCaseModel.Type)? { Element.objectClass }
}

extension Map: KeyValueCaseValue where Key == String, Value: KeyValueCaseValue {
    static func make(_ value: JSONValue, _ side: KeyValueCaseSide) throws -> Self {
        if let path = side.path(value) {
            guard let map = try side.value(path) as? Self else { throw misfit(value) }
            return map
        }
        guard case .object(let members) = value else { throw misfit(value) }
        let map = Self()
        for (key, member) in members { map[key] = try Value.make(member, side) }
        return map
    }

    static var objectClass: (any KeyValueCaseModel.Type)? { Value.objectClass }
}

// Collections that are changed in place: code that read one before sees the change.

extension NSMutableSet: KeyValueCaseValue {
    static func make(_ value: JSONValue, _ side: KeyValueCaseSide) throws -> Self {
        let set = NSMutableSet()
        for member in try Set<AnyHashable>.make(value, side) { set.add(member.base) }
        return unsafeDowncast(set, to: Self.self)
    }
}

extension NSMutableArray: KeyValueCaseValue {
    static func make(_ value: JSONValue, _ side: KeyValueCaseSide) throws -> Self {
        let array = NSMutableArray()
        for member in try [AnyHashable].make(value, side) { array.add(member.base) }
        return unsafeDowncast(array, to: Self.self)
    }
}
