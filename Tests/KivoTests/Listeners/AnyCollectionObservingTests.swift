import Foundation
import TestRandomness
import XCTest

@testable import Kivo
@testable import KivoEngine

/// Observers of collections of values of any type are notified of changes in the contained objects, like observers of
/// collections of objects.
final class AnyCollectionObservingTests: RealmTestCase {
    private func text(_ change: RealmMapChange<Map<String, AnyRealmValue>>) -> String {
        switch change {
        case .initial: "initial"
        case .update(_, let deletions, let insertions, let modifications):
            "-\(deletions) +\(insertions) ~\(modifications)"
        case .error(let error): "\(error)"
        }
    }

    func testObjectsInListsSetsAndMaps() throws {
        let realm = try openRealm()
        let note = AnyNote(), other = AnyOtherTarget(value: ["id": 1])
        let target = AnyTarget(value: ["name": "a", "next": ["name": "b", "next": ["name": "c"]]])
        try realm.write {
            realm.add(note)
            note.list.append(objectsIn: [.int(1), .object(target), .object(other), .object(target)])
            note.set.insert(objectsIn: [.object(other), .int(1), .object(target)])
            note.map["x"] = .object(other)
            note.map["y"] = .object(target)
        }
        var told: [String] = []
        let tokens = [
            note.list.observe { told.append("list " + self.text($0)) },
            note.set.observe { told.append("set " + self.text($0)) },
            note.map.observe { told.append("map " + self.text($0)) },
        ]
        wait("the first calls") { told.count == 3 }
        func after(_ change: () -> Void) throws -> [String] {
            told = []
            try realm.write(change)
            realm.refresh()
            return told
        }
        let places = [target, other].map { (object: Object) in
            note.set.firstIndex { $0.object(Object.self)?.isSameObject(as: object) ?? false }!
        }
        XCTAssertEqual(
            try after { target.name = "A" },
            ["list -[] +[] ~[1, 3]", "set -[] +[] ~[\(places[0])]", "map -[] +[] ~[\"y\"]"])
        XCTAssertEqual(
            try after { other.content = .int(3) },
            ["list -[] +[] ~[2]", "set -[] +[] ~[\(places[1])]", "map -[] +[] ~[\"x\"]"])
        // Through links, also such of any values.
        XCTAssertEqual(
            try after { target.next!.next!.name = "C" },
            ["list -[] +[] ~[1, 3]", "set -[] +[] ~[\(places[0])]", "map -[] +[] ~[\"y\"]"])
        XCTAssertEqual(
            try after { other.content = .object(AnyTarget(value: ["name": "d"])) },
            ["list -[] +[] ~[2]", "set -[] +[] ~[\(places[1])]", "map -[] +[] ~[\"x\"]"])
        XCTAssertEqual(
            try after { other.content.object(AnyTarget.self)!.name = "D" },
            ["list -[] +[] ~[2]", "set -[] +[] ~[\(places[1])]", "map -[] +[] ~[\"x\"]"])
        // Positions follow what is done to the collection.
        XCTAssertEqual(
            try after {
                note.list.insert(.none, at: 0)
                target.name = "AA"
            },
            ["list -[] +[0] ~[1, 3]", "set -[] +[] ~[\(places[0])]", "map -[] +[] ~[\"y\"]"])
        XCTAssertEqual(
            try after {
                note.list.remove(at: 2)
                note.map["y"] = nil
                target.name = "AAA"
            },
            ["list -[2] +[] ~[4]", "set -[] +[] ~[\(places[0])]", "map -[\"y\"] +[] ~[]"])
        XCTAssertEqual(
            try after { target.next!.next!.next = AnyTarget(value: ["name": "far"]) },
            ["list -[] +[] ~[3]", "set -[] +[] ~[\(places[0])]"])
        XCTAssertEqual(
            try after { target.next!.next!.next!.name = "three links away" },
            ["list -[] +[] ~[3]", "set -[] +[] ~[\(places[0])]"])
        try realm.write { target.next!.next!.next!.next = AnyTarget() }
        realm.refresh()
        XCTAssertEqual(try after { target.next!.next!.next!.next!.name = "four" }, [])
        XCTAssertEqual(try after { realm.create(AnyTarget.self).name = "nobody's" }, [])
        for token in tokens { token.invalidate() }
    }

