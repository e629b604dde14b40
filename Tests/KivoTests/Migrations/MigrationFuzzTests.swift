import Foundation
import Kivo
import TestRandomness
import XCTest

/// Random histories of classes: data is written, classes change their shapes, properties are renamed, files are closed and
/// opened. What comes out is compared with a model that knows names, types and values, and nothing of tables.
final class MigrationFuzzTests: MigrationTestCase {
    /// A value as the model has it: text, with the elements of collections in their order.
    private typealias Row = [String: String]

    /// The objects of the file: nodes by their keys. Leaves are part of the values of nodes.
    private var model: [Int: Row] = [:]
    /// The properties of each class in the shape that the file has.
    private var schema: [String: [Property]] = [:]

    func testRandomHistories() throws {
        var random = RandomSource()
        for _ in TestEffort.rounds(6, within: 0.24) {
            try? FileManager.default.removeItem(at: file)
            (model, schema) = ([:], [:])
            makesCheckpoints = random.chance(60)
            var shape = random.below(MigrationFuzzClasses.shapes.count)
            var version: UInt64 = 0
            for step in 0..<12 {
                if step > 0, random.chance(70) {
                    shape = random.below(MigrationFuzzClasses.shapes.count)
                    version += UInt64(1 + random.below(2))
                    try migrate(to: shape, version, &random)
                }
                try withRealm(configuration(MigrationFuzzClasses.shapes[shape], version: version)) { realm in
                    schema = properties(realm)
                    check(realm, "step \(step), shape \(shape)")
                    for _ in 0..<random.below(3) {
                        try realm.write { for _ in 0..<random.below(40) { edit(realm, &random) } }
                        check(realm, "step \(step), shape \(shape), edited")
                    }
                }
                try withRealm(configuration(MigrationFuzzClasses.shapes[shape], version: version)) { realm in
                    check(realm, "step \(step), shape \(shape), opened again")
                }
            }
        }
    }

    // MARK: Migrating

    private func migrate(to shape: Int, _ version: UInt64, _ random: inout RandomSource) throws {
        let types = MigrationFuzzClasses.shapes[shape]
        let next = try shapeOf(types)
        var renamed: [(from: String, to: String)] = []
        let isFirst = random.chance(50)
        if random.chance(60), let old = schema["Node"], let new = next["Node"] {
            let gone = old.filter { property in !new.contains { $0.name == property.name } }
            for property in gone.shuffled(using: &random) where random.chance(60) {
                let fits = new.filter { candidate in
                    candidate.type == property.type && candidate.isArray == property.isArray
                        && candidate.isMap == property.isMap && candidate.isSet == property.isSet
                        && candidate.objectClassName == property.objectClassName && candidate.name != "id"
                        && !renamed.contains { $0.to == candidate.name }
                }
                if let target = fits.randomElement(using: &random) {
                    renamed.append((property.name, target.name))
                }
            }
        }
        let names = renamed
        let marks = random.chance(50)
        let hasBlock = !names.isEmpty || random.chance(50)
        let block: MigrationBlock = { migration, _ in
            func rename() {
                for (from, to) in names { migration.renameProperty(onType: "Node", from: from, to: to) }
            }
            if isFirst { rename() }
            if marks {
                migration.enumerateObjects(ofType: "Node") { old, new in
                    XCTAssertEqual(old?["id"] as? Int, new?["id"] as? Int)
                    if let id = old?["id"] as? Int, id % 5 == 0 { return migration.delete(new!) }
                    // Its own value, as JSON and careless code give it.
                    guard let new, let id = new["id"] as? Int, id % 5 == 1 else { return }
                    var random = RandomSource(seed: UInt64(id))
                    for property in next["Node"] ?? [] where property.type == .int && !property.isMap {
                        if property.isArray {
                            guard let list = new[property.name] as? List<Int> else { continue }
                            let elements: [Any] = Array(list).map { random.loose($0) }
                            new.assign(random.loose(elements), property.name, &random)
                        } else if property.name != "id" {
                            let value = new[property.name] as? Int
                            new.assign(
                                value.map { random.loose($0) } ?? random.null(), property.name, &random)
                        }
                    }
                }
            }
            if !isFirst { rename() }
        }
        model = model.mapValues { row in
            var moved: Row = [:]
            for property in next["Node"] ?? [] {
                let source = names.first { $0.to == property.name }?.from ?? property.name
                moved[property.name] = value(row[source], of: source, as: property, next)
            }
            return moved
        }
        if hasBlock, marks { model = model.filter { !$0.key.isMultiple(of: 5) } }
        dropLinks()
        try withRealm(configuration(types, version: version, hasBlock ? block : nil)) { realm in
            schema = properties(realm)
            check(realm, "migrated to shape \(shape), renamed \(names), \(hasBlock ? "with a block" : "")")
        }
    }

