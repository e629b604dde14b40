import Foundation
import Kivo
import XCTest

/// A property of the elements of a list or set, as a collection.
final class ProjectedCollectionTests: RealmTestCase {
    private func make() throws -> (Realm, ProjectionPerson, PersonCard) {
        let realm = try openRealm()
        let root = ProjectionPerson(value: [
            "friends": [["firstName": "Marie"], ["firstName": "Nicky"], ["firstName": "Pam"]],
            "family": [["age": 1], ["age": 2]],
        ])
        try realm.write { realm.add(root) }
        return (realm, root, PersonCard(projecting: root))
    }

    func testReadsThrough() throws {
        let (realm, root, card) = try make()
        let names = card.firstFriendsName
        XCTAssertEqual(names.count, 3)
        XCTAssertEqual(names[1], "Nicky")
        XCTAssertEqual(names.first, "Marie")
        XCTAssertEqual(names.last, "Pam")
        XCTAssertEqual(Array(names.reversed()), ["Pam", "Nicky", "Marie"])
        XCTAssertEqual(names.realm, realm)
        try realm.write { root.friends.remove(at: 0) }
        XCTAssertEqual(Array(names), ["Nicky", "Pam"])
        XCTAssertEqual(Set(PersonSheet(projecting: root).ages), [1, 2])
        XCTAssertEqual(
            Array(names).description, "[\"Nicky\", \"Pam\"]")
        XCTAssertEqual(names.description, "ProjectedCollection<String> {\n\t[0] Nicky\n\t[1] Pam\n}")
    }

    func testElementsAreAssignedInPlace() throws {
        let (realm, root, card) = try make()
        try realm.write {
            card.firstFriendsName[0] = "Anna"
            let ages = PersonSheet(projecting: root).ages
            ages[0] += 10
        }
        XCTAssertEqual(root.friends[0].firstName, "Anna")
        XCTAssertEqual(Set(root.family.map(\.age)), [11, 2])
        let unmanaged = ProjectionPerson(value: ["friends": [["firstName": "A"]]])
        PersonCard(projecting: unmanaged).firstFriendsName[0] = "B"
        XCTAssertEqual(unmanaged.friends[0].firstName, "B")
    }

    func testIterationRunsOverTheStateAtItsBeginning() throws {
        let (realm, root, card) = try make()
        var seen: [String] = []
        try realm.write {
            for name in card.firstFriendsName {
                seen.append(name)
                root.friends.append(ProjectionPerson())
            }
        }
        XCTAssertEqual(seen, ["Marie", "Nicky", "Pam"])
    }

    func testFreezeAndThaw() throws {
        let (realm, root, card) = try make()
        let frozen = card.firstFriendsName.freeze()
        XCTAssertTrue(frozen.isFrozen)
        try realm.write { root.friends[0].firstName = "Anna" }
        XCTAssertEqual(Array(frozen), ["Marie", "Nicky", "Pam"])
        XCTAssertEqual(frozen.thaw().map { Array($0) }, ["Anna", "Nicky", "Pam"])
        let live = card.firstFriendsName
        try realm.write { realm.delete(root) }
        XCTAssertTrue(live.isInvalidated)
        XCTAssertNil(frozen.thaw())
    }

    func testObservingTellsOfMembershipAndOfTheProjectedProperty() throws {
        let (realm, root, card) = try make()
        var calls: [String] = []
        let token = card.firstFriendsName.observe { change in
            calls.append(self.text(change))
            if case .update(let names, _, _, _) = change { calls.append(names.joined(separator: " ")) }
        }
        realm.refresh()
        try realm.write { root.friends[1].firstName = "Nick" }
        realm.refresh()
        try realm.write { root.friends[1].age = 5 }
        realm.refresh()
        try realm.write {
            root.friends.remove(at: 0)
            root.friends.append(ProjectionPerson(value: ["firstName": "Zoe"]))
        }
        realm.refresh()
        token.invalidate()
        XCTAssertEqual(
            calls,
            ["initial", "-[] +[] ~[1]", "Marie Nick Pam", "-[0] +[2] ~[]", "Nick Pam Zoe"])
    }

    func testObservingOtherKeyPathsAndOnAQueue() throws {
        let (realm, root, card) = try make()
        let queue = DispatchQueue(label: "projected collection")
        let calls = Shared<[String]>([])
        let token = card.firstFriendsName.observe(keyPaths: ["age"], on: queue) { change in
            guard case .update(let names, _, _, let modifications) = change else {
                return calls.update { $0.append("initial") }
            }
            let text = "\(modifications) \(names[0])"
            calls.update { $0.append(text) }
        }
        wait("the first call") { calls.value == ["initial"] }
        try realm.write { root.friends[0].firstName = "Anna" }
        try realm.write { root.friends[0].age = 6 }
        wait("the second call") { calls.value.count > 1 }
        token.invalidate()
        XCTAssertEqual(calls.value, ["initial", "[0] Anna"])
    }
}
