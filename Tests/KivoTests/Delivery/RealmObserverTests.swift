import Foundation
import Kivo
import XCTest

/// When a realm's observers are told: whenever their instance moves to another version, however it does.
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
}
