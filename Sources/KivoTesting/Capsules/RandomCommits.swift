import Foundation
import Kivo

/// A writer of random commits to a realm: what observers of its classes may meet.
///
/// Values are of small ranges, so that objects have equal ones and change places in sorted collections. Objects are inserted, deleted and
/// modified, one or many at once; what a commit changes, a later one may restore. Lists are edited and their elements moved.
struct RandomCommits {
    /// A closure that returns the value of a property of a class, or nil for a random one.
    typealias Values = (_ className: String, _ property: Property) -> Any?

    private let realm: Realm
    /// The classes of which objects are written, with embedded ones, by their names.
    private let schema: [String: ObjectSchema]
    /// The classes of which objects exist on their own.
    private let classes: [ObjectSchema]
    private let values: Values?
    private var random: SeededNumbers
    /// The number of objects of a class above which more are deleted than inserted.
    private static let largestCount = 40

    init(_ realm: Realm, _ types: [ObjectBase.Type], _ random: SeededNumbers, _ values: Values?) {
        (self.realm, self.random, self.values) = (realm, random, values)
        let declared = types.compactMap { $0.sharedSchema() }
        schema = Dictionary(declared.map { ($0.className, $0) }) { first, _ in first }
        classes = schema.values.filter { !$0.isEmbedded }.sorted { $0.className < $1.className }
    }

    /// Whether there is a class to write objects of.
    var hasClasses: Bool { !classes.isEmpty }

    /// Makes a commit.
    mutating func commit() throws {
        try realm.write {
            let count = random.chance(10) ? 30 : random.chance(50) ? 1 : 1 + random.below(5)
            for _ in 0..<count { edit() }
        }
    }

    private mutating func edit() {
        let schema = random.pick(classes)
        let objects = realm.dynamicObjects(schema.className)
        let isFull = objects.count >= RandomCommits.largestCount
        switch random.below(100) {
        case 0..<(isFull ? 5 : 30): insert(schema)
        case 30..<(isFull ? 60 : 45): if let object = pick(schema.className) { realm.delete(object) }
        case 60: realm.delete(objects)
        case 61, 62:
            let properties = plain(schema)
            if properties.isEmpty { return }
            let property = random.pick(properties)
            // One value for all: they are equal in every order.
            let value = self.value(of: property, schema.className, depth: 0)
            for object in Array(objects) { object[property.name] = value }
        default: if let object = pick(schema.className) { modify(object, schema) }
        }
    }

    private mutating func pick(_ className: String) -> DynamicObject? {
        let objects = realm.dynamicObjects(className)
        return objects.isEmpty ? nil : objects[random.below(objects.count)]
    }

    /// The properties with values of their own that can be assigned.
    private func plain(_ schema: ObjectSchema) -> [Property] {
        let key = schema.primaryKeyProperty?.name
        return schema.properties.filter {
            $0.name != key && $0.type != .object && !$0.isArray && !$0.isSet && !$0.isMap
                && canChoose($0, schema)
        }
    }

    /// Whether values can be chosen: not those of mapped types, for which not every stored value may do, and not objects of other classes.
    private func canChoose(_ property: Property, _ schema: ObjectSchema) -> Bool {
        if let target = property.objectClassName, self.schema[target] == nil { return false }
        return !property.isMapped || values?(schema.className, property) != nil
    }

    // MARK: Objects

    @discardableResult
    private mutating func insert(_ schema: ObjectSchema) -> DynamicObject {
        realm.dynamicCreate(
            schema.className, value: contents(schema, depth: 0),
            update: schema.primaryKeyProperty == nil ? .error : .modified)
    }

    /// Returns the values of a new object.
    private mutating func contents(_ schema: ObjectSchema, depth: Int) -> [String: Any] {
        var contents: [String: Any] = [:]
        for property in schema.properties where canChoose(property, schema) {
            // The default stays, unless it is another one each time.
            let isRandom = [.date, .UUID, .objectId].contains(property.type)
            if random.chance(20), !isRandom, property.name != schema.primaryKeyProperty?.name { continue }
            contents[property.name] = value(of: property, schema.className, depth: depth)
        }
        return contents
    }

