import Foundation
import Kivo

/// A value of any type in a change, which can be compared and written in one line.
struct ObservedValue {
    /// The value without its optionals: nil for `NSNull`, arrays and dictionaries for a realm's collections, and the raw value
    /// for a stored enum.
    let value: Any?

    init(_ value: Any?) {
        guard let value, !(value is NSNull) else {
            self.value = nil
            return
        }
        if let optional = value as? any OptionalValue {
            self = Self(optional.wrapped)
        } else {
            let content = (value as? any PlainContent)?.plainContent ?? value
            // Changes by name contain the raw value of an enum.
            self.value = Self.unboxed((content as? any PersistableEnum)?.rawValue ?? content)
        }
    }

    /// Returns a number in the type that it had before a dictionary of changes boxed it.
    private static func unboxed(_ value: Any) -> Any {
        guard type(of: value) is NSNumber.Type, let number = value as? NSNumber else { return value }
        return switch String(cString: number.objCType) {
        case "f": number.floatValue
        case "c": number.int8Value
        case "s": number.int16Value
        case "i": number.int32Value
        case "q": number.int64Value
        default: number
        }
    }
}

extension ObservedValue: Equatable {
    /// Returns whether two values are equal, whatever integer or floating-point types they have. A set equals an array of its
    /// elements in any order; objects are equal if they are the same row.
    static func == (a: Self, b: Self) -> Bool {
        guard let x = a.value, let y = b.value else { return a.value == nil && b.value == nil }
        if let x = x as? ObjectBase {
            return (y as? ObjectBase).map { x == $0 || x.isSameObject(as: $0) } ?? false
        }
        if x is String || y is String { return x as? String == y as? String }
        if let x = x as? Set<AnyHashable> { return isEqual(x, y) }
        if let y = y as? Set<AnyHashable> { return isEqual(y, x) }
        if let x = x as? [AnyHashable: Any] {
            guard let y = y as? [AnyHashable: Any], x.count == y.count else { return false }
            return x.allSatisfy { key, value in y[key].map { Self(value) == Self($0) } ?? false }
        }
        if let x = x as? [Any] {
            guard let y = y as? [Any], x.count == y.count else { return false }
            return zip(x, y).allSatisfy { Self($0) == Self($1) }
        }
        // A literal is a `Double`, which seldom equals a `Float`.
        if let x = x as? Float, let y = y as? Double { return x == Float(y) }
        if let x = x as? Double, let y = y as? Float { return Float(x) == y }
        guard let x = x as? any Hashable, let y = y as? any Hashable else { return isIdentical(x, y) }
        return AnyHashable(x) == AnyHashable(y)
    }

    private static func isEqual(_ set: Set<AnyHashable>, _ other: Any) -> Bool {
        if let other = other as? Set<AnyHashable> { return set == other }
        guard var rest = other as? [Any], rest.count == set.count else { return false }
        for element in set {
            let index = rest.firstIndex { Self(element.base) == Self($0) }
            guard let index else { return false }
            rest.remove(at: index)
        }
        return true
    }

    /// Compares values that cannot be hashed, by their own equality or as references to one object.
    private static func isIdentical(_ a: Any, _ b: Any) -> Bool {
        if let a = a as? any Equatable { return isEqual(a, b) }
        return type(of: a) is AnyClass && type(of: b) is AnyClass && (a as AnyObject) === (b as AnyObject)
    }

    private static func isEqual<Value: Equatable>(_ a: Value, _ b: Any) -> Bool { a == b as? Value }

    /// Whether the value has the same text as another that it does not equal.
    func isLookalike(of other: Self) -> Bool { self != other && text(false) == other.text(false) }
}

extension ObservedValue {
    /// Returns the value in one line, as a test would write it where that is possible.
    ///
    /// - Parameter isDetailed: whether to add what distinguishes it from other values with the same text.
    func text(_ isDetailed: Bool) -> String {
        guard let value else { return "nil" }
        switch value {
        case let object as ObjectBase: return Self.text(object, isDetailed)
        case let string as String: return string.debugDescription + (isDetailed ? " as String" : "")
        case let data as Data:
            let bytes = data.prefix(isDetailed ? data.count : 16).map { "\($0)" }.joined(separator: ", ")
            return "Data([\(bytes)\(!isDetailed && data.count > 16 ? ", …" : "")])"
        case let date as Date where isDetailed:
            return "Date(timeIntervalSinceReferenceDate: \(date.timeIntervalSinceReferenceDate))"
        case let set as Set<AnyHashable>:
            let parts = set.map { Self($0.base).text(isDetailed) }.sorted()
            return "Set([" + parts.joined(separator: ", ") + "])"
        case let map as [AnyHashable: Any]:
            let parts = map.map { "\(Self($0.base).text(false)): \(Self($1).text(isDetailed))" }.sorted()
            return parts.isEmpty ? "[:]" : "[" + parts.joined(separator: ", ") + "]"
        case let array as [Any]:
            return "[" + array.map { Self($0).text(isDetailed) }.joined(separator: ", ") + "]"
        default: break
        }
        let type = type(of: value)
        if Mirror(reflecting: value).displayStyle == .enum { return "\(type).\(value)" }
        return Self.line("\(value)") + (isDetailed ? " as \(type)" : "")
    }

    private static func text(_ object: ObjectBase, _ isDetailed: Bool) -> String {
        let address = isDetailed ? " at \(Unmanaged.passUnretained(object).toOpaque())" : ""
        if object.isInvalidated { return "\(type(of: object)) (invalidated)" + address }
        return line("\(object)", limit: 80) + address
    }

    /// Joins several lines with single spaces, without the meaningless addresses of collections.
    private static func line(_ text: String, limit: Int = .max) -> String {
        let words = text.split(whereSeparator: \.isWhitespace).filter { word in
            !(word.hasPrefix("<0x") && word.hasSuffix(">"))
        }
        let line = words.joined(separator: " ")
        return line.count > limit ? line.prefix(limit) + "…" : line
    }
}

/// A protocol for finding optionals in values of any type.
private protocol OptionalValue {
    var wrapped: Any? { get }
}

extension Optional: OptionalValue {
    var wrapped: Any? { map { $0 as Any } }
}

/// A collection of a realm whose current content can be copied.
private protocol PlainContent {
    var plainContent: Any { get }
}

extension List: PlainContent {
    var plainContent: Any { Array(self).map { $0 as Any } }
}

extension MutableSet: PlainContent {
    var plainContent: Any { Array(self).map { $0 as Any } }
}

extension Map: PlainContent {
    var plainContent: Any {
        var content: [AnyHashable: Any] = [:]
        for key in keys { content[AnyHashable(key)] = self[key] as Any }
        return content
    }
}
