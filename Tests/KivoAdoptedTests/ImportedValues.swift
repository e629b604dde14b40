import Foundation
import Kivo
import RealmFileBuilding
import XCTest

/// A class of an application, and how its objects are read.
struct AdoptedClass {
    let type: ObjectBase.Type
    /// Returns the objects; none for an embedded class, whose objects are parts of others.
    let objects: (Realm) -> [Object]

    init<Model: Object>(_ type: Model.Type) {
        self.type = type
        objects = { Array($0.objects(type)) }
    }

    init(embedded type: EmbeddedObject.Type) {
        self.type = type
        objects = { _ in [] }
    }
}

/// Compares the objects of a realm with what a file was made of.
struct ImportedValues {
    let realm: Realm
    /// The class of each class of the file.
    let types: [String: AdoptedClass]
    let classes: [FileClass]
    /// How many values were compared.
    private(set) var count = 0

    init(_ realm: Realm, _ types: [AdoptedClass], _ classes: [FileClass]) {
        self.realm = realm
        self.types = Dictionary(uniqueKeysWithValues: types.map { ($0.type.className(), $0) })
        self.classes = classes
    }

    /// Compares all objects that are not embedded, in the order of the file, and the objects that they own.
    mutating func compare() {
        for type in classes where !type.isEmbedded {
            let found = objects(of: type)
            XCTAssertEqual(found.count, type.objects.count, type.name)
            for (object, values) in zip(found, type.objects) { compare(object, values, type) }
        }
        for type in classes where type.isEmbedded {
            XCTAssertEqual(realm.dynamicObjects(type.name).count, type.objects.count, type.name)
        }
    }

    private func objects(of type: FileClass) -> [Object] {
        types[type.name]?.objects(realm) ?? []
    }

    private mutating func compare(_ object: ObjectBase, _ values: [String: FileValue], _ type: FileClass) {
        for property in type.properties {
            let value = values[property.name] ?? .null
            let found = object.value(forKey: property.name)
            let place = "\(type.name).\(property.name)"
            if property.type == .any {
                compareAny(anyValue(found), value, place)
                continue
            }
            switch property.collection {
            case .list, .set:
                let elements = (found as? any Sequence).map { $0.map { $0 as Any } } ?? []
                guard case .list(let expected) = value else {
                    XCTAssertEqual(elements.count, 0, place)
                    continue
                }
                XCTAssertEqual(elements.count, expected.count, place)
                for (element, value) in zip(elements, expected) { compare(element, value, property, place) }
            case .dictionary:
                if case .dictionary(let expected) = value {
                    compare(found, expected, place)
                } else {
                    compare(found, [:], place)
                }
            case nil: compare(found, value, property, place)
            }
        }
    }

    private mutating func compare(
        _ found: Any?, _ value: FileValue, _ property: FileClass.Property, _ place: String
    ) {
        count += 1
        let found = found.flatMap(unwrapped)
        switch value {
        case .null: XCTAssertNil(found, place)
        case .object(let target):
            let type = classes.first { $0.name == property.target }!
            guard let object = found as? ObjectBase else { return XCTFail("\(place): no object") }
            XCTAssertTrue(Swift.type(of: object) == types[type.name]!.type, place)
            if type.isEmbedded {
                compare(object, type.objects[target], type)
            } else {
                XCTAssertTrue(object.isSameObject(as: objects(of: type)[target]), place)
            }
        default: XCTAssertEqual(words(found), words(value), place)
        }
    }

    private mutating func compare(_ found: Any?, _ expected: [String: FileValue], _ place: String) {
        var entries: [String: String] = [:]
        switch found {
        case let map as Map<String, String>: for entry in map { entries[entry.key] = "\"\(entry.value)\"" }
        case let map as Map<String, String?>:
            for entry in map { entries[entry.key] = entry.value.map { "\"\($0)\"" } ?? "null" }
        default: return XCTFail("\(place): no dictionary")
        }
        count += expected.count
        XCTAssertEqual(entries, expected.mapValues { words($0) }, place)
    }