    func testObjectsInsideOfNestedLists() throws {
        let realm = try openRealm()
        let note = AnyNote(), target = AnyTarget()
        try realm.write {
            realm.add(note)
            note.content = .fromArray([.int(1), .fromDictionary(["a": .object(target)])])
            note.list.append(objectsIn: [.none, .fromArray([.object(target)])])
        }
        var told: [String] = []
        let tokens = [
            note.list.observe { told.append("list " + self.text($0)) },
            note.content.listValue!.observe { told.append("content " + self.text($0)) },
            note.content.listValue![1].dictionaryValue!.observe { told.append("inner " + self.text($0)) },
        ]
        wait("the first calls") { told.count == 3 }
        told = []
        try realm.write { target.name = "a" }
        realm.refresh()
        XCTAssertEqual(
            told, ["list -[] +[] ~[1]", "content -[] +[] ~[1]", "inner -[] +[] ~[\"a\"]"])
        for token in tokens { token.invalidate() }
    }

    /// Nested lists and dictionaries are not links, whatever their depth. The objects in them are one link away from the object
    /// that has the value, and count as elements of the collection that has them.
    func testObjectsInsideOfAnyDepth() throws {
        let realm = try openRealm()
        var told: [String] = []
        try withEvery("depth", in: [0, 1, 2, 3, 4, 5, 9]) { depth in
            try withEvery("isList", in: [true, false]) { isList in
                let note = AnyNote(value: ["id": depth * 2 + (isList ? 1 : 0)]),
                    plain = AnyNote(value: ["id": 100])
                let names = ["a", "b", "c", "d", "e"]
                let targets = names.map { AnyTarget(value: ["name": $0]) }
                try realm.write {
                    realm.deleteAll()
                    realm.add([note, plain])
                    realm.add(targets)
                    for (target, next) in zip(targets, targets.dropFirst()) { target.next = next }
                    var value = AnyRealmValue.object(targets[0])
                    for level in 0..<depth {
                        value =
                            isList || level % 2 == 1
                            ? .fromArray([.int(level), value]) : .fromDictionary(["k": value, "x": .none])
                    }
                    note.content = value
                    note.list.append(objectsIn: [.int(1), value])
                    note.map["m"] = value
                }
                let notes = realm.objects(AnyNote.self)
                let tokens = [
                    notes.observe { told.append("notes " + self.text($0)) },
                    notes.where { $0.number >= 0 }.observe { told.append("some " + self.text($0)) },
                    note.list.observe { told.append("list " + self.text($0)) },
                    note.map.observe { told.append("map " + self.text($0)) },
                ]
                realm.refresh()
                try withEvery("place", in: targets.indices) { place in
                    let target = targets[place]
                    told = []
                    try realm.write { target.name += "!" }
                    realm.refresh()
                    let objects = ["notes -[] +[] ~[0]", "some -[] +[] ~[0]"]
                    let elements = ["list -[] +[] ~[1]", "map -[] +[] ~[\"m\"]"]
                    let expected = place < 3 ? objects + elements : place == 3 ? elements : []
                    XCTAssertEqual(told, expected)
                }
                for token in tokens { token.invalidate() }
            }
        }
    }

    /// Random edits of a list of values and of the objects in it, against what the values say.
    func testRandomChanges() throws {
        var random = RandomSource()
        let realm = try openRealm()
        let note = AnyNote()
        var targets: [AnyRowTarget] = [], others: [AnyOtherTarget] = []
        try realm.write {
            realm.add(note)
            for id in 0..<20 {
                targets.append(realm.create(AnyRowTarget.self, value: ["id": id]))
                others.append(realm.create(AnyOtherTarget.self, value: ["id": id]))
            }
        }
        func value() -> AnyRealmValue {
            switch random.below(3) {
            case 0: .object(targets[random.below(20)])
            case 1: .object(others[random.below(20)])
            default: .int(random.below(5))
            }
        }
        var change: RealmCollectionChange<List<AnyRealmValue>>?
        let token = note.list.observe { change = $0 }
        wait("the first call") { change != nil }
        for step in 0..<400 {
            let old = Array(note.list)
            var touched: Set<AnyRealmValue> = []
            change = nil
            try realm.write {
                for _ in 0...random.below(3) {
                    let count = note.list.count
                    switch random.below(4) {
                    case 0: note.list.insert(value(), at: random.below(count + 1))
                    case 1 where count > 10: note.list.remove(at: random.below(count))
                    case 2:
                        let target = targets[random.below(20)]
                        target.name += "x"
                        touched.insert(.object(target))
                    default:
                        let other = others[random.below(20)]
                        other.content = .int(step)
                        touched.insert(.object(other))
                    }
                }
            }
            realm.refresh()
            var (deleted, inserted, modified): ([Int], [Int], [Int]) = ([], [], [])
            if case .update(_, let deletions, let insertions, let modifications)? = change {
                (deleted, inserted, modified) = (deletions, insertions, modifications)
            }
            var shown = old
            for index in deleted.reversed() { shown.remove(at: index) }
            for index in inserted { shown.insert(note.list[index], at: index) }
            XCTAssertEqual(shown, Array(note.list), "step \(step), seed \(random)")
            let expected = note.list.indices.filter {
                touched.contains(note.list[$0]) && !inserted.contains($0)
            }
            let current = change?.currentModifications ?? []
            XCTAssertEqual(current, expected, "step \(step), seed \(random)")
            XCTAssertEqual(
                modified.map { old[$0] }, current.map { note.list[$0] }, "step \(step), seed \(random)")
        }
        token.invalidate()
    }

