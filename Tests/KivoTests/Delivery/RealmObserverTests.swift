import Foundation
import Kivo
import XCTest

/// A realm's observers are notified whenever their instance moves to another version, for any reason.
final class RealmObserverTests: RealmTestCase {
    private func observe(_ realm: Realm) -> (Shared<[String]>, NotificationToken) {
        let told = Shared<[String]>([])
        let token = realm.observe { notification, other in
            XCTAssertEqual(other, realm)
            told.update { $0.append("\(notification)") }
        }
        return (told, token)
    }

    func testAForeignCommitOfARealmThatHasReadNothing() throws {
        let realm = try openRealm()
        let (told, token) = observe(realm)
        try writeElsewhere { $0.add(Dog()) }
        wait("the turn") { !told.value.isEmpty }
        XCTAssertEqual(told.value, ["didChange"])
        try writeElsewhere { $0.add(Dog()) }
        wait("the next turn") { told.value.count > 1 }
        XCTAssertEqual(told.value, ["didChange", "didChange"])
        serveRunLoop()
        XCTAssertEqual(told.value.count, 2)
        token.invalidate()
    }

    func testAForeignCommitBeforeARefreshOfARealmThatHasReadNothing() throws {
        let realm = try openRealm()
        let (told, token) = observe(realm)
        realm.refresh()
        XCTAssertEqual(told.value, [])
        realm.invalidate()
        try writeElsewhere { $0.add(Dog()) }
        XCTAssertTrue(realm.refresh())
        XCTAssertEqual(told.value, ["didChange"])
        XCTAssertFalse(realm.refresh())
        XCTAssertEqual(told.value, ["didChange"])
        token.invalidate()
    }

    func testAForeignCommitBeforeTheFirstRead() throws {
        let realm = try openRealm()
        let (told, token) = observe(realm)
        try writeElsewhere { $0.add(Dog()) }
        XCTAssertEqual(realm.objects(Dog.self).count, 1)
        wait("the turn") { !told.value.isEmpty }
        serveRunLoop()
        XCTAssertEqual(told.value, ["didChange"])
        token.invalidate()
    }

    func testAForeignCommitOfARealmThatDoesNotRefresh() throws {
        let realm = try openRealm()
        realm.autorefresh = false
        let (told, token) = observe(realm)
        try writeElsewhere { $0.add(Dog()) }
        wait("the turn") { !told.value.isEmpty }
        XCTAssertEqual(told.value, ["refreshRequired"])
        XCTAssertTrue(realm.refresh())
        XCTAssertEqual(told.value, ["refreshRequired", "didChange"])
        token.invalidate()
    }

    func testWhatHappenedBeforeTheObservationIsNotTold() throws {
        let realm = try openRealm()
        try writeElsewhere { $0.add(Dog()) }
        let (told, token) = observe(realm)
        serveRunLoop()
        realm.refresh()
        XCTAssertEqual(told.value, [])
        token.invalidate()
    }

    func testAWriteThatIsTakenBackHasMovedTheRealmAllTheSame() throws {
        let realm = try openRealm()
        XCTAssertTrue(realm.isEmpty)
        let (told, token) = observe(realm)
        try writeElsewhere { $0.add(Dog()) }
        realm.beginWrite()
        realm.cancelWrite()
        XCTAssertEqual(realm.objects(Dog.self).count, 1)
        wait("the turn") { !told.value.isEmpty }
        serveRunLoop()
        XCTAssertEqual(told.value, ["didChange"])
        token.invalidate()
    }

    func testACommitTellsOnceOfTheMoveBeforeIt() throws {
        let realm = try openRealm()
        XCTAssertTrue(realm.isEmpty)
        let (told, token) = observe(realm)
        try writeElsewhere { $0.add(Dog()) }
        try realm.write { realm.add(Dog()) }
        XCTAssertEqual(told.value, ["didChange"])
        serveRunLoop()
        realm.refresh()
        XCTAssertEqual(told.value, ["didChange"])
        token.invalidate()
    }

    /// The observers missed the move of a write that was cancelled. `invalidate()` does not make up for that: they are notified
    /// when a version is read again, also if it is the same one.
    func testInvalidatingARealmWhoseObserversMissedAMove() throws {
        for readsFirst in [true, false] {
            let realm = try openRealm()
            realm.refresh()
            let count = realm.objects(Dog.self).count
            let (told, token) = observe(realm)
            try writeElsewhere { $0.add(Dog()) }
            realm.beginWrite()
            realm.cancelWrite()
            realm.invalidate()
            XCTAssertEqual(told.value, [], "\(readsFirst)")
            if readsFirst { XCTAssertEqual(realm.objects(Dog.self).count, count + 1) }
            realm.refresh()
            XCTAssertEqual(told.value, ["didChange"], "\(readsFirst)")
            XCTAssertEqual(realm.objects(Dog.self).count, count + 1)
            serveRunLoop()
            realm.refresh()
            XCTAssertEqual(told.value, ["didChange"], "\(readsFirst)")
            token.invalidate()
        }
    }

    /// Observers that were notified of the version that was read are not notified of it again.
    func testInvalidatingARealmWhoseObserversMissedNothing() throws {
        let realm = try openRealm()
        let (told, token) = observe(realm)
        try realm.write { realm.add(Dog()) }
        XCTAssertEqual(told.value, ["didChange"])
        realm.invalidate()
        XCTAssertEqual(realm.objects(Dog.self).count, 1)
        realm.refresh()
        serveRunLoop()
        XCTAssertEqual(told.value, ["didChange"])
        token.invalidate()
    }

    /// `invalidate()` ends the observations of objects and collections: what was not delivered is dropped, with the versions that
    /// were held for it.
    func testInvalidatingARealmWithUndeliveredChanges() throws {
        let realm = try openRealm()
        let bag = Bag(value: ["numbers": [1]])
        try realm.write {
            realm.add(bag)
            realm.add(Dog())
        }
        var calls: [String] = []
        let tokens = [
            realm.objects(Dog.self).observe { _ in calls.append("results") },
            bag.numbers.observe { _ in calls.append("list") },
            bag.observe { (_: ObjectChange<Bag>) in calls.append("object") },
        ]
        realm.refresh()
        XCTAssertEqual(calls, ["results", "list"])
        calls = []
        for number in 0..<3 {
            try realm.write {
                realm.add(Dog())
                bag.numbers.append(number)
            }
            calls = []
        }
        XCTAssertGreaterThan(realm.versionCount, 1, "the versions that the observers saw are held")
        realm.invalidate()
        XCTAssertEqual(realm.versionCount, 1)
        XCTAssertEqual(realm.observerCount, 0)
        try writeElsewhere { $0.add(Dog()) }
        realm.refresh()
        serveRunLoop()
        try realm.write { realm.add(Dog()) }
        realm.refresh()
        XCTAssertEqual(calls, [])
        XCTAssertEqual(realm.versionCount, 1)
        for token in tokens { XCTAssertTrue(token.invalidate()) }
    }
}