    private mutating func compareAny(_ found: AnyRealmValue, _ value: FileValue, _ place: String) {
        count += 1
        switch (found, value) {
        case (.object(let object), .objectOf(let name, let target)):
            let type = classes.first { $0.name == name }!
            XCTAssertTrue(object.isSameObject(as: objects(of: type)[target]), place)
        case (.list(let list), .list(let elements)):
            XCTAssertEqual(list.count, elements.count, place)
            for (element, value) in zip(list, elements) { compareAny(element, value, place) }
        case (.dictionary(let map), .dictionary(let entries)):
            XCTAssertEqual(Set(map.keys), Set(entries.keys), place)
            for (key, value) in entries { compareAny(map[key] ?? .none, value, place) }
        case (.none, .null): break
        case (.int(let found), .int(let value)): XCTAssertEqual(Int64(found), value, place)
        case (.bool(let found), .bool(let value)): XCTAssertEqual(found, value, place)
        case (.double(let found), .double(let value)): XCTAssertEqual(found, value, place)
        case (.string(let found), .string(let value)): XCTAssertEqual(found, value, place)
        case (.decimal128(let found), .decimal): XCTAssertEqual(words(found), words(value), place)
        default: XCTFail("\(place): \(found) instead of \(value)")
        }
    }

    /// Returns the contents of a property of any value, which by name is the value itself.
    private func anyValue(_ found: Any?) -> AnyRealmValue {
        switch found.flatMap(unwrapped) {
        case nil: .none
        case let value as AnyRealmValue: value
        case let value as Bool: .bool(value)
        case let value as Int: .int(value)
        case let value as Double: .double(value)
        case let value as String: .string(value)
        case let value as Decimal128: .decimal128(value)
        case let value as Object: .object(value)
        case let value as List<AnyRealmValue>: .list(value)
        case let value as Map<String, AnyRealmValue>: .dictionary(value)
        case let value?: fatalError("a value of type \(Swift.type(of: value))")
        }
    }

    private func unwrapped(_ value: Any) -> Any? {
        let mirror = Mirror(reflecting: value)
        return mirror.displayStyle == .optional ? mirror.children.first?.value : value
    }

    private func words(_ value: Any?) -> String {
        switch value {
        case let text as String: "\"\(text)\""
        case let mood as Mood: "\"\(mood.rawValue)\""
        case let status as Order.Status: "\"\(status.rawValue)\""
        case let state as DownloadState: "\(state.rawValue)"
        case let bytes as Data: "\(Array(bytes))"
        case let date as Date: "\(date.timeIntervalSince1970)"
        case let id as ObjectId: id.stringValue
        case let number as Decimal128: words(number)
        case let value?: "\(value)"
        case nil: "null"
        }
    }

    /// Zeros at the end do not come along, and equal numbers have equal words here.
    private func words(_ number: Decimal128) -> String {
        let text = number.description
        guard text.contains("."), !text.contains("E") else { return text }
        let digits = text.reversed().drop { $0 == "0" }
        return String((digits.first == "." ? digits.dropFirst() : digits).reversed())
    }

    private func words(_ value: FileValue) -> String {
        switch value {
        case .null: "null"
        case .int(let value): "\(value)"
        case .bool(let value): "\(value)"
        case .string(let text): "\"\(text)\""
        case .data(let bytes): "\(bytes)"
        case .date(let seconds, let nanoseconds): "\(Double(seconds) + Double(nanoseconds) / 1e9)"
        case .float(let value): "\(value)"
        case .double(let value): "\(value)"
        case .decimal(let digits, let fraction):
            (try? Decimal128(string: "\(digits)E-\(fraction)")).map { words($0) } ?? "?"
        case .objectID(let bytes):
            bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        case .uuid, .object, .objectOf, .list, .dictionary: "\(value)"
        }
    }
}
