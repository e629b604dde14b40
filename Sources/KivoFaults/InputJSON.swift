import Foundation
import Kivo

/// Random values for the properties of `InputOwner`, as from JSON or from careless code. Most are valid. Some are nulls, values
/// of other types, or dictionaries and arrays of unrelated values.
struct InputJSON {
    private(set) var random: SeededNumbers
    /// The percentage of values that are nulls, of other types, or otherwise invalid.
    private let senseless: Int

    init(seed: UInt64, senseless: Int) {
        random = SeededNumbers(seed)
        self.senseless = senseless
    }

    static let keys = [
        "text", "number", "small", "maybe", "flag", "data", "date", "price", "key", "mood", "wordSet",
        "counts", "part", "place", "parts", "set", "places", "byName", "placesByName", "gaps",
        "words",
        "any", "anys", "anyByName",
    ]

    mutating func below(_ bound: Int) -> Int { random.below(bound) }

    mutating func chance(_ percent: Int) -> Bool { random.chance(percent) }

    /// The keys of lists.
    static let lists = ["parts", "places", "gaps", "words", "anys"]

    /// Returns an element for a list or set.
    mutating func element(of key: String) -> Any {
        if random.chance(senseless) { return anything() }
        switch key {
        case "parts", "set": return part()
        case "places": return place()
        case "gaps": return random.chance(30) ? null() : integer()
        case "words", "wordSet": return word()
        default: return anything(deep: 2)
        }
    }

    /// Returns values for an object, by property.
    mutating func owner() -> [String: Any] {
        if random.chance(senseless) { return ["id": anything(), "x": anything()] }
        var values: [String: Any] = ["id": random.below(40)]
        for key in InputJSON.keys where random.chance(35) { values[key] = value(of: key) }
        return values
    }

    /// Returns a value for a property.
    mutating func value(of key: String) -> Any {
        if random.chance(senseless) { return anything() }
        switch key {
        case "text": return random.chance(30) ? null() : word()
        case "number": return random.chance(30) ? integer() : Double(random.below(100)) / 4
        case "small": return Int8(truncatingIfNeeded: random.below(256))
        case "maybe": return random.chance(30) ? null() : integer()
        case "flag": return random.chance(50)
        case "data": return random.chance(30) ? null() : Data(word().utf8)
        case "date":
            return random.chance(30) ? null() : Date(timeIntervalSince1970: Double(random.below(1000)) / 8)
        case "price":
            return random.chance(30) ? null() : Decimal128(number: NSNumber(value: random.below(1000)))
        case "key": return random.chance(30) ? null() : uuid()
        case "mood": return random.chance(30) ? null() : ["calm", "wild"][random.below(2)]
        case "wordSet": return list { $0.word() }
        case "counts": return map { $0.integer() }
        case "part": return random.chance(20) ? null() : part()
        case "place": return random.chance(20) ? null() : place()
        case "parts", "set": return list { $0.part() }
        case "places": return list { $0.place() }
        case "byName": return map { $0.random.chance(25) ? $0.null() : $0.part() }
        case "placesByName": return map { $0.random.chance(25) ? $0.null() : $0.place() }
        case "gaps": return list { $0.random.chance(30) ? $0.null() : $0.integer() }
        case "words": return list { $0.word() }
        case "anys": return list { $0.anything(deep: 2) }
        case "anyByName": return map { $0.anything(deep: 2) }
        default: return anything(deep: 2)
        }
    }

    private mutating func part() -> Any {
        if random.chance(senseless) { return anything() }
        let id = random.below(30)
        if random.chance(20) { return [id, word()] as [Any] }
        return ["id": id, "name": random.chance(senseless) ? NSNull() : word() as Any]
    }

    private mutating func place() -> Any {
        if random.chance(senseless) { return anything() }
        return ["name": word(), "size": random.below(9)] as [String: Any]
    }

    /// Returns nil, as it occurs in JSON or boxed.
    private mutating func null() -> Any {
        switch random.below(3) {
        case 0: NSNull()
        case 1: Int?.none as Any
        default: Any?.none as Any
        }
    }

    /// Returns an integer in one of the types that are accepted for it.
    private mutating func integer() -> Any {
        let value = random.below(9)
        switch random.below(6) {
        case 0: return Double(value)
        case 1: return UInt8(value)
        case 2: return NSNumber(value: value)
        case 3: return Int?.some(value) as Any
        default: return value
        }
    }

    private mutating func uuid() -> UUID {
        UUID(uuid: (UInt8(random.below(256)), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
    }

    private mutating func word() -> String { ["", "a", "öl", "a b", "🐟", "null"][random.below(6)] }

    private mutating func list(_ element: (inout InputJSON) -> Any) -> Any {
        var elements: [Any] = []
        for _ in 0..<random.below(random.chance(5) ? 200 : 5) { elements.append(element(&self)) }
        if random.chance(senseless) { elements.insert(null(), at: random.below(elements.count + 1)) }
        return elements
    }

    private mutating func map(_ value: (inout InputJSON) -> Any) -> Any {
        var entries: [String: Any] = [:]
        for _ in 0..<random.below(5) { entries["k\(random.below(9))"] = value(&self) }
        return entries
    }

    /// Returns any value at all.
    private mutating func anything(deep: Int = 3) -> Any {
        switch random.below(deep > 0 ? 16 : 12) {
        case 0, 1: return null()
        case 2: return random.below(1000) - 500
        case 3: return [Int.max, .min, 0, 300][random.below(4)]
        case 4: return Double(random.below(1000)) / 8
        case 5: return [1e300, -0.0, .infinity, 0.1][random.below(4)]
        case 6, 7: return word()
        case 8: return random.chance(50)
        case 9: return Data(word().utf8)
        case 10: return uuid()
        case 11: return Date(timeIntervalSince1970: Double(random.below(1000)) / 8)
        case 12, 13:
            var elements: [Any] = []
            for _ in 0..<random.below(4) { elements.append(anything(deep: deep - 1)) }
            return elements
        default:
            var entries: [String: Any] = [:]
            let names = ["id", "name", "size", "x", "owner", "text", "parts", "any"]
            for _ in 0..<random.below(4) { entries[names[random.below(8)]] = anything(deep: deep - 1) }
            return entries
        }
    }
}