    private mutating func modify(_ object: ObjectBase, _ schema: ObjectSchema) {
        let key = schema.primaryKeyProperty?.name
        let properties = schema.properties.filter { $0.name != key && canChoose($0, schema) }
        if properties.isEmpty { return }
        let property = random.pick(properties)
        let isEmbedded = property.objectClassName.flatMap { self.schema[$0]?.isEmbedded } ?? false
        switch property.type {
        case .object where property.isArray: edit(object.dynamicList(property.name), property, isEmbedded)
        case .object where property.isSet:
            let set = object.dynamicMutableSet(property.name)
            guard let target = pick(property.objectClassName!) else { return }
            if set.contains(target) { set.remove(target) } else { set.insert(target) }
        case .object where property.isMap:
            let map: Map<String, DynamicObject?> = object.dynamicMap(property.name)
            let key = random.pick(RandomCommits.texts)
            if random.chance(40) || isEmbedded {
                map.removeObject(for: key)
            } else {
                map.setValue(pick(property.objectClassName!), forKey: key)
            }
        case .object where isEmbedded:
            guard let part = object[property.name] as? ObjectBase, random.chance(85) else {
                return object[property.name] = nil
            }
            modify(part, self.schema[property.objectClassName!]!)
        case _ where property.isArray && random.chance(60):
            move(object.dynamicList(property.name))
        default: object[property.name] = value(of: property, schema.className, depth: 0)
        }
    }

    // MARK: Lists

    private mutating func edit(_ list: List<DynamicObject>, _ property: Property, _ isEmbedded: Bool) {
        guard !isEmbedded, random.chance(60), let target = pick(property.objectClassName!) else {
            if isEmbedded, !list.isEmpty, random.chance(50) {
                return modify(list[random.below(list.count)], schema[property.objectClassName!]!)
            }
            return move(list)
        }
        if list.isEmpty || random.chance(70) {
            list.insert(target, at: random.below(list.count + 1))
        } else {
            list[random.below(list.count)] = target
        }
    }

    /// Moves or removes elements.
    private mutating func move(_ list: List<DynamicObject>) {
        if list.isEmpty { return }
        switch random.below(10) {
        case 0: list.removeAll()
        case 1..<4: list.remove(at: random.below(list.count))
        case 4..<8: list.move(from: random.below(list.count), to: random.below(list.count))
        default: list.swapAt(random.below(list.count), random.below(list.count))
        }
    }

    // MARK: Values

    private static let texts = ["", "a", "A", "b", "ä", "ab", "z", "🐕", "10", "9"]

    private mutating func value(of property: Property, _ className: String, depth: Int) -> Any {
        if let value = values?(className, property) { return value }
        if property.isArray || property.isSet {
            return (0..<random.below(5)).compactMap { _ in element(property, className, depth, isPart: true) }
        }
        if property.isMap {
            var entries: [String: Any] = [:]
            for _ in 0..<random.below(5) {
                entries[random.pick(RandomCommits.texts.filter { !$0.isEmpty })] = element(
                    property, className, depth, isPart: true)
            }
            return entries
        }
        return element(property, className, depth, isPart: false) ?? NSNull()
    }

    /// Returns a value or an element; nil for none.
    private mutating func element(
        _ property: Property, _ className: String, _ depth: Int, isPart: Bool
    ) -> Any? {
        if property.isOptional, property.type != .object, random.chance(25) { return NSNull() }
        if let cases = property.storedCases { return cases.isEmpty ? nil : random.pick(cases) }
        let number = random.below(12) - 3
        switch property.type {
        case .int: return number
        case .bool: return random.chance(50)
        case .string: return random.pick(RandomCommits.texts)
        case .float: return Float(number) / 2
        case .double: return Double(number) / 2
        case .date: return Date(timeIntervalSinceReferenceDate: Double(number) * 1800)
        case .data: return Data(repeating: UInt8(number + 3), count: random.below(3))
        case .objectId: return ObjectId(high: 0, low: UInt32(20 + number))
        case .decimal128: return Decimal128(value: number)
        case .UUID:
            return Foundation.UUID(
                uuidString: "00000000-0000-0000-0000-0000000000" + String(20 + number))!
        case .any:
            let values: [Any] = [number, random.pick(RandomCommits.texts), number > 0, NSNull()]
            return random.pick(values)
        case .object:
            guard let schema = property.objectClassName.flatMap({ self.schema[$0] }) else { return nil }
            guard schema.isEmbedded else {
                return random.chance(15) && !isPart ? nil : pick(schema.className)
            }
            return depth < 2 && random.chance(80) ? contents(schema, depth: depth + 1) : nil
        case .linkingObjects: return nil
        }
    }
}
