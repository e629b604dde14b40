import Foundation
import XCTest

@testable import Kivo

/// All objects of a realm as plain values, read through their properties: the slow model of change sets.
struct HistoryContents: Equatable {
    typealias Value = ChangeSet.Value

    var objects: [ChangeSet.ObjectID: [String: Value]] = [:]

    init() {}

    init(_ realm: Realm) {
        for dog in realm.objects(HistoryDog.self) {
            objects[HistoryContents.id(dog)] = [
                "id": .int(dog.id), "name": .string(dog.name), "age": dog.age.map { .int($0) } ?? .null,
                "weight": .double(dog.weight), "tags": .list(dog.tags.map { .string($0) }),
                "friends": .list(dog.friends.map { .object(HistoryContents.id($0)) }),
                "marks": .set(Set(dog.marks.map { .int($0) })),
                "scores": HistoryContents.dictionary(dog.scores) { .double($0) },
                "owner": dog.owner.map { .object(HistoryContents.id($0)) } ?? .null,
                "home": HistoryContents.place(dog.home),
                "places": .list(dog.places.map { HistoryContents.place($0) }),
                "named": HistoryContents.dictionary(dog.named) { HistoryContents.place($0) },
                "anything": HistoryContents.any(dog.anything),
                "mixed": .list(dog.mixed.map { HistoryContents.any($0) }),
            ]
        }
        for person in realm.objects(HistoryPerson.self) {
            objects[HistoryContents.id(person)] = [
                "name": .string(person.name),
                "dogs": .list(person.dogs.map { .object(HistoryContents.id($0)) }),
            ]
        }
    }

    static func id(_ dog: HistoryDog) -> ChangeSet.ObjectID {
        ChangeSet.ObjectID(className: "HistoryDog", primaryKey: .int(dog.id), key: 0)
    }

    static func id(_ person: HistoryPerson) -> ChangeSet.ObjectID {
        person.locateOrTrap()
        return ChangeSet.ObjectID(className: "HistoryPerson", key: person.kivoRow.key)
    }

    private static func place(_ place: HistoryPlace?) -> Value {
        guard let place else { return .null }
        var inner = Value.null
        if let spot = place.inner { inner = .embedded(["x": .int(spot.x), "any": any(spot.any)]) }
        return .embedded([
            "city": .string(place.city), "inner": inner, "lines": .list(place.lines.map { .int($0) }),
        ])
    }

    private static func dictionary<V>(_ map: Map<String, V>, _ value: (V) -> Value) -> Value {
        .dictionary(
            zip(map.keys, map.values).map { ChangeSet.Entry(key: $0, value: value($1)) }
                .sorted { Array($0.key.utf8).lexicographicallyPrecedes(Array($1.key.utf8)) })
    }

    private static func any(_ value: AnyRealmValue) -> Value {
        switch value {
        case .none: .null
        case .int(let value): .int(value)
        case .bool(let value): .bool(value)
        case .float(let value): .float(value)
        case .double(let value): .double(value)
        case .string(let value): .string(value)
        case .data(let value): .data(value)
        case .date(let value): .date(value)
        case .objectId(let value): .objectId(value)
        case .decimal128(let value): .decimal128(value)
        case .uuid(let value): .uuid(value)
        case .object(let object): (object as? HistoryDog).map { .object(id($0)) } ?? .null
        case .list(let list): .list(list.map { any($0) })
        case .dictionary(let map): dictionary(map) { any($0) }
        }
    }

    /// Carries out a change set as its documentation describes it, and checks that it says nothing but differences.
    mutating func apply(_ changes: ChangeSet, file: StaticString = #filePath, line: UInt = #line) {
        for change in changes.all {
            let old = objects[change.object]
            XCTAssertEqual(old != nil, change.kind != .inserted, "\(change)", file: file, line: line)
            var new = old ?? [:]
            if change.kind == .modified { XCTAssertFalse(change.properties.isEmpty, file: file, line: line) }
            for property in change.properties {
                let before = new[property.name]
                new[property.name] = after(before, property, change.kind, file, line)
                // Lists are compared by operations.
                XCTAssertFalse(
                    property.listEdits == nil && before == new[property.name],
                    "\(property.name) does not differ: \(change)", file: file,
                    line: line)
            }
            if change.kind != .modified {
                XCTAssertEqual(
                    Set(change.properties.map(\.name)), Set((old ?? new).keys), file: file, line: line)
            }
            objects[change.object] = change.kind == .deleted ? nil : new
        }
    }

    private func after(
        _ before: Value?, _ property: ChangeSet.Property, _ kind: ChangeSet.Change.Kind,
        _ file: StaticString, _ line: UInt
    ) -> Value? {
        switch before {
        case .list(var elements)? where property.listEdits != nil:
            let edits = property.listEdits!
            XCTAssertEqual(edits.oldCount, elements.count, file: file, line: line)
            let old = elements
            for deletion in edits.deletions.reversed() {
                XCTAssertEqual(elements.remove(at: deletion.index), deletion.value, file: file, line: line)
            }
            for insertion in edits.insertions { elements.insert(insertion.value, at: insertion.index) }
            for modification in edits.modifications {
                XCTAssertEqual(old[modification.oldIndex], modification.old, file: file, line: line)
                XCTAssertEqual(elements[modification.newIndex], modification.old, file: file, line: line)
                XCTAssertNotEqual(modification.old, modification.new, file: file, line: line)
                elements[modification.newIndex] = modification.new
            }
            for move in edits.moves {
                XCTAssertTrue(edits.deletions.contains { $0.index == move.from }, file: file, line: line)
                XCTAssertTrue(edits.insertions.contains { $0.index == move.to }, file: file, line: line)
            }
            XCTAssertEqual(elements.count, edits.newCount, file: file, line: line)
            return .list(elements)
        case .set(var elements)? where property.setEdits != nil:
            for element in property.setEdits!.removed {
                XCTAssertNotNil(elements.remove(element), file: file, line: line)
            }
            for element in property.setEdits!.inserted {
                XCTAssertTrue(elements.insert(element).inserted, file: file, line: line)
            }
            return .set(elements)
        case .dictionary(var entries)? where property.dictionaryEdits != nil:
            for edit in property.dictionaryEdits!.entries {
                let index = entries.firstIndex { Array($0.key.utf8) == Array(edit.key.utf8) }
                XCTAssertEqual(index.map { entries[$0].value }, edit.old, file: file, line: line)
                XCTAssertNotEqual(edit.old, edit.new, file: file, line: line)
                if let index { entries.remove(at: index) }
                if let new = edit.new { entries.append(ChangeSet.Entry(key: edit.key, value: new)) }
            }
            return .dictionary(
                entries.sorted { Array($0.key.utf8).lexicographicallyPrecedes(Array($1.key.utf8)) })
        default:
            XCTAssertEqual(property.old, before, file: file, line: line)
            return property.new
        }
    }
}
