import Foundation
import Kivo
import XCTest

/// Edits of the random tests, made through the routes that take a value as `Any`: dictionaries of JSON, key-value coding, access
/// by name, and proxies. Each has to do what the plain edit does.
extension FuzzEdit {
    /// Makes the edit; false if it gives no value.
    func makeLoosely(in realm: Realm, _ random: inout RandomSource) -> Bool {
        let items = realm.objects(FuzzItem.self)
        guard let holder = realm.objects(FuzzHolder.self).first else { return true }
        let (list, numbers) = (holder.items, holder.numbers)
        let proxies = (
            items: holder.mutableArrayValue(forKey: "items"),
            numbers: holder.mutableArrayValue(forKey: "numbers")
        )
        func item(_ number: Int) -> FuzzItem? { items.element(number) }
        switch self {
        case .add(let value):
            var values = ["value": random.loose(value)]
            if random.chance(30) { values["link"] = random.null() }
            let item = realm.createLoosely(values, inOrder: ["value", "link"], &random) {
                FuzzItem(value: $0)
            }
            XCTAssertEqual(item.value, value)
            XCTAssertNil(item.link)
        case .set(let a, let value):
            guard let item = item(a) else { break }
            item.assign(random.loose(value), "value", &random)
            XCTAssertEqual(item.value, value)
        case .link(let a, let b):
            guard let item = item(a), let target = items.element(b) else { break }
            item.assign(FuzzItem?.some(target) as Any, "link", &random)
            XCTAssertEqual(item.link?.isSameObject(as: target), true)
        case .unlink(let a):
            guard let item = item(a) else { break }
            item.assign(random.null(), "link", &random)
            XCTAssertNil(item.link)
        case .listInsert(let a, let b):
            guard let item = item(a) else { break }
            let index = b % (list.count + 1)
            if random.chance(30) {
                var elements: [Any] = Array(list)
                elements.insert(item, at: index)
                holder.assign(random.loose(elements), "items", &random)
            } else {
                proxies.items.insert(item, at: index)
            }
            XCTAssert(list[index].isSameObject(as: item))
        case .listRemove(let a): if !list.isEmpty { proxies.items.removeObject(at: a % list.count) }
        case .listReplace(let a, let b):
            guard !list.isEmpty, let item = item(b) else { break }
            proxies.items.replaceObject(at: a % list.count, with: item)
            XCTAssert(list[a % list.count].isSameObject(as: item))
        case .listClear:
            holder.assign(random.chance(50) ? random.null() : random.loose([] as [Any]), "items", &random)
            XCTAssert(list.isEmpty)
        case .numberInsert(let a, let value):
            let index = a % (numbers.count + 1)
            if random.chance(30) {
                var elements: [Any] = Array(numbers).map { random.loose($0) }
                elements.insert(random.loose(value), at: index)
                let expected = Array(numbers[..<index]) + [value] + Array(numbers[index...])
                holder.assign(random.loose(elements), "numbers", &random)
                XCTAssertEqual(Array(numbers), expected)
            } else {
                proxies.numbers.insert(random.loose(value), at: index)
                XCTAssertEqual(numbers[index], value)
            }
        case .numberRemove(let a):
            if !numbers.isEmpty { proxies.numbers.removeObject(at: a % numbers.count) }
        case .numberReplace(let a, let value):
            if numbers.isEmpty { break }
            proxies.numbers.replaceObject(at: a % numbers.count, with: random.loose(value))
            XCTAssertEqual(numbers[a % numbers.count], value)
        case .setInsert(let a):
            guard let item = item(a) else { break }
            holder.mutableSetValue(forKey: "itemSet").add(item)
            XCTAssert(holder.itemSet.contains(item))
        case .setRemove(let a):
            if let item = item(a) { holder.mutableSetValue(forKey: "itemSet").remove(item) }
        case .delete, .listMove, .listSwap, .numberMove, .deleteFiltered, .loosely: return false
        }
        return true
    }
}

