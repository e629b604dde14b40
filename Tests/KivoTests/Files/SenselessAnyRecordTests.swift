import Foundation
import Kivo
import KivoJournal
import TestRandomness
import XCTest

/// Records of values of any type that pass their checksums and say what cannot be: they are refused with an error, or make a
/// realm in which everything can be read and changed.
final class SenselessAnyRecordTests: XCTestCase {
    private static let types: [ObjectBase.Type] = [ForgedNote.self, ForgedGoal.self, ForgedPart.self]
    private var number = 0

    private func configuration(_ disk: SmallDisk) -> Realm.Configuration {
        number += 1
        var configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: "/nowhere/\(name) \(number).kivo"),
            objectTypes: SenselessAnyRecordTests.types)
        configuration.makeDevice = { _, _ in disk }
        return configuration
    }

    /// A journal in which something of everything happened to values of any type.
    private func sample() throws -> JournalForger {
        let disk = SmallDisk()
        do {
            let realm = try Realm(configuration: configuration(disk))
            for number in 0..<3 {
                try realm.write {
                    let note = realm.create(ForgedNote.self, value: ["label": number] as [String: Any])
                    let goal = realm.create(ForgedGoal.self, value: ["name": "goal \(number)"])
                    goal.part = ForgedPart(value: ["size": number])
                    note.content = .fromDictionary([
                        "a": .fromArray([
                            .int(number), .string("a string that is long enough"), .object(goal),
                        ]),
                        "b": .object(goal), "c": .decimal128(Decimal128(number)),
                    ])
                    note.list.append(
                        objectsIn: AnySamples.plain + [
                            .object(note), .fromArray([.fromArray([.object(goal)]), .none]),
                        ])
                    note.set.insert(objectsIn: AnySamples.plain + [.object(note), .object(goal)])
                    note.map["x"] = .fromDictionary(["y": .fromArray([.bool(true)])])
                    note.map["z"] = .data(Data([1, 2, 3]))
                    goal.content = .fromArray([.object(note)])
                }
            }
            let notes = realm.objects(ForgedNote.self)
            try realm.write {
                notes[0].content.dictionaryValue?["a"]?.listValue?.append(.fromDictionary(["d": .int(1)]))
                notes[0].list.move(from: notes[0].list.count - 1, to: 0)
                notes[1].list.swapAt(0, notes[1].list.count - 1)
                notes[1].list.append(.string("appended, and longer than fifteen bytes"))
                notes[1].set.remove(.int(-7))
                notes[1].set.insert(.string("another one, longer than fifteen bytes"))
                notes[2].map["x"] = .int(5)
                notes[2].label = .string("labelled")
                notes[2].content = .object(notes[0])
            }
            try realm.write {
                realm.delete(realm.objects(ForgedGoal.self)[1])
                notes[0].map["x"]?.dictionaryValue?["y"] = .fromArray([.none, .double(0.5)])
                realm.delete(notes[1])
            }
        }
        return JournalForger(disk.bytes)
    }

    func testRecordsThatAreLeftAloneOpen() throws {
        let realm = try Realm(configuration: configuration(SmallDisk(try sample().bytes)))
        XCTAssertEqual(realm.objects(ForgedNote.self).count, 2)
        visit(realm)
    }

    func testRandomRecords() throws {
        var random = RandomSource()
        let whole = try sample()
        var (opened, refused) = (0, 0)
        for step in TestEffort.rounds(Sanitizer.isPresent ? 200 : 1_000, within: 0.36, atLeast: 60) {
            var forger = whole
            for _ in 0...random.below(3) { forger.change(&random) }
            do {
                try use(SmallDisk(forger.bytes), &random)
                opened += 1
            } catch let error as Realm.Error {
                XCTAssert(
                    [.invalidDatabase, .schemaMismatch].contains(error.code), "step \(step): \(error)")
                refused += 1
            }
        }
        // Both happen often, so that both were tried.
        XCTAssertGreaterThan(opened, (opened + refused) / 40, "\(refused) refused")
        XCTAssertGreaterThan(refused, (opened + refused) / 4, "\(opened) opened")
    }

    /// Opens a realm, looks at all of it, changes it, and opens it again.
    private func use(_ disk: SmallDisk, _ random: inout RandomSource) throws {
        do {
            let realm = try Realm(configuration: configuration(disk))
            visit(realm)
            try realm.write { change(realm, &random) }
            visit(realm)
        }
        let realm = try Realm(configuration: configuration(disk))
        visit(realm)
        try realm.write { realm.deleteAll() }
    }

    private func change(_ realm: Realm, _ random: inout RandomSource) {
        let notes = realm.objects(ForgedNote.self)
        let fresh = realm.create(ForgedNote.self)
        fresh.content = .fromArray([.object(fresh)])
        for note in notes {
            note.set.insert(.object(fresh))
            note.set.remove(.int(.max))
            if note.list.count > 1 { note.list.move(from: 0, to: note.list.count - 1) }
            if !note.list.isEmpty { note.list[0] = .string("put in place of what was there") }
            note.map["m"] = .fromArray([.object(fresh)])
            note.label = note.label
        }
        if let note = notes.randomElement(using: &random) { realm.delete(note) }
        if let goal = realm.objects(ForgedGoal.self).first { realm.delete(goal) }
        if let note = notes.first { note.content = .none }
    }

    /// Reads everything that there is.
    private func visit(_ realm: Realm) {
        for note in realm.objects(ForgedNote.self) {
            visit(note.content, depth: 0)
            for value in note.list { visit(value, depth: 0) }
            for value in note.set {
                visit(value, depth: 0)
                XCTAssertTrue(note.set.contains(value), "\(value)")
            }
            for (_, value) in note.map.asKeyValueSequence() { visit(value, depth: 0) }
            let label = note.label
            _ = realm.objects(ForgedNote.self).where { $0.label == label }.count
        }
        for goal in realm.objects(ForgedGoal.self) { visit(goal.content, depth: 0) }
        _ = realm.objects(ForgedNote.self).sorted(byKeyPath: "label").map(\.label)
        _ = realm.objects(ForgedNote.self).where { $0.list.contains(.int(-7)) }.count
        _ = realm.objects(ForgedNote.self).filter("label > 1 OR content CONTAINS 'a'").count
    }

    private func visit(_ value: AnyRealmValue, depth: Int) {
        XCTAssertLessThan(depth, 100)
        switch value {
        case .list(let list): for value in list { visit(value, depth: depth + 1) }
        case .dictionary(let map):
            for (_, value) in map.asKeyValueSequence() { visit(value, depth: depth + 1) }
        case .object(let object): XCTAssertFalse(object.isInvalidated)
        default: _ = (value.description, value.hashValue)
        }
    }
}

class ForgedNote: Object {
    @Persisted var content: AnyRealmValue
    @Persisted(indexed: true) var label: AnyRealmValue
    @Persisted var list: List<AnyRealmValue>
    @Persisted var set: MutableSet<AnyRealmValue>
    @Persisted var map: Map<String, AnyRealmValue>
}

class ForgedGoal: Object {
    @Persisted var name = ""
    @Persisted var content: AnyRealmValue
    @Persisted var part: ForgedPart?
}
