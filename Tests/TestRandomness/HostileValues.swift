#if !hasFeature(Embedded)
import Foundation

/// Values as JSON and careless code give them: of other types than the property has, in optionals, or as the null marker. Each means
/// what it is made of, to every route that takes a value as `Any`.
extension RandomSource {
    /// Nil: the null marker, or an optional that holds nothing.
    public mutating func null() -> Any {
        switch below(4) {
        case 0, 1: NSNull()
        case 2: Int?.none as Any
        default: Any??.some(.none) as Any
        }
    }

    /// A whole number, of one of the types that are converted to the property's.
    ///
    /// - Parameter exact: whether a value of any type has to hold an integer, too.
    public mutating func loose(_ value: Int, exact: Bool = false) -> Any {
        switch below(exact ? 6 : 10) {
        case 0: Int?.some(value) as Any
        case 1: Int8(exactly: value) ?? value as Any
        case 2: UInt(exactly: value) ?? value as Any
        case 3: Int32(exactly: value) ?? Int64(value) as Any
        case 4: NSNumber(value: value)
        case 5: value
        case 6: Double(exactly: value) ?? value as Any
        case 7: Float(exactly: value) ?? value as Any
        case 8: value == 0 || value == 1 ? NSNumber(value: value == 1) : value as Any
        default: Double(exactly: value).map { NSNumber(value: $0) } ?? value as Any
        }
    }

    /// A number, of one of the types that are converted to the property's; see ``loose(_:exact:)-(Int,_)``.
    public mutating func loose(_ value: Double, exact: Bool = false) -> Any {
        switch below(exact ? 3 : 5) {
        case 0: Double?.some(value) as Any
        case 1: NSNumber(value: value)
        case 2: value
        case 3: Float(exactly: value) ?? value as Any
        // An integer has no negative zero.
        default: value == 0 ? value : Int(exactly: value) ?? value as Any
        }
    }

    /// A truth value; see ``loose(_:exact:)-(Int,_)``.
    public mutating func loose(_ value: Bool, exact: Bool = false) -> Any {
        switch below(exact ? 3 : 5) {
        case 0: Bool?.some(value) as Any
        case 1: NSNumber(value: value)
        case 2: value
        case 3: value ? 1 : 0
        default: NSNumber(value: value ? 1 : 0)
        }
    }

    /// A string, which may be one of Foundation.
    public mutating func loose(_ text: String) -> Any {
        switch below(4) {
        case 0: String?.some(text) as Any
        case 1: NSString(string: text)
        case 2: NSMutableString(string: text)
        default: text
        }
    }

    /// A date, which may be one of Foundation.
    public mutating func loose(_ date: Date) -> Any {
        chance(50)
            ? NSDate(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate)
            : Date?.some(date) as Any
    }

    /// Bytes, which may be those of Foundation.
    public mutating func loose(_ data: Data) -> Any {
        chance(50) ? NSData(data: data) : Data?.some(data) as Any
    }

    /// The elements of a list or set, as one of the sequences that are taken for it.
    public mutating func loose(_ elements: [Any]) -> Any {
        switch below(8) {
        case 0: NSArray(array: elements)
        case 1: NSMutableArray(array: elements)
        case 2: elements.map { $0 as Any? }
        case 3: AnySequence(elements)
        case 4: ContiguousArray(elements)
        case 5: ([0] + elements)[1...]
        case 6: [Any]?.some(elements) as Any
        default: elements
        }
    }

    /// The entries of a map or the values of an object, as one of the dictionaries that are taken for it.
    public mutating func loose(_ entries: [String: Any]) -> Any {
        switch below(6) {
        case 0: NSDictionary(dictionary: entries)
        case 1: NSMutableDictionary(dictionary: entries)
        case 2: entries.mapValues { $0 as Any? }
        case 3: [String: Any]?.some(entries) as Any
        case 4: Dictionary(uniqueKeysWithValues: entries.map { (AnyHashable($0), $1) })
        default: entries
        }
    }

    /// The values of an object, with some that name no property.
    public mutating func looseObject(_ values: [String: Any]) -> Any {
        var values = values
        while chance(20) { values["no property \(below(9))"] = json(depth: 2) }
        return loose(values)
    }

    /// Any document of JSON, as it is read: with nulls in arrays, truth values, and objects of whatever.
    public mutating func json(depth: Int = 3) -> Any {
        let text = jsonText(depth: depth)
        return try! JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
    }

    /// The text of any document of JSON.
    public mutating func jsonText(depth: Int = 3) -> String {
        switch below(depth > 0 ? 12 : 8) {
        case 0, 1: return "null"
        case 2: return chance(50) ? "true" : "false"
        case 3: return "\(below(2000) - 1000)"
        case 4:
            return ["9223372036854775807", "-9223372036854775808", "300", "18446744073709551615"][below(4)]
        case 5: return ["1.5", "-0.25", "2.0", "1e300", "0.1"][below(5)]
        case 6: return #""text \#(below(9))""#
        case 7: return [#""""#, #""\u0000""#, #""null""#, #""🐕é\"\\""#][below(4)]
        case 8, 9:
            return "[" + (0..<below(4)).map { _ in jsonText(depth: depth - 1) }.joined(separator: ",") + "]"
        default:
            let keys = ["id", "value", "name", "x", "key", "type", "a"].filter { _ in chance(30) }
            return "{" + keys.map { #""\#($0)":\#(jsonText(depth: depth - 1))"# }.joined(separator: ",") + "}"
        }
    }
}
#endif