    /// Returns the value that a property's value becomes in another property.
    private func value(
        _ text: String?, of name: String, as property: Property, _ next: [String: [Property]]
    ) -> String {
        guard let text, let old = schema["Node"]?.first(where: { $0.name == name }),
            old.type == property.type,
            old.isArray == property.isArray, old.isMap == property.isMap, old.isSet == property.isSet,
            old.objectClassName == property.objectClassName
        else { return empty(property) }
        if property.objectClassName == "Leaf" { return leaves(text, next["Leaf"] ?? []) }
        if !old.isOptional || property.isOptional || property.type == .any || property.objectClassName != nil
        {
            return text
        }
        let null = property.type == .string ? "" : "0"
        if property.isMap {
            return text.split(separator: ",").map { $0.hasSuffix("=nil") ? $0.dropLast(3) + null : $0[...] }
                .joined(separator: ",")
        }
        if property.isArray {
            return text.split(separator: ",").map { $0 == "nil" ? null : String($0) }.joined(separator: ",")
        }
        if property.isSet {
            let elements = Set(text.split(separator: ",").map { $0 == "nil" ? "''" : String($0) })
            return elements.sorted().joined(separator: ",")
        }
        return text == "nil" ? null : text
    }

    private func empty(_ property: Property) -> String {
        if property.isArray || property.isSet || property.isMap { return "" }
        if property.isOptional || property.type == .any || property.objectClassName != nil { return "nil" }
        switch property.type {
        case .string: return ""
        case .bool: return "false"
        case .double: return "0.0"
        case .data: return "0 bytes"
        default: return "0"
        }
    }

    /// Leaves, each `x/y`, in another shape.
    private func leaves(_ text: String, _ properties: [Property]) -> String {
        if text == "nil" || text.isEmpty { return text }
        return text.split(separator: ",").map { leaf in
            let parts = leaf.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            let hasText = properties.contains { $0.name == "y" }
            let isOptional = properties.first { $0.name == "x" }?.isOptional ?? false
            return "\(parts[0] == "nil" && !isOptional ? "0" : parts[0])/\(hasText ? parts[1] : "nil")"
        }.joined(separator: ",")
    }

    /// Links to nodes that are gone.
    private func dropLinks() {
        for (id, row) in model {
            for property in ["link", "links", "any"] {
                guard let text = row[property] else { continue }
                if property == "links" {
                    model[id]![property] = text.split(separator: ",").filter { isThere($0) }.joined(
                        separator: ",")
                } else if text.hasPrefix("#"), !isThere(text[...]) {
                    model[id]![property] = "nil"
                }
            }
        }
    }

    private func isThere(_ link: Substring) -> Bool {
        Int(link.dropFirst()).map { model[$0] != nil } ?? false
    }

    // MARK: Shapes

    private func properties(_ realm: Realm) -> [String: [Property]] {
        Dictionary(
            uniqueKeysWithValues: realm.schema.objectSchema.map { schema in
                (schema.className, schema.properties.filter { $0.type != .linkingObjects })
            })
    }

