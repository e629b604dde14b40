import Kivo
import XCTest

/// Reads of observed results between a change and its notification.
final class MaintainedResultsTests: RealmTestCase {
    private func numbers(_ realm: Realm, _ ages: [Int]) throws -> Results<Dog> {
        try realm.write {
            for age in ages { realm.create(Dog.self, value: ["name": "d\(age)", "age": age]) }
        }
        return realm.objects(Dog.self).where { $0.age > 10 }.sorted(byKeyPath: "age")
    }

    func testResultsAreReadBeforeTheirObserverIsTold() throws {
        let realm = try openRealm()
        let results = try numbers(realm, [5, 20, 30, 40])
        var updates: [(deletions: [Int], insertions: [Int], modifications: [Int])] = []
        let token = results.observe { change in
            guard case .update(_, let deletions, let insertions, let modifications) = change else { return }
            updates.append((deletions, insertions, modifications))
        }
        realm.refresh()
        let first = results[0]
        try realm.write {
            XCTAssertEqual(results.count, 3)
            first.age = 35
            XCTAssertEqual(results.map(\.age), [30, 35, 40], "inside of the write")
        }
        XCTAssertEqual(results.map(\.age), [30, 35, 40])
        XCTAssertEqual(results.index(of: first), 1)
        XCTAssertEqual(results.count, 3)
        XCTAssertEqual(updates.count, 0)
        realm.refresh()
        XCTAssertEqual(updates.count, 1)
        XCTAssertEqual(updates.first?.deletions, [0])
        XCTAssertEqual(updates.first?.insertions, [1])
        XCTAssertEqual(updates.first?.modifications, [])
        token.invalidate()
        try realm.write { first.age = 1 }
        XCTAssertEqual(results.map(\.age), [30, 40], "nobody observes any more")
    }

    func testAViewThatWasReadAheadIsToldAsOneDifference() throws {
        let realm = try openRealm()
        let results = try numbers(realm, [5, 20, 30, 40])
        var updates: [(deletions: [Int], insertions: [Int], modifications: [Int])] = []
        let token = results.observe { change in
            guard case .update(_, let deletions, let insertions, let modifications) = change else { return }
            updates.append((deletions, insertions, modifications))
        }
        realm.refresh()
        try realm.write { results[2].age = 15 }
        XCTAssertEqual(results.map(\.age), [15, 20, 30], "the view is ahead of its observer")
        // Another commit, by the same instance, has it told first; one by another comes on top.
        try writeElsewhere { writer in
            let dogs = writer.objects(Dog.self)
            dogs.where { $0.age == 15 }.first?.age = 40
            dogs.where { $0.age == 5 }.first?.age = 50
        }
        realm.refresh()
        XCTAssertEqual(updates.count, 1)
        XCTAssertEqual(updates.first?.deletions, [])
        XCTAssertEqual(updates.first?.insertions, [3])
        XCTAssertEqual(updates.first?.modifications, [2])
        XCTAssertEqual(results.map(\.age), [20, 30, 40, 50])
        token.invalidate()
    }

    /// An observer is told that the assigned element moved, and not its neighbour, also if another commit, which leaves the order, was
    /// read before or comes after.
    func testTheElementThatWasAssignedMoved() throws {
        for movesFirst in [true, false] {
            let realm = try openRealm()
            let results = try numbers(realm, [20, 30, 40])
            var updates: [(deletions: [Int], insertions: [Int], modifications: [Int])] = []
            let token = results.observe { change in
                guard case .update(_, let deletions, let insertions, let modifications) = change else {
                    return
                }
                updates.append((deletions, insertions, modifications))
            }
            realm.refresh()
            @Sendable func move(_ realm: Realm) {
                realm.objects(Dog.self).where { $0.age == 20 }.first?.age = 35
            }
            @Sendable func rename(_ realm: Realm) {
                realm.objects(Dog.self).where { $0.age == 40 }.first?.name = "new"
            }
            try realm.write { movesFirst ? move(realm) : rename(realm) }
            XCTAssertEqual(results.map(\.age), movesFirst ? [30, 35, 40] : [20, 30, 40])
            try writeElsewhere { movesFirst ? rename($0) : move($0) }
            realm.refresh()
            XCTAssertEqual(updates.count, 1)
            XCTAssertEqual(updates.first?.deletions, [0], "\(movesFirst)")
            XCTAssertEqual(updates.first?.insertions, [1], "\(movesFirst)")
            XCTAssertEqual(updates.first?.modifications, [2])
            token.invalidate()
            try realm.write { realm.deleteAll() }
        }
    }
}