extension SectionsEdit {
    /// Makes the edit; false if it gives no value.
    func makeLoosely(in realm: Realm, _ random: inout RandomSource) -> Bool {
        let items = realm.objects(SectionsItem.self)
        guard let holder = realm.objects(SectionsHolder.self).first else { return true }
        let (list, numbers) = (holder.items, holder.numbers)
        let proxies = (
            items: holder.mutableArrayValue(forKey: "items"),
            numbers: holder.mutableArrayValue(forKey: "numbers")
        )
        func item(_ number: Int) -> SectionsItem? { items.element(number) }
        switch self {
        case .add(let value, let mark):
            let values = [
                "mark": random.loose(mark), "value": random.loose(value),
                "name": random.loose("\(value % 6)"),
                "link": random.null(), "ratio": random.null(),
            ]
            let item = realm.createLoosely(values, inOrder: nil, &random) { SectionsItem(value: $0) }
            XCTAssertEqual([item.mark, item.value], [mark, value])
            XCTAssertEqual([item.name, item.note], ["\(value % 6)", ""])
            XCTAssertNil(item.link)
            XCTAssertNil(item.ratio)
        case .setValue(let a, let value):
            guard let item = item(a) else { break }
            item.assign(random.loose(value), "value", &random)
            XCTAssertEqual(item.value, value)
        case .setName(let a, let name):
            guard let item = item(a) else { break }
            item.assign(random.loose("\(name)"), "name", &random)
            XCTAssertEqual(item.name, "\(name)")
        case .setNote(let a, let note):
            guard let item = item(a) else { break }
            item.assign(random.loose("\(note)"), "note", &random)
            XCTAssertEqual(item.note, "\(note)")
        case .link(let a, let b):
            guard let item = item(a), let target = items.element(b) else { break }
            item.assign(SectionsItem?.some(target) as Any, "link", &random)
            XCTAssertEqual(item.link?.isSameObject(as: target), true)
        case .unlink(let a):
            guard let item = item(a) else { break }
            item.assign(random.null(), "link", &random)
            XCTAssertNil(item.link)
        case .listInsert(let a, let b):
            guard let item = item(a) else { break }
            proxies.items.insert(item, at: b % (list.count + 1))
        case .listRemove(let a): if !list.isEmpty { proxies.items.removeObject(at: a % list.count) }
        case .listReplace(let a, let b):
            guard !list.isEmpty, let item = item(b) else { break }
            proxies.items.replaceObject(at: a % list.count, with: item)
        case .numberInsert(let a, let value):
            proxies.numbers.insert(random.loose(value), at: a % (numbers.count + 1))
            // Members of sets are compared before they are converted: a Boolean is not a number.
            holder.mutableSetValue(forKey: "numberSet").add(value)
            XCTAssertEqual(numbers[a % numbers.count], value)
            XCTAssert(holder.numberSet.contains(value))
        case .numberRemove(let a):
            if !numbers.isEmpty { proxies.numbers.removeObject(at: a % numbers.count) }
        case .numberReplace(let a, let value):
            if !numbers.isEmpty {
                proxies.numbers.replaceObject(at: a % numbers.count, with: random.loose(value))
            }
        case .setAllNumbers(let b):
            let values = Array(numbers).map { ($0 * 7 + b) % 30 }
            let given: [Any] = values.map { random.loose($0) }
            holder.assign(random.loose(given), "numbers", &random)
            holder.assign(random.null(), "numberSet", &random)
            XCTAssertEqual(Array(numbers), values)
            XCTAssert(holder.numberSet.isEmpty)
        case .clearList: holder.assign(random.null(), "items", &random)
        case .delete, .listMove, .toggleInSet, .numberMove, .setAllValues, .loosely: return false
        }
        return true
    }
}

