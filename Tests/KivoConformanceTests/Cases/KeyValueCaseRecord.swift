import Foundation
import Kivo

/// A notification as it was delivered, with the values as they were at that moment.
struct KeyValueCaseRecord {
    /// The step that sent it.
    var at: Int
    var observer: String
    /// The names of the object that it named; several if the case has several names for the same.
    var objects: [String]
    var keyPath: String
    var kind: String
    var isPrior: Bool
    /// The entries of the record, by the names that cases have for them.
    var entries: [String: RecordedValue]
    var context: String
    /// Whether it came through a typed observation, where nil means missing.
    var isTyped = false
}

extension KeyValueCaseRecord: CustomStringConvertible {
    var description: String {
        var parts = ["at: \(at)", "observer: \(observer)", "object: \(objects.first ?? "?")"]
        parts += ["keyPath: \(keyPath)", "kind: \(kind)"]
        if isPrior { parts.append("isPrior") }
        parts += entries.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        if context != "null" { parts.append("context: \(context)") }
        return "{\(parts.joined(separator: ", "))}"
    }
}

/// A value of a record or of a property, as plain data.
indirect enum RecordedValue {
    case null
    case bool(Bool)
    case number(Double)
    case float(Float)
    case string(String)
    case data(Data)
    case date(Double)
    case point([Int])
    /// A value that stands for a symbol of the case.
    case symbol(String)
    /// An object, by the names that the case has for it.
    case object([String])
    case list([RecordedValue])
    case set([RecordedValue])
    case map([String: RecordedValue])
    case other(String)
}

extension RecordedValue {
    /// Takes a value as it is now. What a case has no name for keeps the name of its class.
    init(_ value: Any?, names: (any KeyValueCaseModel) -> [String]) {
        guard let value = flattened(value) else {
            self = .null
            return
        }
        if let simple = RecordedValue(simple: value) {
            self = simple
            return
        }
        switch value {
        case let object as any KeyValueCaseModel: self = .object(names(object))
        case let list as any KeyValueCaseCollection: self = list.recorded(names)
        case let array as [Any]: self = .list(array.map { RecordedValue($0, names: names) })
        case let array as NSArray:
            self = .list((0..<array.count).map { RecordedValue(array[$0], names: names) })
        case let set as Set<AnyHashable>: self = .set(set.map { RecordedValue($0.base, names: names) })
        case let set as NSSet: self = .set(set.allObjects.map { RecordedValue($0, names: names) })
        case let map as [String: Any]: self = .map(map.mapValues { RecordedValue($0, names: names) })
        default: self = .other("\(type(of: value)): \(value)")
        }
    }

    private init?(simple value: Any) {
        switch value {
        case is NSNull: self = .null
        case let number as NSNumber where type(of: value) is NSNumber.Type:
            let isFloat = UInt8(bitPattern: number.objCType.pointee) == UInt8(ascii: "f")
            self = isFloat ? .float(number.floatValue) : .number(number.doubleValue)
        case let bool as Bool: self = .bool(bool)
        case let int as any BinaryInteger: self = .number(Double(int))
        case let double as Double: self = .number(double)
        case let float as Float: self = .float(float)
        case let string as String: self = .string(string)
        case let data as Data: self = .data(data)
        case let date as Date: self = .date(date.timeIntervalSince1970)
        case let point as KeyValueCasePoint: self = .point([point.x, point.y, point.z])
        case let id as ObjectId: self = .symbol(id.stringValue)
        case let uuid as UUID: self = .symbol(uuid.uuidString)
        case let decimal as Decimal128: self = .symbol("\(decimal)")
        default: return nil
        }
    }
}

extension RecordedValue: CustomStringConvertible {
    var description: String {
        switch self {
        case .null: "null"
        case .bool(let bool): "\(bool)"
        case .number(let number): Int(exactly: number).map(String.init) ?? "\(number)"
        case .float(let number): Int(exactly: number).map(String.init) ?? "\(number)"
        case .string(let string): "\"\(string)\""
        case .data(let data): "data \(String(decoding: data, as: UTF8.self))"
        case .date(let date): "date \(date)"
        case .point(let parts): "point \(parts)"
        case .symbol(let text): text
        case .object(let names): "<\(names.first ?? "?")>"
        case .list(let elements): "\(elements)"
        case .set(let elements): "set \(elements)"
        case .map(let entries): "\(entries)"
        case .other(let text): text
        }
    }
}

/// A value without optionals and type erasure around it.
func flattened(_ value: Any?) -> Any? {
    guard let value else { return nil }
    if let optional = value as? any FlattenableOptional { return optional.flat }
    if let hashable = value as? AnyHashable, type(of: value) == AnyHashable.self { return hashable.base }
    return value
}

private protocol FlattenableOptional {
    var flat: Any? { get }
}

extension Optional: FlattenableOptional {
    fileprivate var flat: Any? { flatMap { flattened($0) } }
}