    private func shapeOf(_ types: [ObjectBase.Type]) throws -> [String: [Property]] {
        let memory = Realm.Configuration(inMemoryIdentifier: "shape \(UUID())", objectTypes: types)
        return properties(try Realm(configuration: memory))
    }

    // MARK: Editing

    private func edit(_ realm: Realm, _ random: inout RandomSource) {
        let nodes = realm.dynamicObjects("Node")
        if random.chance(10), nodes.count > 0 {
            let node = nodes[random.below(nodes.count)]
            model[node["id"] as! Int] = nil
            realm.delete(node)
            return dropLinks()
        }
        let id = random.below(60)
        let node =
            realm.dynamicObject(ofType: "Node", forPrimaryKey: id)
            ?? realm.dynamicCreate("Node", value: ["id": id])
        for property in schema["Node"] ?? [] where property.name != "id" && random.chance(40) {
            let value = randomValue(property, nodes, &random)
            node[property.name] = value
            guard random.chance(25) else { continue }
            // Now as JSON and careless code give it.
            let expected = text(node, property)
            let given = loose(value, property, &random)
            if random.chance(50) {
                realm.dynamicCreate(
                    "Node", value: random.looseObject(["id": random.loose(id), property.name: given]),
                    update: random.chance(50) ? .modified : .all)
            } else {
                node.assign(given, property.name, &random)
            }
            XCTAssertEqual(text(node, property), expected, "\(property.name) of '\(given)'")
        }
        model[id] = row(node)
    }

    private func loose(_ value: Any?, _ property: Property, _ random: inout RandomSource) -> Any {
        func loose(_ value: Any?, _ random: inout RandomSource) -> Any {
            switch value {
            case nil: random.null()
            case let value as [String: Int?]:
                random.loose(value.mapValues { loose($0, &random) } as [String: Any])
            case let value as [String: Any]:
                random.looseObject(value.mapValues { loose($0, &random) } as [String: Any])
            case let value as [Any?]: random.loose(value.map { loose($0, &random) } as [Any])
            case let value as Bool where property.type == .bool: random.loose(value)
            case let value as Double where property.type == .double: random.loose(value)
            case let value as Int: random.loose(value)
            case let value as String: random.loose(value)
            case let value as Data: random.loose(value)
            case let value?: value
            }
        }
        let isEmpty = property.isArray && (value as? [Any?])?.isEmpty == true
        return isEmpty && random.chance(50) ? random.null() : loose(value, &random)
    }

    private func randomValue(
        _ property: Property, _ nodes: Results<DynamicObject>, _ random: inout RandomSource
    ) -> Any? {
        func leaf() -> [String: Any] {
            var leaf: [String: Any] = ["x": random.below(9)]
            if schema["Leaf"]?.contains(where: { $0.name == "y" }) == true {
                leaf["y"] = "y\(random.below(9))"
            }
            return leaf
        }
        func number() -> Int { random.below(5) }
        func text() -> String {
            ["", "a", "b", "a text that is too long to be stored inline"][random.below(4)]
        }
        switch (property.type, property.objectClassName) {
        case (.object, "Leaf"):
            if property.isArray { return (0..<random.below(3)).map { _ in leaf() } }
            return random.chance(30) ? nil : leaf()
        case (.object, _):
            let node = nodes[random.below(nodes.count)]
            if property.isArray { return [node, nodes[random.below(nodes.count)]] }
            return random.chance(30) ? nil : node
        case (.any, _):
            switch random.below(5) {
            case 0: return AnyRealmValue.int(number())
            case 1: return AnyRealmValue.string(text())
            case 2: return AnyRealmValue.object(nodes[random.below(nodes.count)])
            case 3: return AnyRealmValue.fromArray([.int(number()), .string(text())])
            default: return AnyRealmValue.none
            }
        default: break
        }
        let isNull = property.isOptional && random.chance(30)
        if property.isMap {
            return ["k": isNull ? nil : number(), "l": number()] as [String: Int?]
        }
        if property.isSet { return isNull ? ["a", nil] : ["a", text()] as [String?] }
        if property.isArray { return (0..<random.below(4)).map { _ in isNull ? nil : number() } as [Int?] }
        if isNull { return nil }
        switch property.type {
        case .int: return number()
        case .string: return text()
        case .bool: return random.chance(50)
        case .double: return Double(number())
        case .data: return Data(count: number())
        case .UUID: return UUID()
        default: return nil
        }
    }

