import Foundation
import Kivo
import XCTest

/// When observers are called, and when they are not.
final class NotificationTests: RealmTestCase {
    // MARK: When

    func testOneInitialAndThenUpdates() throws {
        let realm = try openRealm()
        var calls: [String] = []
        let token = realm.objects(Dog.self).observe { calls.append(self.text($0)) }
        XCTAssertEqual(calls, [])
        wait("the first call") { !calls.isEmpty }
        XCTAssertEqual(calls, ["initial"])
        try realm.write { realm.add([Dog(), Dog()]) }
        XCTAssertEqual(calls.count, 1, "a commit calls no collection observer")
        wait("the update") { calls.count == 2 }
        XCTAssertEqual(calls[1], "-[] +[0, 1] ~[]")
        try writeElsewhere { realm in realm.delete(realm.objects(Dog.self)[0]) }
        wait("the foreign change") { calls.count == 3 }
        XCTAssertEqual(calls[2], "-[0] +[] ~[]")
        token.invalidate()
        try realm.write { realm.add(Dog()) }
        serveRunLoop()
        XCTAssertEqual(calls.count, 3)
    }

    func testAWriteElsewhereBeforeTheFirstCallIsPartOfIt() throws {
        let realm = try openRealm()
        var counts: [Int] = []
        let token = realm.objects(Dog.self).observe { change in
            guard case .initial(let dogs) = change else { return XCTFail("an update") }
            counts.append(dogs.count)
        }
        try writeElsewhere { $0.add(Dog()) }
        try writeElsewhere { $0.add(Dog()) }
        wait("the first call") { !counts.isEmpty }
        serveRunLoop()
        token.invalidate()
        XCTAssertEqual(counts, [2])
    }

    /// A write right after the first call is a change of the contents that this call showed.
    func testAWriteBeginsWithTheFirstCalls() throws {
        let realm = try openRealm()
        var calls: [String] = []
        let results = realm.objects(Dog.self)
        let tokens = [
            results.observe { calls.append("all \(self.text($0)) \(realm.isInWriteTransaction)") },
            results.filter("age > 3").observe { calls.append("some \(self.text($0))") },
        ]
        try writeElsewhere { $0.add(Dog()) }
        realm.beginWrite()
        XCTAssertEqual(calls, ["all initial true", "some initial"])
        XCTAssertEqual(results.count, 1)
        realm.add(Dog(value: ["age": 4]))
        try realm.commitWrite()
        wait("the updates") { calls.count == 4 }
        XCTAssertEqual(calls.suffix(2), ["all -[] +[1] ~[] false", "some -[] +[0] ~[]"])
        tokens.forEach { $0.invalidate() }
    }

    func testACancelledWriteBeginsWithTheFirstCalls() throws {
        let realm = try openRealm()
        var calls: [String] = []
        let token = realm.objects(Dog.self).observe { calls.append(self.text($0)) }
        realm.beginWrite()
        realm.add(Dog())
        realm.cancelWrite()
        realm.refresh()
        serveRunLoop()
        XCTAssertEqual(calls, ["initial"])
        token.invalidate()
    }

    func testCommitsUntilTheDeliveryAreOneCall() throws {
        let realm = try openRealm()
        var calls: [String] = []
        let token = realm.objects(Dog.self).observe { calls.append(self.text($0)) }
        realm.refresh()
        try elsewhere { realm in
            for _ in 0..<5 { try realm.write { realm.add(Dog()) } }
            try realm.write { realm.delete(realm.objects(Dog.self)[0]) }
        }
        realm.refresh()
        XCTAssertEqual(calls, ["initial", "-[] +[0, 1, 2, 3] ~[]"])
        token.invalidate()
    }

    func testRealmObserversAreCalledInsideOfTheCommit() throws {
        let realm = try openRealm()
        var calls: [Realm.Notification] = []
        let token = realm.observe { notification, observed in
            XCTAssertEqual(observed, realm)
            XCTAssertFalse(realm.isInWriteTransaction)
            calls.append(notification)
        }
        try realm.write {}
        XCTAssertEqual(calls, [.didChange], "also for a write that changed nothing")
        try realm.write { realm.add(Dog()) }
        XCTAssertEqual(calls.count, 2)
        try realm.write(withoutNotifying: [token]) { realm.add(Dog()) }
        XCTAssertEqual(calls.count, 2)
        realm.beginWrite()
        realm.cancelWrite()
        XCTAssertEqual(calls.count, 2)
        try writeElsewhere { $0.add(Dog()) }
        XCTAssertEqual(calls.count, 2)
        realm.refresh()
        XCTAssertEqual(calls.count, 3)
        token.invalidate()
    }

