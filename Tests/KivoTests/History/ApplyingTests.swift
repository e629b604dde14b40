import Foundation
import TestRandomness
import XCTest

@testable import Kivo

/// Change sets that are applied to other realms, and undone.
final class ApplyingTests: RealmTestCase {
    private func other(_ name: String) throws -> Realm {
        try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "\(self.name) \(name)"))
    }

    private func add(_ realm: Realm, _ id: Int, _ name: String) throws {
        try realm.write { realm.create(HistoryDog.self, value: ["id": id, "name": name]) }
    }

    /// The contents without objects that have no primary key, which other realms have under other keys.
    private func dogs(_ realm: Realm) -> HistoryContents {
        var contents = HistoryContents(realm)
        contents.objects = contents.objects.filter { $0.key.primaryKey != nil }
        return contents
    }

    // MARK: Random histories

    func testAReplicaThatAppliesAllChangesIsEqual() throws {
        for round in TestEffort.rounds(100) { try checkReplica(RandomSource("replicas \(round)")) }
    }

    private func checkReplica(_ source: RandomSource) throws {
        let (realm, replica) = (try openRealm(), try other("replica"))
        for realm in [realm, replica] { try realm.write { realm.deleteAll() } }
        var edits = HistoryEdits(random: source, realm: realm)
        edits.hasPersons = false
        var notified = HistoryContents()
        let token = replica.objects(HistoryDog.self).observe { _ in notified = HistoryContents(replica) }
        defer { token.invalidate() }
        for _ in 0..<10 {
            let before = realm.version
            try realm.write { edits.edit(edits.random.below(20)) }
            let changes = try ChangeSet(decoding: realm.changes(since: before).encoded())
            let start = replica.version
            let report = try replica.apply(changes)
            XCTAssertTrue(report.conflicts.isEmpty, "\(report)")
            XCTAssertEqual(dogs(replica), dogs(realm))
            // Applying once more changes nothing, except lists, which are compared by operations.
            let rest = try replica.changes(since: start)
            XCTAssertEqual(rest.all.map(\.object), changes.all.map(\.object))
            replica.refresh()
            if !rest.isEmpty { XCTAssertEqual(notified, HistoryContents(replica)) }
        }
    }

    func testUndoingAllStepsLeadsBackAndRedoingThemForth() throws {
        for round in TestEffort.rounds(100) { try checkUndo(RandomSource("undo \(round)")) }
    }

    private func checkUndo(_ source: RandomSource) throws {
        let realm = try openRealm()
        try realm.write { realm.deleteAll() }
        var edits = HistoryEdits(random: source, realm: realm)
        let undo = realm.undoStack()
        var contents = [names(realm)]
        for step in 0..<8 {
            try undo.write("step \(step)") { edits.edit(1 + edits.random.below(10)) }
            if undo.undoCount == contents.count { contents.append(names(realm)) }
        }
        for _ in 0..<2 {
            XCTAssertEqual(undo.undoCount, contents.count - 1)
            for expected in contents.dropLast().reversed() {
                XCTAssertEqual(try undo.undo()?.conflicts.count, 0)
                XCTAssertEqual(names(realm), expected)
            }
            XCTAssertNil(try undo.undo())
            for expected in contents.dropFirst() {
                XCTAssertEqual(try undo.redo()?.conflicts.count, 0)
                XCTAssertEqual(names(realm), expected)
            }
            XCTAssertNil(try undo.redo())
        }
    }

    /// The contents, with persons identified by their names and places, because they come back with other keys.
    private func names(_ realm: Realm) -> [String] {
        func text(_ person: HistoryPerson?) -> String {
            person.map { "\($0.name) \(Array($0.dogs.map { "\($0.id)" }))" } ?? "-"
        }
        var lines = realm.objects(HistoryPerson.self).map { text($0) }.sorted()
        var contents = dogs(realm)
        for (id, var values) in contents.objects {
            values["owner"] = nil
            contents.objects[id] = values
        }
        for dog in realm.objects(HistoryDog.self).sorted(by: { $0.id < $1.id }) {
            let values = contents.objects[HistoryContents.id(dog)]!
            lines.append(text(dog.owner))
            lines += values.keys.sorted().map { "\(dog.id) \($0) \(ApplyingTests.text(values[$0]!))" }
        }
        return lines
    }

    /// The text of a value, the same for equal values.
    private static func text(_ value: ChangeSet.Value) -> String {
        switch value {
        case .set(let values): "\(values.map(text).sorted())"
        case .embedded(let values): "\(values.keys.sorted().map { "\($0) \(text(values[$0]!))" })"
        case .list(let values): "\(values.map(text))"
        case .dictionary(let entries): "\(entries.map { "\(Array($0.key.utf8)) \(text($0.value))" })"
        case .string(let value): "\(Array(value.utf8))"
        case .double(let value): "\(value.bitPattern)"
        default: "\(value)"
        }
    }

    // MARK: Conflicts

    func testAConflictAppliesNothingUnlessThePolicySaysOtherwise() throws {
        let realm = try openRealm()
        try add(realm, 1, "Rex")
        try add(realm, 2, "Ida")
        let before = realm.version
        try realm.write {
            realm.objects(HistoryDog.self).where { $0.id == 1 }[0].name = "Max"
            realm.objects(HistoryDog.self).where { $0.id == 2 }[0].age = 3
        }
        let changes = try realm.changes(since: before)
        for (policy, name) in [(0, "Bo"), (1, "Bo"), (2, "Max"), (3, "Max")] {
            let replica = try other("conflict \(policy)")
            try add(replica, 1, "Bo")
            try add(replica, 2, "Ida")
            let start = replica.version
            let expected = ChangeSet.Conflict(
                .value, HistoryContents.id(replica.object(ofType: HistoryDog.self, forPrimaryKey: 1)!),
                "name",
                old: .string("Rex"), mine: .string("Bo"), theirs: .string("Max"))
            switch policy {
            case 0:
                XCTAssertThrowsError(try replica.apply(changes)) {
                    XCTAssertEqual(($0 as? ChangeSet.ConflictError)?.conflicts, [expected])
                }
                XCTAssertTrue(try replica.changes(since: start).isEmpty)
                continue
            case 1:
                XCTAssertEqual(
                    try replica.apply(changes, conflicts: .mine).conflicts.map(\.conflict), [expected])
            case 2: XCTAssertEqual(try replica.apply(changes, conflicts: .theirs).conflicts.count, 1)
            default:
                var asked: [ChangeSet.Conflict] = []
                try replica.apply(
                    changes,
                    conflicts: .ask {
                        asked.append($0)
                        return .theirs
                    })
                XCTAssertEqual(asked, [expected])
            }
            XCTAssertEqual(replica.object(ofType: HistoryDog.self, forPrimaryKey: 1)?.name, name)
            XCTAssertEqual(replica.object(ofType: HistoryDog.self, forPrimaryKey: 2)?.age, 3)
        }
    }

    func testMissingAndChangedObjectsAndTargetsAreConflicts() throws {
        let realm = try openRealm()
        for id in 1...4 { try add(realm, id, "\(id)") }
        let before = realm.version
        let dogs = realm.objects(HistoryDog.self).sorted(by: \.id)
        try realm.write {
            dogs[0].name = "changed"
            dogs[2].friends.append(objectsIn: [dogs[3], dogs[2]])
            realm.delete(dogs[1])
        }
        let changes = try realm.changes(since: before)
        let replica = try other("objects")
        try add(replica, 2, "changed meanwhile")
        try add(replica, 3, "3")
        let kept = try replica.apply(changes, conflicts: .mine)
        XCTAssertEqual(kept.conflicts.map(\.conflict.kind), [.missingObject, .changedObject, .missingTarget])
        let dog = try XCTUnwrap(replica.object(ofType: HistoryDog.self, forPrimaryKey: 3))
        XCTAssertEqual(dog.friends.map(\.id), [3])
        XCTAssertNotNil(replica.object(ofType: HistoryDog.self, forPrimaryKey: 2))
        try replica.apply(changes, conflicts: .theirs)
        XCTAssertNil(replica.object(ofType: HistoryDog.self, forPrimaryKey: 2))
    }

    func testAListThatWasEditedOtherwiseLosesNoElement() throws {
        let realm = try openRealm()
        let tags = ["a", "b", "c", "d"]
        try realm.write { realm.create(HistoryDog.self, value: ["id": 1, "tags": tags]) }
        let before = realm.version
        try realm.write {
            let tags = realm.objects(HistoryDog.self)[0].tags
            tags.remove(at: 1)
            tags.insert("new", at: 0)
            tags[3] = "D"
        }
        let changes = try realm.changes(since: before)
        let replica = try other("lists")
        try replica.write {
            replica.create(HistoryDog.self, value: ["id": 1, "tags": ["x", "a", "b", "c", "d", "y"]])
        }
        let report = try replica.apply(changes, conflicts: .theirs)
        XCTAssertEqual(report.conflicts.map(\.conflict.property), ["tags"])
        XCTAssertEqual(Array(replica.objects(HistoryDog.self)[0].tags), ["new", "x", "a", "c", "D", "y"])
    }

    func testUndoDoesNotTakeAwayWhatOthersChanged() throws {
        let realm = try openRealm()
        try add(realm, 1, "Rex")
        let undo = realm.undoStack(of: [HistoryDog.self])
        let dog = realm.objects(HistoryDog.self)[0]
        try undo.write("rename") {
            dog.name = "Max"
            dog.age = 1
        }
        try realm.write { dog.name = "Bo" }
        XCTAssertThrowsError(try undo.undo())
        XCTAssertEqual([dog.name, "\(dog.age ?? 0)"], ["Bo", "1"])
        XCTAssertEqual(undo.undoLabel, "rename")
        XCTAssertEqual(try undo.undo(conflicts: .mine)?.conflicts.count, 1)
        XCTAssertEqual(dog.name, "Bo")
        XCTAssertNil(dog.age)
        // Only what was undone is done again.
        try undo.redo()
        XCTAssertEqual([dog.name, "\(dog.age ?? 0)"], ["Bo", "1"])
    }

    func testWritesOfObserversAreNotPartOfTheStep() throws {
        let realm = try openRealm()
        let undo = realm.undoStack()
        var isDone = false
        let token = realm.objects(HistoryDog.self).observe { change in
            guard case .update = change, !isDone else { return }
            isDone = true
            self.expectSuccess { try realm.write { _ = realm.create(HistoryDog.self, value: ["id": 2]) } }
        }
        defer { token.invalidate() }
        realm.refresh()
        try undo.write { realm.create(HistoryDog.self, value: ["id": 1]) }
        realm.refresh()
        XCTAssertEqual(realm.objects(HistoryDog.self).count, 2)
        try undo.undo()
        XCTAssertEqual(realm.objects(HistoryDog.self).map(\.id), [2])
        // A block that ends its write makes no step.
        try undo.write {
            realm.create(HistoryDog.self, value: ["id": 3])
            try realm.commitWrite()
        }
        XCTAssertEqual(undo.undoCount, 0)
    }

    func testObserversMayUseTheStackThatCallsThem() throws {
        let realm = try openRealm()
        let undo = realm.undoStack()
        var next: (() throws -> Void)?
        let token = realm.observe { _, _ in
            let body = next
            next = nil
            self.expectSuccess { try body?() }
        }
        defer { token.invalidate() }
        func create(_ id: Int) { realm.create(HistoryDog.self, value: ["id": id]) }
        // A step inside of the commit of another one comes after it.
        next = { try undo.write("2") { create(2) } }
        try undo.write("1") { create(1) }
        XCTAssertEqual([undo.undoCount, undo.redoCount], [2, 0])
        XCTAssertEqual(undo.undoLabel, "2")
        try undo.undo()
        XCTAssertEqual(realm.objects(HistoryDog.self).map(\.id), [1])
        // A new step inside of an undo ends what can be done again.
        next = { try undo.write("3") { create(3) } }
        try undo.undo()
        XCTAssertEqual(realm.objects(HistoryDog.self).map(\.id), [3])
        XCTAssertEqual([undo.undoCount, undo.redoCount], [1, 0])
        next = { undo.removeAll() }
        try undo.undo()
        XCTAssertEqual([undo.undoCount, undo.redoCount], [0, 0])
    }

    func testStepsOfAStack() throws {
        let realm = try openRealm()
        let undo = realm.undoStack(of: [HistoryDog.self])
        undo.limit = 2
        for id in 0..<4 { try undo.write("\(id)") { realm.create(HistoryDog.self, value: ["id": id]) } }
        XCTAssertEqual(undo.undoCount, 2)
        XCTAssertEqual(undo.undoLabel, "3")
        try undo.undo()
        XCTAssertEqual([undo.undoLabel, undo.redoLabel], ["2", "3"])
        // Changes of other classes are no step.
        try undo.write { realm.create(HistoryPerson.self, value: ["name": "Eva"]) }
        XCTAssertEqual(undo.redoCount, 1)
        try undo.write { realm.create(HistoryDog.self, value: ["id": 9]) }
        XCTAssertEqual([undo.undoCount, undo.redoCount], [2, 0])
        XCTAssertThrowsError(try undo.write { throw CancellationError() })
        XCTAssertEqual(undo.undoCount, 2)
        undo.removeAll()
        XCTAssertEqual(undo.undoCount, 0)
    }

    func testObjectsWithoutPrimaryKeysComeBackAsNewOnesThatOtherStepsReferTo() throws {
        let realm = try openRealm()
        let undo = realm.undoStack()
        try undo.write { realm.create(HistoryPerson.self, value: ["name": "Eva"]) }
        try undo.write { realm.objects(HistoryPerson.self)[0].name = "Ada" }
        try undo.undo()
        try undo.undo()
        XCTAssertEqual(realm.objects(HistoryPerson.self).count, 0)
        let report = try undo.redo()
        XCTAssertEqual(report?.newObjects.count, 1)
        try undo.redo()
        XCTAssertEqual(realm.objects(HistoryPerson.self).map(\.name), ["Ada"])
        try undo.undo()
        XCTAssertEqual(realm.objects(HistoryPerson.self).map(\.name), ["Eva"])
    }

    func testObserversOfValuesAndEmbeddedObjectsAreNotified() throws {
        let realm = try openRealm()
        try realm.write {
            realm.create(
                HistoryDog.self, value: ["id": 1, "home": ["city": "Ulm"], "places": [["city": "Rom"]]])
        }
        let before = realm.version
        let dog = realm.objects(HistoryDog.self)[0]
        try realm.write {
            dog.name = "Max"
            dog.home!.city = "Bern"
            dog.places[0].city = "Pisa"
        }
        let changes = try realm.changes(since: before)
        var seen: [String] = []
        let home = dog.home!
        let tokens = [
            dog.observe(\.name, options: [.old, .new]) { _, change in
                seen.append("\(change.oldValue ?? "")>\(change.newValue ?? "")")
            },
            home.observe(\.city, options: [.new]) { _, change in seen.append(change.newValue ?? "") },
        ]
        try realm.apply(changes.inverse)
        XCTAssertEqual(seen, ["Ulm", "Max>"])
        XCTAssertFalse(home.isInvalidated)
        XCTAssertEqual(dog.places[0].city, "Rom")
        withExtendedLifetime(tokens) {}
    }

    func testAnEmbeddedObjectStaysTheSameAndOnlyDifferencesAreWritten() throws {
        let realm = try openRealm()
        try realm.write {
            realm.create(
                HistoryDog.self,
                value: [
                    "id": 1, "home": ["city": "Ulm", "inner": ["x": 1], "lines": [1, 2]],
                    "places": [["city": "Rom"], ["city": "Oslo"]],
                ])
        }
        let before = realm.version
        let dog = realm.objects(HistoryDog.self)[0]
        try realm.write {
            dog.home!.city = "Bern"
            dog.places[0].city = "Pisa"
        }
        let changes = try realm.changes(since: before)
        let (inner, places) = (dog.home!.inner!, Array(dog.places))
        var count = 0
        let token = dog.home!.lines.observe { change in if case .update = change { count += 1 } }
        defer { token.invalidate() }
        realm.refresh()
        try realm.apply(changes.inverse)
        realm.refresh()
        XCTAssertFalse(inner.isInvalidated)
        XCTAssertEqual(places.map(\.isInvalidated), [false, false])
        XCTAssertEqual(dog.home?.city, "Ulm")
        XCTAssertEqual(count, 0)
    }

    func testALinkWithoutTargetKeepsItsValueIfTheRealmPrevails() throws {
        let realm = try openRealm()
        for id in 1...3 { try add(realm, id, "") }
        let before = realm.version
        let dogs = realm.objects(HistoryDog.self).sorted(by: \.id)
        try realm.write { dogs[0].anything = .object(dogs[1]) }
        let changes = try realm.changes(since: before)
        for (policy, isKept) in [(ChangeSet.ConflictPolicy.mine, true), (.theirs, false)] {
            let replica = try other("targets \(isKept)")
            try add(replica, 1, "")
            let dog = replica.objects(HistoryDog.self)[0]
            let report = try replica.apply(changes, conflicts: policy)
            XCTAssertEqual(report.conflicts.map(\.conflict.kind), [.missingTarget])
            XCTAssertEqual(report.appliedCount, isKept ? 0 : 1)
            XCTAssertEqual(dog.anything, .none)
        }
    }

    func testAnInsertedObjectHasDefaultsForWhatTheChangeSetDoesNotHave() throws {
        let realm = try openRealm()
        let before = realm.version
        try realm.write { realm.create(Parcel.self, value: ["id": 7, "label": "given"]) }
        let changes = try realm.changes(since: before).restricted(to: [\Parcel.weight])
        let replica = try other("defaults")
        try replica.apply(changes)
        let parcel = try XCTUnwrap(replica.object(ofType: Parcel.self, forPrimaryKey: 7))
        XCTAssertEqual([parcel.label, parcel.state.rawValue], ["?", "packed"])
    }

    func testObjectsWithoutPrimaryKeysAreNotFoundInOtherData() throws {
        let realm = try openRealm()
        try realm.write { realm.create(HistoryPerson.self, value: ["name": "Eva"]) }
        let middle = realm.version
        try realm.write { realm.objects(HistoryPerson.self)[0].name = "Ada" }
        let changed = try realm.changes(since: middle)
        let last = realm.version
        try realm.write { realm.deleteAll() }
        let deleted = try realm.changes(since: last)
        let replica = try other("keyless")
        try replica.write { replica.create(HistoryPerson.self, value: ["name": "Eva"]) }
        for changes in [changed, deleted] {
            XCTAssertEqual(
                try replica.apply(changes, conflicts: .theirs).conflicts.map(\.conflict.kind),
                [.missingObject])
        }
        XCTAssertEqual(replica.objects(HistoryPerson.self).map(\.name), ["Eva"])
    }

    func testAnObserverThatEditsTheSameListIsNotOverwritten() throws {
        let realm = try openRealm()
        try realm.write { realm.create(HistoryDog.self, value: ["id": 1, "tags": ["a", "b", "c"]]) }
        let before = realm.version
        let dog = realm.objects(HistoryDog.self)[0]
        try realm.write {
            dog.tags.remove(at: 0)
            dog.tags.append("d")
            dog.name = "Max"
        }
        let changes = try realm.changes(since: before).inverse
        let token = dog.observe(\.name, options: [.new]) { dog, _ in dog.tags.append("observer") }
        let other = dog.observe(\.tags, options: [.new]) { dog, _ in
            if dog.tags.count < 6 { dog.tags.insert("more", at: 0) }
        }
        try realm.apply(changes)
        XCTAssertTrue(dog.tags.contains("observer"))
        XCTAssertTrue(dog.tags.contains("b"))
        withExtendedLifetime((token, other)) {}
    }

    // MARK: Bad input

    func testAnInsertionWithAPrimaryKeyOfAnotherTypeIsRefused() throws {
        let realm = try openRealm()
        for primaryKey in [ChangeSet.Value.null, .string("1"), .uuid(UUID())] {
            let id = ChangeSet.ObjectID(className: "HistoryDog", primaryKey: primaryKey, key: 1)
            let changes = ChangeSet(["HistoryDog": [ChangeSet.Change(.inserted, id, [])]], lineage: 0)
            XCTAssertThrowsError(try realm.apply(changes)) {
                XCTAssertEqual(($0 as? Realm.Error)?.code, .invalidInput)
            }
        }
        XCTAssertEqual(realm.objects(HistoryDog.self).count, 0)
    }

    func testAForgedChangeSetIsRefusedOrAppliedAndNeverTraps() throws {
        let realm = try openRealm()
        var edits = HistoryEdits(random: RandomSource(), realm: realm)
        try realm.write { edits.edit(60) }
        let before = realm.version
        try realm.write { edits.edit(60) }
        let bytes = Array(try realm.changes(since: before).encoded().dropLast(8))
        var random = edits.random
        for _ in TestEffort.rounds(2000) {
            var forged = bytes
            for _ in 0...random.below(2) {
                forged[4 + random.below(forged.count - 4)] = UInt8(random.below(256))
            }
            let sum = forged.withUnsafeBytes(ChangeEncoding.checksum)
            withUnsafeBytes(of: sum.littleEndian) { forged.append(contentsOf: $0) }
            guard let changes = try? ChangeSet(decoding: Data(forged)) else { continue }
            for changes in [changes, changes.inverse] {
                realm.beginWrite()
                _ = try? realm.apply(changes, conflicts: random.chance(50) ? .theirs : .mine)
                realm.cancelWrite()
            }
        }
    }

    func testChangeSetsThatDoNotFitAreRefusedAndChangeNothing() throws {
        let realm = try openRealm()
        try add(realm, 1, "Rex")
        let start = realm.version
        func set(
            _ name: String, _ property: String, _ value: ChangeSet.Value, isCollection: Bool = false,
            of className: String = "HistoryDog", primaryKey: ChangeSet.Value? = .int(1)
        ) -> ChangeSet {
            let id = ChangeSet.ObjectID(className: className, primaryKey: primaryKey, key: 1)
            let property = ChangeSet.Property(property, old: .null, new: value, isCollection: isCollection)
            return ChangeSet([className: [ChangeSet.Change(.modified, id, [property])]], lineage: 0)
        }
        for (name, changes) in [
            ("an unknown class", set("", "name", .null, of: "Nothing")),
            ("an embedded class", set("", "city", .string(""), of: "HistoryPlace", primaryKey: nil)),
            ("an unknown property", set("", "nothing", .null)),
            ("another type", set("", "name", .int(1))), ("null", set("", "name", .null)),
            ("another primary key", set("", "id", .int(2))),
            ("a list as value", set("", "name", .list([]), isCollection: false)),
            ("no collection", set("", "name", .list([]), isCollection: true)),
            ("a wrong element", set("", "tags", .list([.int(1)]), isCollection: true)),
            ("null among objects", set("", "friends", .list([.null]), isCollection: true)),
            (
                "a link to another class",
                set("", "owner", .object(.init(className: "HistoryDog", primaryKey: .int(1), key: 1)))
            ),
            ("an embedded object with unknown properties", set("", "home", .embedded(["x": .null]))),
            ("an embedded object of wrong values", set("", "home", .embedded(["city": .int(1)]))),
            ("no primary key", set("", "name", .string("x"), primaryKey: nil)),
            ("a set of any", set("", "anything", .set([]))),
            (
                "a link of any to an unknown class",
                set("", "anything", .object(.init(className: "Nothing", key: 1)))
            ),
            (
                "a key of a map",
                set("", "scores", .dictionary([.init(key: "$a", value: .double(1))]), isCollection: true)
            ),
        ] {
            XCTAssertThrowsError(try realm.apply(changes, conflicts: .theirs), name) { error in
                XCTAssertEqual((error as? Realm.Error)?.code, .invalidInput, name)
            }
            XCTAssertTrue(try realm.changes(since: start).isEmpty, name)
        }
    }
}
