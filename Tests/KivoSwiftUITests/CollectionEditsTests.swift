import Kivo
import KivoSwiftUI
import XCTest

/// Edits of collections by views, and the elements that they affect.
@MainActor
final class CollectionEditsTests: ViewTestCase {
    private func addKennel(_ names: [String] = []) throws -> Kennel {
        let kennel = Kennel()
        kennel.dogs.append(objectsIn: names.map { Pup(value: ["name": $0]) })
        try realm.write { realm.add(kennel) }
        return kennel
    }

    private func names(_ kennel: Kennel) -> [String] { kennel.dogs.map(\.name) }

    // MARK: Lists

    func testUnmanagedListIsChangedDirectly() async {
        let kennel = Kennel(value: ["numbers": [1, 2, 3]])
        CollectionEdits.append(4, to: kennel.numbers)
        CollectionEdits.move(fromOffsets: [0], toOffset: 4, in: kennel.numbers)
        CollectionEdits.remove(atOffsets: [0, 1], of: kennel.numbers)
        XCTAssertEqual(Array(kennel.numbers), [4, 1])
    }

    func testFrozenListIsChangedLive() async throws {
        let kennel = try addKennel(["a", "b", "c", "d"])
        CollectionEdits.append(Pup(value: ["name": "e"]), to: kennel.dogs.freeze())
        CollectionEdits.append(kennel.dogs[0].freeze(), to: kennel.dogs)
        XCTAssertEqual(names(kennel), ["a", "b", "c", "d", "e", "a"])
        XCTAssertEqual(realm.objects(Pup.self).count, 5)
        CollectionEdits.remove(atOffsets: [5, 1], of: kennel.dogs.freeze())
        XCTAssertEqual(names(kennel), ["a", "c", "d", "e"])
        CollectionEdits.move(fromOffsets: [0, 1], toOffset: 4, in: kennel.dogs.freeze())
        XCTAssertEqual(names(kennel), ["d", "e", "a", "c"])
        CollectionEdits.move(fromOffsets: [3], toOffset: 0, in: kennel.dogs)
        XCTAssertEqual(names(kennel), ["c", "d", "e", "a"])
        XCTAssertFalse(realm.isInWriteTransaction)
    }

    func testWhatWasShownIsRemovedWhateverOthersDidMeanwhile() async throws {
        let kennel = try addKennel(["a", "b", "c"])
        writeElsewhere { realm in
            let dogs = realm.objects(Kennel.self).first!.dogs
            dogs.insert(Pup(value: ["name": "new"]), at: 0)
            realm.delete(dogs[3])
        }
        XCTAssertEqual(names(kennel), ["a", "b", "c"], "this thread has not moved yet")
        // Position 1 is b, and 2 is c, which is gone.
        CollectionEdits.remove(atOffsets: [1, 2], of: kennel.dogs.freeze())
        XCTAssertEqual(names(kennel), ["new", "a"])
    }

    func testWhatWasShownIsMovedWhateverOthersDidMeanwhile() async throws {
        let kennel = try addKennel(["a", "b", "c"])
        writeElsewhere {
            $0.objects(Kennel.self).first!.dogs.insert(Pup(value: ["name": "new"]), at: 0)
        }
        CollectionEdits.move(fromOffsets: [2], toOffset: 0, in: kennel.dogs.freeze())
        XCTAssertEqual(names(kennel), ["new", "c", "a", "b"], "c is in front of a, as it was shown")
    }

    func testPositionsThatTheListDoesNotHaveAreIgnored() async throws {
        let kennel = try addKennel(["a"])
        CollectionEdits.remove(atOffsets: [1, 7], of: kennel.dogs)
        CollectionEdits.move(fromOffsets: [7], toOffset: 9, in: kennel.dogs)
        XCTAssertEqual(names(kennel), ["a"])
    }

    func testListWhoseOwnerIsGoneIsLeft() async throws {
        let kennel = try addKennel(["a"])
        let (live, frozen) = (kennel.dogs, kennel.dogs.freeze())
        writeElsewhere { $0.delete($0.objects(Kennel.self)) }
        CollectionEdits.append(Pup(), to: live)
        CollectionEdits.append(Pup(), to: frozen)
        CollectionEdits.remove(atOffsets: [0], of: frozen)
        XCTAssertEqual(realm.objects(Pup.self).count, 1)
        XCTAssertFalse(realm.isInWriteTransaction)
    }

    func testObjectThatAViewObservesIsAppended() async throws {
        let kennel = try addKennel()
        let pup = Pup()
        let storage = ValueStorage(pup, .object)
        let view = view(of: storage.relay)
        CollectionEdits.append(pup, to: kennel.dogs)
        CollectionEdits.insert(pup, into: kennel.friends)
        CollectionEdits.set(pup, for: "guest", in: kennel.guests)
        XCTAssertEqual(pup.realm, realm)
        let before = view.count
        try realm.write { pup.age = 1 }
        XCTAssertEqual(view.count, before + 1)
    }

