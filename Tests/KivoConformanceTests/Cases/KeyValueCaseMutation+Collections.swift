import Foundation
import Kivo

/// Changes of ordered and unordered collections, in the ways in which a program makes them.
extension KeyValueCaseMutation {
    func changeCollection() throws {
        let isSet = step.action.hasPrefix("set")
        switch step.via {
        case "mutableArrayValue" where !isSet: try change(proxyOfArray())
        case "mutableSetValue" where isSet: try change(proxyOfSet())
        case "manual", "helper": isSet ? try bracketSet() : try bracketList()
        default: try changeDirectly()
        }
    }

    /// Calls the collection's own methods.
    private func changeDirectly() throws {
        let object = try side.model(path)
        switch try side.value("\(path).\(key)") {
        case let collection as any KeyValueCaseCollection where step.action == "fill":
            try collection.fill(step.values, side)
        case let list as any KeyValueCaseList: try list.perform(step, side)
        case let set as any KeyValueCaseSet: try set.perform(step, side)
        case let array as NSMutableArray: try change(array)
        case let set as NSMutableSet: try change(set)
        case let array as [Any]:
            guard let store = Self.property(object, key)?.store else { throw misfit() }
            let edit = try KeyValueCaseListEdit(step, array, try elements())
            try store(object, edit.result)
        case let set as Set<AnyHashable>:
            guard let store = Self.property(object, key)?.store else { throw misfit() }
            try store(object, try setEdit(set).result)
        default: throw misfit()
        }
    }

    private func elements() throws -> [Any] { try step.values.map { try object($0) ?? NSNull() } }

    private func members() throws -> Set<AnyHashable> {
        let members = try step.values.compactMap { try object($0) as? AnyHashable }
        guard let owner = try? side.model(path),
            Self.property(owner, key)?.get(owner) is NSMutableSet
        else { return Set(members) }
        // Foundation's sets hold numbers as objects, which do not hash like numbers.
        return Set(members.map { ($0.base as? Int).map { AnyHashable(NSNumber(value: $0)) } ?? $0 })
    }

    /// A value; an object that is not there yet is made, of the class that the property is of.
    private func object(_ value: JSONValue) throws -> Any? {
        if side.path(value) != nil, let owner = try? side.model(path),
            let model = Self.property(owner, key)?.objectClass
        {
            return try model.make(value, side)
        }
        return try side.any(value)
    }

    // MARK: Proxies

    private func proxyOfArray() throws -> NSMutableArray {
        let object = try side.model(path)
        return key.contains(".")
            ? object.mutableArrayValue(forKeyPath: key) : object.mutableArrayValue(forKey: key)
    }

    private func proxyOfSet() throws -> NSMutableSet {
        let object = try side.model(path)
        return key.contains(".")
            ? object.mutableSetValue(forKeyPath: key) : object.mutableSetValue(forKey: key)
    }

    private func change(_ array: NSMutableArray) throws {
        let values = try step.values.map { try object($0) ?? NSNull() }
        let positions = step.positions
        let indexes = IndexSet(positions)
        switch step.action {
        case "append": values.count == 1 ? array.add(values[0]) : array.addObjects(from: values)
        case "insert":
            positions.count == 1
                ? array.insert(values[0], at: positions[0]) : array.insert(values, at: indexes)
        case "remove":
            positions.count == 1
                ? array.removeObject(at: positions[0]) : array.removeObjects(at: indexes)
        case "removeElement": array.remove(try object(step["value"] ?? .null) ?? NSNull())
        case "removeLast": array.removeLastObject()
        case "removeAll": array.removeAllObjects()
        case "replace":
            positions.count == 1
                ? array.replaceObject(at: positions[0], with: values[0])
                : array.replaceObjects(at: indexes, with: values)
        case "swap": array.exchangeObject(at: positions[0], withObjectAt: positions[1])
        case "fill": array.setArray(values)
        default: throw misfit()
        }
    }

