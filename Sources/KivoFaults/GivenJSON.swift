import Foundation

/// Random values as they come out of JSON, for the properties of `GivenOwner`: most fit, and some are nulls, of other types, or
/// dictionaries and arrays of something else.
struct GivenJSON {
    private(set) var random: SeededNumbers
    /// The percentage of values that are nulls, of other types, or of no sense.
    private let senseless: Int

    init(seed: UInt64, senseless: Int) {
        random = SeededNumbers(seed)
        self.senseless = senseless
    }

    static let keys = [
        "text", "number", "part", "place", "parts", "set", "places", "byName", "placesByName", "gaps",
        "words",
        "any", "anys", "anyByName",
    ]

    mutating func below(_ bound: Int) -> Int { random.below(bound) }

    /// Values for an object, by property.
    mutating func owner() -> [String: Any] {
        var values: [String: Any] = ["id": random.below(40)]
        for key in GivenJSON.keys where random.chance(35) { values[key] = value(of: key) }
        return values
    }

    /// A value for a property.
    mutating func value(of key: String) -> Any {
        if random.chance(senseless) { return anything() }
        switch key {
        case "text": return random.chance(30) ? NSNull() : word() as Any
        case "number": return Double(random.below(100)) / 4
        case "part": return random.chance(20) ? NSNull() : part()
        case "place": return random.chance(20) ? NSNull() : place()
        case "parts", "set": return list { $0.part() }
        case "places": return list { $0.place() }
        case "byName": return map { $0.random.chance(25) ? NSNull() : $0.part() }
        case "placesByName": return map { $0.random.chance(25) ? NSNull() : $0.place() }
        case "gaps": return list { $0.random.chance(30) ? NSNull() : $0.random.below(9) as Any }
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

    private mutating func word() -> String { ["", "a", "öl", "a b", "🐟", "null"][random.below(6)] }

    private mutating func list(_ element: (inout GivenJSON) -> Any) -> Any {
        var elements: [Any] = []
        for _ in 0..<random.below(random.chance(5) ? 200 : 5) { elements.append(element(&self)) }
        if random.chance(senseless) { elements.insert(NSNull(), at: random.below(elements.count + 1)) }
        return elements
    }

    private mutating func map(_ value: (inout GivenJSON) -> Any) -> Any {
        var entries: [String: Any] = [:]
        for _ in 0..<random.below(5) { entries["k\(random.below(9))"] = value(&self) }
        return entries
    }

    /// Any value that JSON has.
    private mutating func anything(deep: Int = 3) -> Any {
        switch random.below(deep > 0 ? 8 : 5) {
        case 0: return NSNull()
        case 1: return random.below(1000) - 500
        case 2: return Double(random.below(1000)) / 8
        case 3: return word()
        case 4: return random.chance(50)
        case 5, 6:
            var elements: [Any] = []
            for _ in 0..<random.below(4) { elements.append(anything(deep: deep - 1)) }
            return elements
        default:
            var entries: [String: Any] = [:]
            let names = ["id", "name", "size", "x", "owner"]
            for _ in 0..<random.below(4) { entries[names[random.below(5)]] = anything(deep: deep - 1) }
            return entries
        }
    }
}