    func testOpenTransactionIsJoined() async throws {
        let kennel = try addKennel(["a"])
        realm.beginWrite()
        CollectionEdits.append(Pup(value: ["name": "b"]), to: kennel.dogs)
        CollectionEdits.append(Pup(value: ["name": "c"]), to: kennel.dogs.freeze())
        CollectionEdits.delete([kennel.dogs[0]])
        XCTAssertTrue(realm.isInWriteTransaction)
        XCTAssertEqual(names(kennel), ["b", "c"])
        realm.cancelWrite()
        XCTAssertEqual(names(kennel), ["a"])
    }

    // MARK: Sets and maps

    func testSets() async throws {
        let kennel = try addKennel(["a"])
        CollectionEdits.insert("x", into: kennel.tags.freeze())
        CollectionEdits.insert("y", into: kennel.tags)
        CollectionEdits.remove("x", from: kennel.tags.freeze())
        XCTAssertEqual(Array(kennel.tags), ["y"])
        let pup = kennel.dogs[0]
        CollectionEdits.insert(pup.freeze(), into: kennel.friends)
        XCTAssertEqual(kennel.friends.count, 1)
        let frozen = pup.freeze()
        CollectionEdits.remove(frozen, from: kennel.friends)
        XCTAssertEqual(kennel.friends.count, 0)
        try realm.write { realm.delete(pup) }
        CollectionEdits.remove(frozen, from: kennel.friends)
        let unmanaged = MutableSet<Int>()
        CollectionEdits.insert(1, into: unmanaged)
        XCTAssertTrue(unmanaged.contains(1))
    }

    func testMaps() async throws {
        let kennel = try addKennel(["a"])
        CollectionEdits.set(1, for: "x", in: kennel.places.freeze())
        CollectionEdits.set(2, for: "x", in: kennel.places)
        XCTAssertEqual(kennel.places["x"], 2)
        CollectionEdits.set(nil, for: "x", in: kennel.places)
        XCTAssertEqual(kennel.places.count, 0)
        CollectionEdits.set(kennel.dogs[0].freeze(), for: "g", in: kennel.guests)
        XCTAssertTrue(kennel.guests["g"]!!.isSameObject(as: kennel.dogs[0]))
        CollectionEdits.set(.some(nil), for: "h", in: kennel.guests)
        XCTAssertEqual(kennel.guests.keys, ["g", "h"])
    }

    // MARK: Results

    func testResultsAddAndDelete() async throws {
        let results = realm.objects(Pup.self).sorted(byKeyPath: "name")
        for name in ["c", "a", "b"] {
            CollectionEdits.append(Pup(value: ["name": name]), to: results.freeze())
        }
        XCTAssertEqual(results.map(\.name), ["a", "b", "c"])
        CollectionEdits.append(results[0].freeze(), to: results)
        XCTAssertEqual(results.count, 3, "what is there already is not added again")
        CollectionEdits.remove(results[1].freeze(), of: results.freeze())
        XCTAssertEqual(results.map(\.name), ["a", "c"])
        CollectionEdits.remove(atOffsets: [0, 5], of: results.freeze())
        XCTAssertEqual(results.map(\.name), ["c"])
        CollectionEdits.remove(results[0], of: realm.objects(Pup.self).where { $0.name == "d" })
        XCTAssertEqual(results.count, 1, "what is not among the results is not deleted")
    }

    func testWhatWasShownIsDeletedWhateverOthersDidMeanwhile() async throws {
        try realm.write { for name in ["b", "c", "d"] { realm.create(Pup.self, value: ["name": name]) } }
        let results = realm.objects(Pup.self).sorted(byKeyPath: "name")
        let shown = results.freeze()
        writeElsewhere { realm in
            realm.create(Pup.self, value: ["name": "a"])
            realm.delete(realm.objects(Pup.self).where { $0.name == "d" })
        }
        // Position 0 was b, and 2 was d, which is gone.
        CollectionEdits.remove(atOffsets: [0, 2], of: shown)
        XCTAssertEqual(results.map(\.name), ["a", "c"])
    }

    func testProjectionsAreDeletedByTheirRoots() async throws {
        try realm.write { for name in ["a", "b"] { realm.create(Pup.self, value: ["name": name]) } }
        let tags = realm.objects(PupTag.self).sorted(byKeyPath: "name")
        CollectionEdits.remove(tags.freeze()[0], of: tags.freeze())
        XCTAssertEqual(tags.map(\.label), ["b"])
        CollectionEdits.remove(atOffsets: [0], of: tags.freeze())
        XCTAssertEqual(tags.count, 0)
    }

    func testDeletingWhatIsUnmanagedOrGoneDoesNothing() async throws {
        let pup = Pup()
        CollectionEdits.delete([pup])
        try realm.write { realm.add(pup) }
        let frozen = pup.freeze()
        CollectionEdits.delete([frozen, pup])
        XCTAssertTrue(pup.isInvalidated)
        CollectionEdits.delete([frozen, pup])
        XCTAssertEqual(realm.objects(Pup.self).count, 0)
    }
}
