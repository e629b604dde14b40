import Foundation
import Kivo

/// A step that changes something, carried out at one side.
struct KeyValueCaseMutation {
    static let actions: Set<String> = [
        "set", "setMany", "setEach", "create", "append", "insert", "remove", "removeElement", "removeLast",
        "removeAll", "replace", "move", "swap", "fill", "setAdd", "setRemove", "setUnion", "setMinus",
        "setIntersect", "setAssign", "dictSet", "dictRemove", "dictRemoveAll", "addOrUpdate", "delete",
        "deleteAll", "deleteQuery", "deleteList",
    ]

    let step: KeyValueCaseStep
    private let test: KeyValueCase
    let side: KeyValueCaseSide

    init(_ step: KeyValueCaseStep, _ test: KeyValueCase, _ side: KeyValueCaseSide) {
        self.step = step
        self.test = test
        self.side = side
    }

    /// Whether hand-written notifications are to be those by typed key path.
    var isTyped: Bool { test.setup.contains("typed") }

    func perform() throws {
        switch step.action {
        case "set": try set()
        case "setMany": try setMany()
        case "setEach": try setEach()
        case "create": try create()
        case "dictSet", "dictRemove", "dictRemoveAll": try changeMap()
        case "addOrUpdate": try addOrUpdate()
        case "delete":
            guard let object = try side.model(path) as? ObjectBase else { throw misfit() }
            realm.delete(object)
        case "deleteAll": realm.deleteAll()
        case "deleteQuery": try model().deleteAll(in: realm)
        case "deleteList":
            guard let list = try side.value("\(path).\(key)") as? any KeyValueCaseList else { throw misfit() }
            list.delete(from: realm)
        default: try changeCollection()
        }
    }

    var path: String { step.object ?? "" }
    var key: String { step.key ?? "" }

    func misfit() -> KeyValueCaseError { KeyValueCaseError("the step \(JSONValue.object(step.fields))") }

    private var realm: Realm {
        guard let realm = side.realm else { fatalError("the step '\(step.action)' needs a realm") }
        return realm
    }

    private func model() throws -> any KeyValueCaseRow.Type {
        guard let type = step.string("type"), let model = KeyValueCaseStage.realm.types[type],
            let row = model as? any KeyValueCaseRow.Type
        else { throw misfit() }
        return row
    }

    static func property(_ object: any KeyValueCaseModel, _ key: String) -> KeyValueCaseProperty? {
        type(of: object).caseProperty(key)
    }

    // MARK: Setting

    private func set() throws {
        let value = step["value"] ?? .null
        if path == "null" { return NSNull().setValue(try side.any(value), forKey: key) }
        let object = try side.model(path)
        switch step.via {
        case "kvc": object.setValue(try coded(value, object), forKey: key)
        case "kvcPath": object.setValue(try side.any(value), forKeyPath: key)
        case "subscript": (object as? ObjectBase)?[key] = try coded(value, object)
        case nil, "setter": try assign(value, object)
        default: throw misfit()
        }
    }

    /// Calls the Swift setter at the end of the key path.
    private func assign(_ value: JSONValue, _ object: any KeyValueCaseModel) throws {
        let parts = key.split(separator: ".").map(String.init)
        let owner =
            parts.count > 1
            ? try side.model("\(path).\(parts.dropLast().joined(separator: "."))") : object
        let last = parts.last ?? ""
        if let assign = Self.property(owner, last)?.assign { return try assign(owner, value, side) }
        owner.setValue(try side.any(value), forKey: last)
    }

    /// Returns a value in the form in which it is passed by name: with a container's type if the property is a container.
    private func coded(_ value: JSONValue, _ object: any KeyValueCaseModel) throws -> Any? {
        if case .object = value, let property = Self.property(object, key) {
            return try property.make(value, side)
        }
        return try side.any(value)
    }

    private func setMany() throws {
        guard case .object(let members) = step["values"] else { throw misfit() }
        let values = try members.mapValues { try side.any($0) ?? NSNull() }
        try side.model(path).setValuesForKeys(values)
    }

    private func setEach() throws {
        guard let property = step.string("property") else { throw misfit() }
        let value = try side.any(step["value"] ?? .null)
        switch try side.value("\(path).\(key)") {
        case let collection as any KeyValueCaseCollection: collection.setEach(value, property)
        case let array as [Any]: NSArray(array: array).setValue(value, forKey: property)
        case let set as Set<AnyHashable>: NSSet(set: set).setValue(value, forKey: property)
        default: throw misfit()
        }
    }

    private func create() throws {
        guard let type = step.string("type"), let name = step.string("name") else { throw misfit() }
        let stages = side.realm == nil ? KeyValueCaseStage.all(side.kind) : [.realm]
        guard let model = stages.lazy.compactMap({ $0.types[type] }).first else { throw misfit() }
        let created = try object(model)
        side.register(name, created)
        if let row = created as? any KeyValueCaseRow, let realm = side.realm { realm.add(row) }
    }

    /// A new object with the step's values.
    private func object(_ model: any KeyValueCaseModel.Type) throws -> any KeyValueCaseModel {
        let object = model.init()
        if case .object(let members) = step["values"] {
            for (key, value) in members.sorted(by: { $0.key < $1.key }) {
                guard let assign = model.caseProperty(key)?.assign else { throw misfit() }
                try assign(object, value, side)
            }
        }
        return object
    }

    private func addOrUpdate() throws {
        let object = step.object == nil ? try object(model()) : try side.model(path)
        guard let row = object as? any KeyValueCaseRow else { throw misfit() }
        realm.add(row, update: .all)
    }

    private func changeMap() throws {
        let target = try side.value(path)
        let value = step["value"] ?? .null
        switch (target, step.action) {
        case (let map as any KeyValueCaseMap, "dictSet"): try map.set(key, value, side)
        case (let map as any KeyValueCaseMap, "dictRemove"): map.remove(key)
        case (let map as any KeyValueCaseMap, "dictRemoveAll"): map.removeEntries()
        case (let table as any KeyValueCaseModel, "dictSet"): table.setValue(try side.any(value), forKey: key)
        case (let table as any KeyValueCaseModel, "dictRemove"): table.setValue(nil, forKey: key)
        default: throw misfit()
        }
    }
}