    private func change(_ set: NSMutableSet) throws {
        let members = try members()
        switch step.action {
        case "setAdd" where members.count == 1: set.add(members.first!.base)
        case "setAdd": set.addObjects(from: members.map(\.base))
        case "setRemove": for member in members { set.remove(member.base) }
        case "setUnion": set.union(members)
        case "setMinus": set.minus(members)
        case "setIntersect": set.intersect(members)
        case "setAssign": set.setSet(members)
        default: throw misfit()
        }
    }

    // MARK: Brackets by hand

    private func bracketList() throws {
        let object = try side.model(path)
        guard let property = Self.property(object, key), let store = property.store,
            let array = property.get(object) as? [Any]
        else { throw misfit() }
        let edit = try KeyValueCaseListEdit(step, array, elements())
        if isTyped {
            property.bracket(object, .willChangeElements(edit.kind, edit.indexes))
            try store(object, edit.result)
            property.bracket(object, .didChangeElements(edit.kind, edit.indexes))
        } else {
            object.willChange(edit.kind, valuesAt: edit.indexes, forKey: key)
            try store(object, edit.result)
            object.didChange(edit.kind, valuesAt: edit.indexes, forKey: key)
        }
    }

    private func bracketSet() throws {
        let object = try side.model(path)
        guard let property = Self.property(object, key), let store = property.store else { throw misfit() }
        if let live = property.get(object) as? NSMutableSet, step.action == "setAssign" {
            // Like any setter, but for one that keeps its set.
            object.willChangeValue(forKey: key)
            try change(live)
            return object.didChangeValue(forKey: key)
        }
        let (kind, members) = (try setEdit([]).kind, try members())
        object.willChangeValue(forKey: key, withSetMutation: kind, using: members)
        if let live = property.get(object) as? NSMutableSet {
            try change(live)
        } else if let set = property.get(object) as? Set<AnyHashable> {
            try store(object, try setEdit(set).result)
        } else {
            throw misfit()
        }
        object.didChangeValue(forKey: key, withSetMutation: kind, using: members)
    }

    private func setEdit(_ set: Set<AnyHashable>) throws -> (
        kind: NSKeyValueSetMutationKind, result: Set<AnyHashable>
    ) {
        let members = try members()
        return switch step.action {
        case "setAdd", "setUnion", "append": (.union, set.union(members))
        case "setRemove", "setMinus", "remove": (.minus, set.subtracting(members))
        case "setIntersect": (.intersect, set.intersection(members))
        case "setAssign", "fill": (.set, members)
        default: throw misfit()
        }
    }
}

/// The effect of a step on an array, and the announcement that a program makes of it.
struct KeyValueCaseListEdit {
    let kind: NSKeyValueChange
    let indexes: IndexSet
    let result: [Any]

    init(_ step: KeyValueCaseStep, _ array: [Any], _ elements: [Any]) throws {
        var result = array
        let positions = step.positions
        switch step.action {
        case "append", "fill":
            if step.action == "fill" { result = [] }
            kind = .insertion
            indexes = IndexSet(result.count..<(result.count + elements.count))
            result += elements
        case "insert":
            kind = .insertion
            indexes = IndexSet(positions)
            for (position, element) in zip(positions, elements) { result.insert(element, at: position) }
        case "remove", "removeLast", "removeAll", "removeElement":
            kind = .removal
            indexes = try Self.removed(step, array)
            for position in indexes.reversed() { result.remove(at: position) }
        case "replace":
            kind = .replacement
            indexes = IndexSet(positions)
            for (position, element) in zip(positions, elements) { result[position] = element }
        case "swap":
            kind = .replacement
            indexes = IndexSet(positions)
            result.swapAt(positions[0], positions[1])
        default: throw KeyValueCaseError("the step '\(step.action)' on an array")
        }
        self.result = result
    }

    private static func removed(_ step: KeyValueCaseStep, _ array: [Any]) throws -> IndexSet {
        switch step.action {
        case "remove": return IndexSet(step.positions)
        case "removeLast": return IndexSet(array.indices.suffix(1))
        case "removeAll": return IndexSet(array.indices)
        default:
            let position = array.firstIndex { element in
                KeyValueCaseComparison.matches(step["value"] ?? .null, RecordedValue(element) { _ in [] })
            }
            return IndexSet([position].compactMap { $0 })
        }
    }
}