    /// Values of any type can refer to objects of any class, also of classes that are added later.
    func testClassesThatComeLater() throws {
        let realm = try openRealm()
        let note = AnyNote(), parent = AnyLateParent()
        try realm.write {
            realm.add(note)
            realm.add(parent)
        }
        var told: [String] = []
        let others = (0..<12).map { _ in note.list.observe { _ in } }
        let parents = realm.objects(AnyLateParent.self)
        let tokens =
            others + [
                note.list.observe { told.append("list " + self.text($0)) },
                realm.objects(AnyNote.self).observe { told.append("notes " + self.text($0)) },
                parents.where { $0.number >= 0 }.observe { told.append("parents " + self.text($0)) },
            ]
        wait("the first calls") { told.count == 3 }
        try realm.write {
            note.list.append(.object(AnyLateTarget()))
            parent.content = note.list[0]
        }
        realm.refresh()
        told = []
        try realm.write { note.list[0].object(AnyLateTarget.self)!.name = "a" }
        realm.refresh()
        XCTAssertEqual(
            told.sorted(), ["list -[] +[] ~[0]", "notes -[] +[] ~[0]", "parents -[] +[] ~[0]"])
        told = []
        let late = realm.objects(AnyNote.self).observe { told.append("late " + self.text($0)) }
        wait("the first call") { told == ["late initial"] }
        told = []
        try writeElsewhere { $0.objects(AnyLateTarget.self)[0].name = "b" }
        realm.refresh()
        XCTAssertEqual(
            told.sorted(),
            ["late -[] +[] ~[0]", "list -[] +[] ~[0]", "notes -[] +[] ~[0]", "parents -[] +[] ~[0]"])
        for token in tokens + [late] { token.invalidate() }
        try realm.write { note.list[0].object(AnyLateTarget.self)!.name = "c" }
    }

    /// A list in which many lists and dictionaries were changed is looked through once.
    func testManyNestedListsAreChangedAtOnce() throws {
        let realm = try openRealm()
        let note = AnyNote()
        let count = 300
        try realm.write {
            realm.add(note)
            for number in 0..<count {
                note.list.append(number % 2 == 0 ? .fromArray([.int(number)]) : .fromDictionary([:]))
            }
        }
        var change: RealmCollectionChange<List<AnyRealmValue>>?
        let token = note.list.observe { change = $0 }
        wait("the first call") { change != nil }
        realm.beginWrite()
        for (index, value) in note.list.enumerated() where index % 3 != 0 {
            value.listValue?.append(.int(0))
            value.dictionaryValue?["a"] = .int(0)
        }
        let transaction = try XCTUnwrap(realm.instance.transaction)
        let before = transaction.memory.work
        _ = transaction.changeSet()
        XCTAssertLessThan(transaction.memory.work - before, count * 10)
        try realm.commitWrite()
        realm.refresh()
        guard case .update(_, [], [], let modifications)? = change else { return XCTFail("\(change as Any)") }
        XCTAssertEqual(modifications, (0..<count).filter { $0 % 3 != 0 })
        token.invalidate()
    }
}

final class AnyRowTarget: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var name = ""
}

final class AnyLateParent: Object {
    @Persisted var number = 0
    @Persisted var content: AnyRealmValue
}

/// Used for the first time in the middle of a test.
final class AnyLateTarget: Object {
    @Persisted var name = ""
}
