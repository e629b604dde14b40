import Foundation
import Kivo
import XCTest

/// When observations begin and end, and where they are delivered.
final class NotificationTokenTests: RealmTestCase {
    // MARK: Tokens

    func testTokensEndInCallbacks() throws {
        let realm = try openRealm()
        let dogs = realm.objects(Dog.self)
        var calls = [0, 0, 0]
        var tokens: [NotificationToken] = []
        tokens.append(
            dogs.observe { _ in
                calls[0] += 1
                tokens[0].invalidate()
                tokens[1].invalidate()
            })
        tokens.append(dogs.observe { _ in calls[1] += 1 })
        tokens.append(dogs.observe { _ in calls[2] += 1 })
        realm.refresh()
        try realm.write { realm.add(Dog()) }
        realm.refresh()
        XCTAssertEqual(calls, [1, 0, 2])
        XCTAssertTrue(tokens[2].invalidate())
        XCTAssertFalse(tokens[2].invalidate())
        XCTAssertFalse(tokens[0].invalidate())
    }

    func testSetsOfTokens() throws {
        let realm = try openRealm()
        var calls = 0
        var tokens: Set<NotificationToken> = []
        for _ in 0..<2 { tokens.insert(realm.objects(Dog.self).observe { _ in calls += 1 }) }
        let token = realm.observe { _, _ in }
        tokens.formUnion([token, token])
        XCTAssertEqual(tokens.count, 3)
        XCTAssertTrue(tokens.contains(token))
        realm.refresh()
        XCTAssertEqual(calls, 2)
        tokens.remove(token)
        XCTAssertNotEqual(token, tokens.first)
        tokens.removeAll()
        try realm.write { realm.add(Dog()) }
        realm.refresh()
        XCTAssertEqual(calls, 2)
    }

    func testATokenEndsFromAnotherThread() throws {
        let realm = try openRealm()
        var calls = 0
        let token = realm.objects(Dog.self).observe { _ in calls += 1 }
        realm.refresh()
        try onAnotherThread { XCTAssertTrue(token.invalidate()) }
        try realm.write { realm.add(Dog()) }
        realm.refresh()
        XCTAssertEqual(calls, 1)
    }

    func testTokensOfConditionsEndFromAnotherThread() throws {
        let realm = try openRealm()
        for count in [1, 2, 3, 5, 9, 20] {
            var calls: [Int] = []
            let tokens = (0..<count).map { age in
                realm.objects(Dog.self).where { $0.age >= age }.observe { _ in calls.append(age) }
            }
            let kept = realm.objects(Dog.self).where { $0.age >= 2 }.observe { _ in calls.append(-1) }
            defer { kept.invalidate() }
            realm.refresh()
            try onAnotherThread { for token in tokens { token.invalidate() } }
            realm.refresh()
            calls = []
            try realm.write { realm.create(Dog.self, value: ["age": 100]) }
            realm.refresh()
            XCTAssertEqual(calls, [-1], "\(count) tokens")
        }
        for count in [1, 2, 3, 5, 9, 20] {
            let tokens = (0..<count).map { age in
                realm.objects(Dog.self).where { $0.age >= age }.observe { _ in XCTFail("ended") }
            }
            try onAnotherThread { for token in tokens { token.invalidate() } }
            realm.refresh()
            try realm.write { realm.create(Dog.self, value: ["age": 100]) }
            realm.refresh()
        }
    }

    /// The handler of each holds the token of the next.
    func testATokenOfAConditionEndsOthersOfTheSame() throws {
        let realm = try openRealm()
        var token: NotificationToken?
        for age in 0..<10 {
            let next = token
            token = realm.objects(Dog.self).where { $0.age >= age }.observe { _ in _ = next }
        }
        realm.refresh()
        token?.invalidate()
        token = nil
        var calls = 0
        let last = realm.objects(Dog.self).where { $0.age >= 3 }.observe { _ in calls += 1 }
        defer { last.invalidate() }
        realm.refresh()
        try realm.write { realm.create(Dog.self, value: ["age": 5]) }
        realm.refresh()
        XCTAssertEqual(calls, 2)
    }

    func testReleasingATokenEndsTheObservationAndHoldingItKeepsTheRealm() throws {
        var calls = 0
        var token: NotificationToken?
        do {
            let realm = try openRealm()
            try realm.write { realm.add(Dog()) }
            token = realm.objects(Dog.self).observe { _ in calls += 1 }
        }
        wait("the first call") { calls == 1 }
        try writeElsewhere { realm in
            XCTAssertEqual(realm.objects(Dog.self).count, 1, "the token keeps the data in memory")
            realm.add(Dog())
        }
        wait("the update") { calls == 2 }
        XCTAssertNotNil(token)
        token = nil
        try writeElsewhere { XCTAssertTrue($0.isEmpty, "nobody keeps the data any more") }
        serveRunLoop()
        XCTAssertEqual(calls, 2)
    }