    func testWithoutAutorefreshOnlyTheRealmIsTold() throws {
        let realm = try openRealm()
        realm.autorefresh = false
        var (realmCalls, calls) = ([Realm.Notification](), [String]())
        let realmToken = realm.observe { notification, _ in realmCalls.append(notification) }
        let token = realm.objects(Dog.self).observe { calls.append(self.text($0)) }
        realm.refresh()
        try writeElsewhere { $0.add(Dog()) }
        wait("the notice") { !realmCalls.isEmpty }
        serveRunLoop()
        XCTAssertEqual(realmCalls, [.refreshRequired])
        XCTAssertEqual(calls, ["initial"])
        XCTAssertEqual(realm.objects(Dog.self).count, 0)
        XCTAssertTrue(realm.refresh())
        XCTAssertEqual(calls, ["initial", "-[] +[0] ~[]"])
        XCTAssertEqual(realmCalls, [.refreshRequired, .didChange])
        token.invalidate()
        realmToken.invalidate()
    }

    func testRefreshDoesNothingInsideOfNotificationsAndWrites() throws {
        let realm = try openRealm()
        var answers: [Bool] = []
        let token = realm.objects(Dog.self).observe { _ in
            self.expectSuccess { try self.writeElsewhere { $0.add(Person()) } }
            answers.append(realm.refresh())
            XCTAssertEqual(realm.objects(Person.self).count, 0)
        }
        realm.refresh()
        XCTAssertEqual(answers, [false])
        token.invalidate()
        XCTAssertTrue(realm.refresh())
        XCTAssertEqual(realm.objects(Person.self).count, 1)
        realm.beginWrite()
        XCTAssertFalse(realm.refresh())
        realm.cancelWrite()
        let realmToken = realm.observe { _, _ in
            if answers.count < 2 {
                self.expectSuccess { try self.writeElsewhere { $0.add(Person()) } }
                answers.append(realm.refresh())
            }
        }
        try realm.write {}
        XCTAssertEqual(answers, [false, false])
        XCTAssertEqual(realm.objects(Person.self).count, 1)
        realmToken.invalidate()
    }

    func testBeginningAWriteDeliversWhatIsPending() throws {
        let realm = try openRealm()
        var states: [Bool] = []
        let token = realm.objects(Dog.self).observe { _ in states.append(realm.isInWriteTransaction) }
        realm.refresh()
        try writeElsewhere { $0.add(Dog()) }
        realm.beginWrite()
        XCTAssertEqual(states, [false, true])
        XCTAssertEqual(realm.objects(Dog.self).count, 1)
        realm.cancelWrite()
        token.invalidate()
    }

    /// Three callbacks, of which the second deletes four objects in four transactions: each is called five times.
    func testMultipleWriteTransactionsWithinNotification() throws {
        let realm = try openRealm()
        try realm.write { for age in 1...4 { realm.create(Dog.self, value: ["age": age]) } }
        var calls = [0, 0, 0]
        let dogs = realm.objects(Dog.self)
        let first = dogs.observe { _ in calls[0] += 1 }
        let second = dogs.observe { change in
            calls[1] += 1
            guard case .initial(let dogs) = change else { return }
            while let dog = dogs.first { self.expectSuccess { try realm.write { realm.delete(dog) } } }
        }
        let third = dogs.observe { _ in calls[2] += 1 }
        wait("all calls") { calls == [5, 5, 5] }
        serveRunLoop()
        XCTAssertEqual(calls, [5, 5, 5])
        for token in [first, second, third] { token.invalidate() }
    }

    func testAnObserverAddedInACallbackIsCalledTheNextTime() throws {
        let realm = try openRealm()
        let dogs = realm.objects(Dog.self)
        var (outer, inner) = (0, [String]())
        var innerToken: NotificationToken?
        let token = dogs.observe { _ in
            outer += 1
            if innerToken == nil { innerToken = dogs.observe { inner.append(self.text($0)) } }
        }
        realm.refresh()
        XCTAssertEqual(outer, 1)
        XCTAssertEqual(inner, [])
        wait("the inner observer") { !inner.isEmpty }
        XCTAssertEqual(inner, ["initial"])
        token.invalidate()
        innerToken?.invalidate()
    }
}