extension MapFuzzEdit {
    /// Makes the edit; false if it gives no value.
    func makeLoosely(in realm: Realm, _ random: inout RandomSource) -> Bool {
        let items = realm.objects(MapFuzzItem.self)
        guard let holder = realm.objects(MapFuzzHolder.self).first else { return true }
        func item(_ number: Int?) -> MapFuzzItem? { number.flatMap { items.element($0) } }
        switch self {
        case .create(let value):
            var values = ["value": random.loose(value)]
            if random.chance(30) { values["link"] = random.null() }
            let item = realm.createLoosely(values, inOrder: ["value", "link"], &random) {
                MapFuzzItem(value: $0)
            }
            XCTAssertEqual(item.value, value)
        case .set(let place, let value):
            guard let item = item(place) else { break }
            item.assign(random.loose(value), "value", &random)
            XCTAssertEqual(item.value, value)
        case .link(let place, let target):
            guard let item = item(place) else { break }
            let target = target.flatMap { items.element($0) }
            item.assign(target ?? random.null(), "link", &random)
            XCTAssertEqual(item.link.map { $0.isSameObject(as: target) }, target.map { _ in true })
        case .putCount(let key, let value):
            holder.counts.setValue(random.loose(value), forKey: key)
            XCTAssertEqual(holder.counts[key], value)
        case .removeCount(let key):
            // No value of this map is nil.
            holder.counts.setValue(random.chance(50) ? nil : random.null(), forKey: key)
            XCTAssertNil(holder.counts[key])
        case .clearCounts: holder.assign(random.null(), "counts", &random)
        case .assignCounts(let entries):
            let given: [String: Any] = entries.mapValues { random.loose($0) }
            holder.assign(random.loose(given), "counts", &random)
            XCTAssertEqual(holder.counts.count, entries.count)
            for (key, value) in entries { XCTAssertEqual(holder.counts[key], value) }
        case .putItem(let key, let place):
            let item = item(place)
            holder.items.setValue(item ?? random.null(), forKey: key)
            XCTAssert(holder.items.keys.contains(key))
            XCTAssertEqual(
                holder.items[key].flatMap { $0 }.map { $0.isSameObject(as: item) }, item.map { _ in true })
        case .removeItem(let key):
            holder.items.setValue(nil, forKey: key)
            XCTAssertFalse(holder.items.keys.contains(key))
        case .clearItems: holder.assign(random.null(), "items", &random)
        case .delete, .loosely: return false
        }
        return true
    }
}

extension Results {
    /// The element that an edit means by a number, which may be larger than the count; nil if there is none.
    fileprivate func element(_ number: Int) -> Element? { isEmpty ? nil : self[number % count] }
}

extension Realm {
    /// Creates an object of values by one of the routes that take them.
    ///
    /// - Parameter order: the names of the properties in order of declaration, to give an array; nil to give none.
    func createLoosely<Model: Object>(
        _ values: [String: Any], inOrder order: [String]?, _ random: inout RandomSource,
        _ make: (Any) -> Model
    ) -> Model {
        let type = Model.self
        if let order, random.chance(20) {
            let given = order.prefix { values[$0] != nil }.map { values[$0]! }
            if given.count == values.count { return create(type, value: given) }
        }
        let given = random.looseObject(values)
        switch random.below(4) {
        case 0:
            let object = make(given)
            add(object)
            return object
        case 1:
            let object = dynamicCreate(Model.className(), value: given)
            return objects(type).first { $0.isSameObject(as: object) } ?? create(type)
        default: return create(type, value: given)
        }
    }
}

extension ObjectBase {
    /// Assigns a property by one of the routes that take any value.
    func assign(_ value: Any, _ key: String, _ random: inout RandomSource) {
        switch random.below(5) {
        case 0: setValue(value, forKey: key)
        case 1: setValue(value, forKeyPath: "self.\(key)")
        case 2: setValuesForKeys([key: value])
        case 3: setValue(random.chance(50) ? value : Any?.some(value) as Any, forKey: key)
        default: self[key] = value
        }
    }
}