    func testSkippedChangesCountForPositions() throws {
        let realm = try openRealm()
        let (mine, theirs) = (Box([String]()), Box([String]()))
        let dogs = realm.objects(Dog.self)
        let token = dogs.observe { mine.value.append(self.text($0)) }
        let other = dogs.observe { theirs.value.append(self.text($0)) }
        realm.refresh()
        try realm.write { for _ in 0..<3 { realm.add(Dog()) } }
        try realm.write(withoutNotifying: [token]) { for _ in 0..<2 { realm.add(Dog()) } }
        try realm.write { realm.add(Dog()) }
        realm.refresh()
        XCTAssertEqual(mine.value, ["initial", "-[] +[0, 1, 2] ~[]", "-[] +[5] ~[]"])
        XCTAssertEqual(theirs.value.last, "-[] +[5] ~[]")
        XCTAssertEqual(theirs.value[2], "-[] +[3, 4] ~[]")
        token.invalidate()
        other.invalidate()
    }

    func testSkippingChangesOfAListAndAnObject() throws {
        let realm = try openRealm()
        let bag = Bag(value: ["numbers": [1, 2, 3]])
        try realm.write { realm.add(bag) }
        var (listCalls, objectCalls) = ([String](), 0)
        let listToken = bag.numbers.observe { listCalls.append(self.text($0)) }
        let objectToken = bag.observe { (_: ObjectChange<Bag>) in objectCalls += 1 }
        realm.refresh()
        try realm.write(withoutNotifying: [listToken, objectToken]) { bag.numbers.remove(at: 0) }
        realm.refresh()
        XCTAssertEqual(objectCalls, 0)
        try realm.write { bag.numbers.append(4) }
        realm.refresh()
        XCTAssertEqual(listCalls, ["initial", "-[] +[2] ~[]"])
        XCTAssertEqual(objectCalls, 1)
        listToken.invalidate()
        objectToken.invalidate()
    }

    func testObservingInsideOfAWriteBeforeItsFirstChange() throws {
        let realm = try openRealm()
        var calls: [String] = []
        var token: NotificationToken?
        try realm.write {
            token = realm.objects(Dog.self).observe { calls.append(self.text($0)) }
            realm.add(Dog())
        }
        wait("a call") { !calls.isEmpty }
        XCTAssertEqual(calls, ["initial"])
        token?.invalidate()
    }

    // MARK: Queues

    func testDeliveryOnAQueue() throws {
        let queue = DispatchQueue(label: "observer")
        let realm = try openRealm()
        let dogs = realm.objects(Dog.self)
        let told = Shared<[Int]>([])
        let token = dogs.observe(on: queue) { change in
            dispatchPrecondition(condition: .onQueue(queue))
            let count: Int? =
                switch change {
                case .initial(let dogs): dogs.count
                case .update(let dogs, _, _, _): dogs.count
                case .error: nil
                }
            told.update { $0.append(count ?? -1) }
        }
        wait("the first call") { told.value == [0] }
        try realm.write { realm.add(Dog()) }
        wait("the update") { told.value == [0, 1] }
        token.invalidate()
        try realm.write { realm.add(Dog()) }
        queue.sync {}
        XCTAssertEqual(told.value, [0, 1])
    }

    func testATokenThatEndsBeforeItsQueueRanNeverBegins() throws {
        let queue = DispatchQueue(label: "observer")
        let realm = try openRealm()
        let calls = Shared(0)
        queue.suspend()
        let token = realm.objects(Dog.self).observe(on: queue) { _ in calls.update { $0 += 1 } }
        XCTAssertTrue(token.invalidate())
        queue.resume()
        try realm.write { realm.add(Dog()) }
        queue.sync {}
        queue.sync {}
        XCTAssertEqual(calls.value, 0)
        XCTAssertFalse(token.invalidate())
    }

    func testAnObjectObservedOnAQueue() throws {
        let queue = DispatchQueue(label: "observer")
        let realm = try openRealm()
        let dog = Dog(value: ["age": 1])
        try realm.write { realm.add(dog) }
        let told = Shared<[String]>([])
        let token = dog.observe(on: queue) { (change: ObjectChange<Dog>) in
            if case .change(let dog, let properties) = change {
                let text = "\(dog.age) \(properties.map { "\($0.name) \($0.oldValue ?? "nil")" })"
                told.update { $0.append(text) }
            } else {
                told.update { $0.append("deleted") }
            }
        }
        queue.sync {}
        try realm.write { dog.age = 2 }
        wait("the change") { told.value.count == 1 }
        try realm.write { realm.delete(dog) }
        wait("the deletion") { told.value.count == 2 }
        XCTAssertEqual(told.value, ["2 [\"age 1\"]", "deleted"])
        token.invalidate()
    }
}
