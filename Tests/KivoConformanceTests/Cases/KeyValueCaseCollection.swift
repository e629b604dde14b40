import Foundation
import Kivo

/// A list, set or map of Kivo, its elements given as values of a case.
protocol KeyValueCaseCollection: AnyObject {
    func recorded(_ names: (any KeyValueCaseModel) -> [String]) -> RecordedValue
    func fill(_ values: [JSONValue], _ side: KeyValueCaseSide) throws
    func setEach(_ value: Any?, _ key: String)
    func value(forKeyPath keyPath: String) -> Any?
}

protocol KeyValueCaseList: KeyValueCaseCollection {
    var elementCount: Int { get }
    func element(_ position: Int) -> Any?
    /// Carries out a step by the list's own methods.
    func perform(_ step: KeyValueCaseStep, _ side: KeyValueCaseSide) throws
    func delete(from realm: Realm)
}

protocol KeyValueCaseSet: KeyValueCaseCollection {
    func perform(_ step: KeyValueCaseStep, _ side: KeyValueCaseSide) throws
}

protocol KeyValueCaseMap: KeyValueCaseCollection {
    func set(_ key: String, _ value: JSONValue, _ side: KeyValueCaseSide) throws
    func remove(_ key: String)
    func removeEntries()
}

extension List: KeyValueCaseCollection where Element: KeyValueCaseValue {
    func recorded(_ names: (any KeyValueCaseModel) -> [String]) -> RecordedValue {
        isInvalidated ? .other("an invalidated list") : .list(map { RecordedValue($0, names: names) })
    }

    func fill(_ values: [JSONValue], _ side: KeyValueCaseSide) throws {
        if !isEmpty { removeAll() }
        if !values.isEmpty { append(objectsIn: try [Element].make(.array(values), side)) }
    }

    func setEach(_ value: Any?, _ key: String) { setValue(value, forKey: key) }
}

extension List: KeyValueCaseList where Element: KeyValueCaseValue {
    var elementCount: Int { count }

    func element(_ position: Int) -> Any? { flattened(self[position]) }

    func delete(from realm: Realm) { removeAllObjects(from: realm) }

    func perform(_ step: KeyValueCaseStep, _ side: KeyValueCaseSide) throws {
        let values = try step.values.map { try Element.make($0, side) }
        let positions = step.positions
        switch step.action {
        case "append": values.count == 1 ? append(values[0]) : append(objectsIn: values)
        case "insert": for (position, value) in zip(positions, values) { insert(value, at: position) }
        case "remove":
            positions.count == 1 ? remove(at: positions[0]) : remove(atOffsets: IndexSet(positions))
        case "removeElement":
            if let position = index(of: try Element.make(step["value"] ?? .null, side)) {
                remove(at: position)
            }
        case "removeLast": removeLast()
        case "removeAll": removeAll()
        case "replace": for (position, value) in zip(positions, values) { self[position] = value }
        case "move":
            guard let destination = step.int("to"), let source = positions.first else {
                throw KeyValueCaseError("a move without positions")
            }
            move(from: source, to: destination)
        case "swap": swapAt(positions[0], positions[1])
        default: throw KeyValueCaseError("the step '\(step.action)' on a list")
        }
    }
}

extension List {
    /// Deletes the objects of a list from a realm, if they are objects.
    fileprivate func removeAllObjects(from realm: Realm) {
        realm.delete(compactMap { flattened($0) as? ObjectBase })
    }
}

extension MutableSet: KeyValueCaseCollection where Element: KeyValueCaseValue {
    func recorded(_ names: (any KeyValueCaseModel) -> [String]) -> RecordedValue {
        isInvalidated ? .other("an invalidated set") : .set(map { RecordedValue($0, names: names) })
    }

    func fill(_ values: [JSONValue], _ side: KeyValueCaseSide) throws {
        if !isEmpty { removeAll() }
        if !values.isEmpty { insert(objectsIn: try [Element].make(.array(values), side)) }
    }

    func setEach(_ value: Any?, _ key: String) { setValue(value, forKey: key) }
}

extension MutableSet: KeyValueCaseSet where Element: KeyValueCaseValue {
    func perform(_ step: KeyValueCaseStep, _ side: KeyValueCaseSide) throws {
        let values = try step.values.map { try Element.make($0, side) }
        switch step.action {
        case "setAdd", "append": values.count == 1 ? insert(values[0]) : insert(objectsIn: values)
        case "setRemove": for value in values { remove(value) }
        case "removeAll": removeAll()
        case "setUnion": formUnion(try Self.make(.array(step.values), side))
        case "setMinus": subtract(try Self.make(.array(step.values), side))
        case "setIntersect": formIntersection(try Self.make(.array(step.values), side))
        case "setAssign":
            removeAll()
            insert(objectsIn: values)
        default: throw KeyValueCaseError("the step '\(step.action)' on a set")
        }
    }
}

extension Map: KeyValueCaseCollection where Key == String, Value: KeyValueCaseValue {
    func recorded(_ names: (any KeyValueCaseModel) -> [String]) -> RecordedValue {
        if isInvalidated { return .other("an invalidated map") }
        var entries: [String: RecordedValue] = [:]
        for (key, value) in self { entries[key] = RecordedValue(value, names: names) }
        return .map(entries)
    }

    func fill(_ values: [JSONValue], _ side: KeyValueCaseSide) throws {
        throw KeyValueCaseError("filling a map")
    }

    func setEach(_ value: Any?, _ key: String) { setValue(value, forKey: key) }
}

extension Map: KeyValueCaseMap where Key == String, Value: KeyValueCaseValue {
    func set(_ key: String, _ value: JSONValue, _ side: KeyValueCaseSide) throws {
        self[key] = try Value.make(value, side)
    }

    func remove(_ key: String) { removeObject(for: key) }
    func removeEntries() { removeAll() }
}

/// An object that can be observed by name.
protocol KeyValueCaseObservable: AnyObject {
    func addObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String, options: NSKeyValueObservingOptions,
        context: UnsafeMutableRawPointer?)
    func removeObserver(_ observer: any KeyValueObserver, forKeyPath keyPath: String)
    func removeObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?)
}

extension List: KeyValueCaseObservable {}
extension MutableSet: KeyValueCaseObservable {}
extension Map: KeyValueCaseObservable {}