    // MARK: Comparing

    private func check(_ realm: Realm, _ when: String) {
        var found: [Int: Row] = [:]
        for node in realm.dynamicObjects("Node") { found[node["id"] as! Int] = row(node) }
        XCTAssertEqual(Set(found.keys), Set(model.keys), when)
        for (id, row) in model {
            for (name, text) in row {
                XCTAssertEqual(found[id]?[name], text, "\(when): \(id).\(name)")
            }
            // The index and the key find it.
            XCTAssertNotNil(realm.dynamicObject(ofType: "Node", forPrimaryKey: id), when)
        }
        guard realm.schema["Leaf"] != nil else { return }
        let leaves = model.values.reduce(0) { sum, row in
            sum + ["leaf", "leaves"].reduce(0) { $0 + leafCount(row[$1]) }
        }
        XCTAssertEqual(realm.dynamicObjects("Leaf").count, leaves, when)
    }

    private func leafCount(_ text: String?) -> Int {
        guard let text, text != "nil" else { return 0 }
        return text.split(separator: ",").count
    }

    private func row(_ node: DynamicObject) -> Row {
        var row: Row = [:]
        for property in schema["Node"] ?? [] { row[property.name] = text(node, property) }
        return row
    }

    private func text(_ node: DynamicObject, _ property: Property) -> String {
        func leaf(_ leaf: ObjectBase) -> String {
            let hasText = leaf.objectSchema["y"] != nil
            let (x, y) = (leaf["x"] as? Int, hasText ? leaf["y"] as? String : nil)
            return "\(x.map { "\($0)" } ?? "nil")/\(y ?? "nil")"
        }
        func plain(_ value: Any?) -> String {
            switch value {
            case nil: "nil"
            case let data as Data: "\(data.count) bytes"
            case let value?: "\(value)"
            }
        }
        if property.objectClassName != nil, property.isArray {
            let isLeaf = property.objectClassName == "Leaf"
            return node.dynamicList(property.name).map { isLeaf ? leaf($0) : "#\($0["id"] as! Int)" }
                .joined(separator: ",")
        }
        let value = node[property.name]
        if property.objectClassName != nil {
            guard let object = value as? ObjectBase else { return "nil" }
            return property.objectClassName == "Leaf" ? leaf(object) : "#\(object["id"] as! Int)"
        }
        switch value {
        case let list as List<Int>: return list.map { "\($0)" }.joined(separator: ",")
        case let list as List<Int?>: return list.map { plain($0) }.joined(separator: ",")
        case let set as MutableSet<String>:
            return set.map { $0.isEmpty ? "''" : $0 }.sorted().joined(separator: ",")
        case let set as MutableSet<String?>:
            return set.map { $0.map { $0.isEmpty ? "''" : $0 } ?? "nil" }.sorted().joined(separator: ",")
        case let map as Map<String, Int>: return map.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
        case let map as Map<String, Int?>:
            return map.map { "\($0.key)=\(plain($0.value))" }.joined(separator: ",")
        default: break
        }
        guard property.type == .any else { return plain(value) }
        switch AnyRealmValue.from(value) {
        case .none: return "nil"
        case .object(let object): return "#\(object["id"] as! Int)"
        case let other: return "\(other)"
        }
    }
}

extension AnyRealmValue {
    fileprivate static func from(_ value: Any?) -> AnyRealmValue {
        switch value {
        case let value as AnyRealmValue: value
        case let value as Int: .int(value)
        case let value as String: .string(value)
        case let value as DynamicObject: .object(value)
        case let value as [Any]: .string("\(value.map { "\($0)" })")
        default: .none
        }
    }
}
