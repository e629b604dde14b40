import Dispatch
import Foundation
import XCTest

@testable import Kivo

/// Observers that are called at a pace of their own.
final class PacingTests: RealmTestCase {
    /// An interval that no test lives to see.
    private let never = Realm.Pacing.every(.seconds(100_000))

    private func addDogs(_ ages: Int...) throws {
        let realm = try openRealm()
        try realm.write { for age in ages { realm.create(Dog.self, value: ["age": age]) } }
    }

    // MARK: By hand

    func testByHandChangesAreOnePieceOfWhatChanged() throws {
        let realm = try openRealm()
        try addDogs(1, 2, 3)
        let dogs = realm.objects(Dog.self).sorted(byKeyPath: "age")
        var calls: [String] = []
        let token = dogs.observe(pacing: .manual) { calls.append(self.text($0)) }
        realm.refresh()
        XCTAssertEqual(calls, ["initial"])
        try addDogs(0)
        try realm.write { realm.delete(dogs[1]) }
        try writeElsewhere { realm in realm.objects(Dog.self).where { $0.age == 3 }.first?.name = "Rex" }
        realm.refresh()
        serveRunLoop()
        XCTAssertEqual(calls, ["initial"])
        token.deliverNow()
        XCTAssertEqual(calls, ["initial", "-[0] +[0] ~[2]"])
        token.deliverNow()
        XCTAssertEqual(calls.count, 2, "there is nothing more")
    }

    func testPositionsLeadToTheFrozenCollection() throws {
        let realm = try openRealm()
        try addDogs(1, 2, 3)
        let dogs = realm.objects(Dog.self).sorted(byKeyPath: "age")
        var shown: Results<Dog>?
        let token = dogs.observe(pacing: never) { change in
            switch change {
            case .initial(let dogs), .update(let dogs, _, _, _): shown = dogs
            case .error: break
            }
        }
        realm.refresh()
        try addDogs(0)
        realm.refresh()
        XCTAssertEqual(shown?.map(\.age), [0, 1, 2, 3], "the first change is told at once")
        try realm.write { realm.delete(dogs.where { $0.age < 3 }) }
        try addDogs(9)
        realm.refresh()
        XCTAssertEqual(dogs.map(\.age), [3, 9])
        XCTAssertEqual(shown?.map(\.age), [0, 1, 2, 3])
        XCTAssertEqual(shown?.isFrozen, true)
        token.deliverNow()
        XCTAssertEqual(shown?.map(\.age), [3, 9])
    }

    func testInsideOfAWriteNothingIsDelivered() throws {
        let realm = try openRealm()
        var calls: [String] = []
        let token = realm.objects(Dog.self).observe(pacing: .manual) { calls.append(self.text($0)) }
        realm.refresh()
        try addDogs(1)
        try realm.write {
            token.deliverNow()
            XCTAssertEqual(calls, ["initial", "-[] +[0] ~[]"], "nothing was changed yet")
            realm.create(Dog.self)
            token.deliverNow()
            XCTAssertEqual(calls.count, 2)
        }
        token.deliverNow()
        XCTAssertEqual(calls.last, "-[] +[1] ~[]")
    }

    func testOrdinaryObserversAreCalledNowToo() throws {
        let realm = try openRealm()
        var calls: [String] = []
        let token = realm.objects(Dog.self).observe { calls.append(self.text($0)) }
        token.deliverNow()
        try addDogs(1)
        token.deliverNow()
        serveRunLoop()
        XCTAssertEqual(calls, ["initial", "-[] +[0] ~[]"])
    }

    // MARK: With time

    func testAtMostOneCallInAnInterval() throws {
        let realm = try openRealm()
        var calls: [String] = []
        let token = realm.objects(Dog.self).observe(pacing: never) { calls.append(self.text($0)) }
        realm.refresh()
        try addDogs(1)
        realm.refresh()
        XCTAssertEqual(calls, ["initial", "-[] +[0] ~[]"])
        for age in 2..<10 {
            try addDogs(age)
            realm.refresh()
        }
        XCTAssertEqual(calls.count, 2)
        token.invalidate()
    }

    func testTheEndOfAnIntervalBringsATurn() throws {
        let realm = try openRealm()
        var counts: [Int] = []
        let token = realm.objects(Dog.self).observe(pacing: .every(.milliseconds(3))) { change in
            if case .update(let dogs, _, _, _) = change { counts.append(dogs.count) }
        }
        for _ in 0..<5 {
            let count = realm.objects(Dog.self).count
            try addDogs(1)
            try addDogs(2)
            wait { counts.last == count + 2 }
        }
        XCTAssertGreaterThanOrEqual(counts.count, 5)
        token.invalidate()
    }

    func testWhenTheRealmIsAtRest() throws {
        let realm = try openRealm()
        var calls: [String] = []
        let pacing = [Realm.Pacing.whenIdle, .whenIdle(for: .milliseconds(2))]
        var tokens = pacing.map {
            realm.objects(Dog.self).observe(pacing: $0) { calls.append(self.text($0)) }
        }
        var isCalled = false
        tokens.append(
            realm.objects(Dog.self).observe(pacing: .whenIdle(for: .seconds(100_000))) { change in
                if case .update = change { isCalled = true }
            })
        realm.refresh()
        calls = []
        try addDogs(1)
        realm.refresh()
        wait { calls.count == 2 }
        XCTAssertEqual(calls, ["-[] +[0] ~[]", "-[] +[0] ~[]"])
        XCTAssertFalse(isCalled)
        for token in tokens { token.invalidate() }
    }

    func testOnAThreadWithoutARunLoopRefreshingDelivers() throws {
        let configuration = configuration
        let keeper = try openRealm()
        try onAnotherThread {
            let realm = try Realm(configuration: configuration)
            var counts: [Int] = []
            let token = realm.objects(Dog.self).observe(pacing: .every(.milliseconds(1))) { change in
                if case .update(let dogs, _, _, _) = change { counts.append(dogs.count) }
            }
            realm.refresh()
            for count in 1...5 {
                try realm.write { _ = realm.create(Dog.self) }
                let deadline = Date(timeIntervalSinceNow: 60)
                while counts.last != count, Date() < deadline { realm.refresh() }
                XCTAssertEqual(counts.last, count)
            }
            token.invalidate()
        }
        withExtendedLifetime(keeper) {}
    }

    // MARK: Pauses

    func testAPauseHoldsEverything() throws {
        let realm = try openRealm()
        for pacing in [Realm.Pacing.everyTurn, never, .manual, .whenIdle(for: .milliseconds(1))] {
            var calls: [String] = []
            let token = realm.objects(Dog.self).observe(pacing: pacing) { calls.append(self.text($0)) }
            realm.refresh()
            token.pause()
            token.pause()
            let count = realm.objects(Dog.self).count
            try addDogs(1)
            try addDogs(2)
            realm.refresh()
            serveRunLoop()
            XCTAssertEqual(calls, ["initial"])
            XCTAssertTrue(realm.instance.listeners.isEmpty, "a paused observer costs nothing")
            token.resume()
            XCTAssertEqual(calls.count, 1, "never inside of resume()")
            let change = "-[] +[\(count), \(count + 1)] ~[]"
            if pacing == .manual { token.deliverNow() } else { wait("\(pacing)") { calls.count == 2 } }
            XCTAssertEqual(calls, ["initial", change])
            // Afterwards it goes on as before.
            try realm.write { realm.delete(realm.objects(Dog.self)) }
            token.deliverNow()
            XCTAssertEqual(calls.count, 3)
            token.invalidate()
        }
    }

    func testAPauseBeforeTheFirstCall() throws {
        let realm = try openRealm()
        var calls: [String] = []
        let token = realm.objects(Dog.self).observe { calls.append(self.text($0)) }
        token.pause()
        try addDogs(1)
        realm.refresh()
        serveRunLoop()
        XCTAssertEqual(calls, [])
        token.resume()
        serveRunLoop()
        XCTAssertEqual(calls, ["initial"])
        try addDogs(2)
        serveRunLoop()
        XCTAssertEqual(calls, ["initial", "-[] +[1] ~[]"])

        let other = realm.objects(Dog.self).observe { calls.append(self.text($0)) }
        calls = []
        other.pause()
        other.deliverNow()
        XCTAssertEqual(calls, ["initial"], "the first call can be asked for")
        try addDogs(3)
        realm.refresh()
        XCTAssertEqual(calls, ["initial", "-[] +[2] ~[]"], "only the other observer is called")
        other.deliverNow()
        XCTAssertEqual(calls.count, 3)
        token.invalidate()
    }

    func testADeliveryDuringAPauseDoesNotEndIt() throws {
        let realm = try openRealm()
        var calls: [String] = []
        let token = realm.objects(Dog.self).observe { calls.append(self.text($0)) }
        realm.refresh()
        token.pause()
        for _ in 0..<3 {
            try addDogs(1)
            token.deliverNow()
            try addDogs(2)
            realm.refresh()
        }
        XCTAssertEqual(calls, ["initial", "-[] +[0] ~[]", "-[] +[1, 2] ~[]", "-[] +[3, 4] ~[]"])
        token.resume()
        serveRunLoop()
        XCTAssertEqual(calls.last, "-[] +[5] ~[]")
    }

    func testOtherObserversAreCalledDuringAPause() throws {
        let realm = try openRealm()
        var (paused, other) = ([String](), [String]())
        let tokens = [
            realm.objects(Dog.self).observe { paused.append(self.text($0)) },
            realm.objects(Dog.self).observe { other.append(self.text($0)) },
        ]
        realm.refresh()
        tokens[0].pause()
        for _ in 0..<3 {
            try addDogs(1)
            realm.refresh()
        }
        XCTAssertEqual(other, ["initial", "-[] +[0] ~[]", "-[] +[1] ~[]", "-[] +[2] ~[]"])
        XCTAssertEqual(paused, ["initial"])
        tokens[0].resume()
        realm.refresh()
        XCTAssertEqual(paused, ["initial", "-[] +[0, 1, 2] ~[]"])
    }

    // MARK: Ends

    func testHeldVersionsAreLetGo() throws {
        let realm = try openRealm()
        let dogs = realm.objects(Dog.self)
        for end in 0..<4 {
            var isCalled = false
            let token = dogs.observe(pacing: .manual) { _ in isCalled = true }
            realm.refresh()
            for age in 0..<20 {
                try addDogs(age)
                realm.refresh()
            }
            isCalled = false
            XCTAssertGreaterThan(realm.instance.store.versionCount, 1)
            switch end {
            case 0: token.invalidate()
            case 1: try onAnotherThread { token.invalidate() }
            case 2: token.deliverNow()
            default: token.pause()
            }
            realm.refresh()
            XCTAssertEqual(realm.instance.store.versionCount > 1, end == 3)
            XCTAssertEqual(isCalled, end == 2)
            token.invalidate()
            token.deliverNow()
            token.resume()
        }
        XCTAssertEqual(realm.instance.store.versionCount, 1)
        XCTAssertTrue(realm.instance.listeners.paced.all.isEmpty)
    }

    func testTheBlockIsReleasedWithTheToken() throws {
        final class Captured {}
        let realm = try openRealm()
        for kind in 0..<4 {
            var captured: Captured? = Captured()
            weak let released = captured
            var token: NotificationToken? = realm.objects(Dog.self).observe(pacing: .manual) {
                [captured] _ in withExtendedLifetime(captured) {}
            }
            captured = nil
            if kind > 0 { realm.refresh() }
            if kind > 1 { try addDogs(1) }
            if kind > 2 { token?.pause() }
            realm.refresh()
            XCTAssertNotNil(released)
            token = nil
            XCTAssertNil(released, "\(kind)")
            withExtendedLifetime(token) {}
        }
    }

    func testATokenThatEndsElsewhereIsNotCalledAgain() throws {
        let realm = try openRealm()
        for pacing in [Realm.Pacing.manual, never] {
            var calls = 0
            let first = realm.objects(Dog.self).observe(pacing: pacing) { _ in calls += 1 }
            try onAnotherThread { first.invalidate() }
            realm.refresh()
            serveRunLoop()
            XCTAssertEqual(calls, 0)
            let second = realm.objects(Dog.self).observe(pacing: pacing) { _ in calls += 1 }
            realm.refresh()
            try onAnotherThread { second.invalidate() }
            try addDogs(1)
            serveRunLoop()
            second.deliverNow()
            XCTAssertEqual(calls, 1)
        }
    }

    func testInvalidatingTheRealmEndsThem() throws {
        let realm = try openRealm()
        var calls = 0
        let tokens = (0..<3).map { _ in realm.objects(Dog.self).observe(pacing: .manual) { _ in calls += 1 } }
        realm.refresh()
        try addDogs(1)
        realm.refresh()
        tokens[1].pause()
        tokens[2].deliverNow()
        XCTAssertEqual(calls, 4)
        realm.invalidate()
        try addDogs(2)
        realm.refresh()
        for token in tokens {
            token.deliverNow()
            token.resume()
        }
        serveRunLoop()
        XCTAssertEqual(calls, 4)
        XCTAssertEqual(realm.instance.store.versionCount, 1)
    }

    func testDeletedOwnersAreReportedOnce() throws {
        let realm = try openRealm()
        let person = Person()
        try realm.write {
            realm.add(person)
            person.dogs.append(objectsIn: [Dog(), Dog()])
        }
        var calls: [String] = []
        var isInvalidated: Bool?
        let tokens = [
            person.dogs.observe(pacing: .manual) { change in
                calls.append(self.text(change))
                if case .update(let dogs, _, _, _) = change { isInvalidated = dogs.isInvalidated }
            },
            person.dogs.sorted(byKeyPath: "age").observe(pacing: .manual) { calls.append(self.text($0)) },
            person.observe(pacing: .manual) { (change: ObjectChange<Person>) in
                if case .deleted = change { calls.append("deleted") } else { calls.append("\(change)") }
            },
        ]
        realm.refresh()
        calls = []
        try writeElsewhere { realm in realm.delete(realm.objects(Person.self)) }
        realm.refresh()
        for _ in 0..<2 { for token in tokens { token.deliverNow() } }
        XCTAssertEqual(calls, ["-[0, 1] +[] ~[]", "-[0, 1] +[] ~[]", "deleted"])
        XCTAssertEqual(isInvalidated, true)
    }

    // MARK: Silent writes

    func testSilentWritesFirstTellWhatIsHeld() throws {
        let realm = try openRealm()
        let dogs = realm.objects(Dog.self)
        var calls: [String] = []
        let token = dogs.observe(pacing: .manual) { calls.append(self.text($0)) }
        realm.refresh()
        try addDogs(1, 2)
        realm.refresh()
        try realm.write(withoutNotifying: [token]) {
            XCTAssertEqual(calls, ["initial", "-[] +[0, 1] ~[]"])
            realm.delete(dogs[0])
        }
        token.deliverNow()
        XCTAssertEqual(calls.count, 2)
        try addDogs(3)
        token.deliverNow()
        XCTAssertEqual(calls.last, "-[] +[1] ~[]", "positions count from the silent write")
        // Nothing is held, but the observer is paused.
        token.pause()
        try addDogs(4)
        try realm.write(withoutNotifying: [token]) { realm.delete(dogs[0]) }
        XCTAssertEqual(calls.last, "-[] +[2] ~[]")
        token.deliverNow()
        XCTAssertEqual(calls.last, "-[] +[2] ~[]", "the silent write is not told after the pause either")
        try addDogs(5)
        token.resume()
        realm.refresh()
        XCTAssertEqual(calls.last, "-[] +[2] ~[]", "it is held at the pace of the observer")
        token.deliverNow()
        XCTAssertEqual(calls.count, 5)
        XCTAssertEqual(realm.instance.store.versionCount, 1)
    }

    // MARK: Callbacks

    func testCallbacksThatWriteAreToldOfIt() throws {
        let realm = try openRealm()
        let dogs = realm.objects(Dog.self)
        var calls: [String] = []
        let token = dogs.observe(pacing: .manual) { change in
            calls.append(self.text(change))
            if calls.count == 2 { self.expectSuccess { try self.addDogs(2) } }
        }
        realm.refresh()
        try addDogs(1)
        token.deliverNow()
        XCTAssertEqual(calls, ["initial", "-[] +[0] ~[]"])
        token.deliverNow()
        XCTAssertEqual(calls, ["initial", "-[] +[0] ~[]", "-[] +[1] ~[]"])
    }

    func testCallbacksThatPauseResumeDeliverAndEndThemselves() throws {
        let realm = try openRealm()
        var calls: [String] = []
        var act: (NotificationToken) -> Void = { _ in }
        var tokens: [NotificationToken] = []
        tokens.append(
            realm.objects(Dog.self).observe(pacing: .everyTurn) { change in
                calls.append(self.text(change))
                if let token = tokens.first { act(token) }
            })
        let acts: [(NotificationToken) -> Void] = [
            { $0.pause() },
            {
                $0.pause()
                $0.resume()
            },
            { $0.deliverNow() },
            {
                $0.pause()
                $0.deliverNow()
            },
        ]
        realm.refresh()
        for index in acts.indices {
            act = acts[index]
            try addDogs(1)
            realm.refresh()
            act = { _ in }
            tokens[0].resume()
            try addDogs(2)
            realm.refresh()
            XCTAssertEqual(calls.count, 3 + 2 * index, "\(index): \(calls)")
        }
        act = { $0.invalidate() }
        try addDogs(1)
        realm.refresh()
        try addDogs(1)
        realm.refresh()
        XCTAssertEqual(calls.count, 10)
        XCTAssertTrue(realm.instance.listeners.isEmpty)
        XCTAssertTrue(realm.instance.listeners.paced.all.isEmpty)
    }

    func testACallbackThatLeavesAWriteOpenHoldsTheOthers() throws {
        let realm = try openRealm()
        var calls = [0, 0]
        let tokens = [0, 1].map { index in
            realm.objects(Dog.self).observe(pacing: .everyTurn) { _ in
                calls[index] += 1
                if calls == [2, 1] {
                    realm.beginWrite()
                    realm.create(Dog.self)
                }
            }
        }
        realm.refresh()
        for token in tokens { token.pause() }
        try addDogs(1)
        // Both are due in the same turn.
        for token in tokens { token.resume() }
        serveRunLoop()
        XCTAssertTrue(realm.isInWriteTransaction)
        XCTAssertEqual(calls, [2, 1])
        try realm.commitWrite()
        serveRunLoop()
        XCTAssertEqual(calls, [3, 2])
        for token in tokens { token.invalidate() }
    }

    // MARK: Kinds

    func testAllKindsOfCollections() throws {
        let realm = try openRealm()
        let bag = Bag()
        try realm.write {
            realm.add(bag)
            bag.numbers.append(objectsIn: [1, 2, 3])
            bag.numberSet.insert(objectsIn: [1, 2])
            bag.counts["one"] = 1
        }
        try addDogs(1, 2)
        var calls: [String] = []
        var frozen: [Bool] = []
        let sections = realm.objects(Dog.self).sectioned(by: \.age, ascending: true)
        let tokens = [
            bag.numbers.observe(pacing: .manual) { change in
                calls.append("list " + self.text(change))
                if case .update(let list, _, _, _) = change {
                    frozen.append(list.isFrozen)
                    calls.append("\(Array(list))")
                }
            },
            bag.numberSet.observe(pacing: .manual) { calls.append("set " + self.text($0)) },
            bag.counts.observe(pacing: .manual) { change in
                guard case .update(let map, let deletions, let insertions, let modifications) = change else {
                    return
                }
                frozen.append(map.isFrozen)
                calls.append("map -\(deletions) +\(insertions) ~\(modifications) \(map["two"] ?? 0)")
            },
            sections.observe(pacing: .manual) { change in
                guard case .update(let sections, _, let insertions, _, let new, let gone) = change else {
                    return
                }
                frozen.append(sections.isFrozen)
                calls.append("sections +\(insertions) \(Array(new)) \(Array(gone)) of \(sections.count)")
            },
            sections[0].observe(pacing: .manual) { change in
                guard case .update(let section, let deletions, _, _, _, _) = change else { return }
                frozen.append(section.isFrozen)
                calls.append("section -\(deletions.count)")
            },
            bag.observe(keyPaths: [\Bag.name], pacing: .manual) { (change: ObjectChange<Bag>) in
                guard case .change(let bag, let properties) = change else { return }
                calls.append(
                    "\(properties.map { "\($0.oldValue ?? "-") > \($0.newValue ?? "-")" }) \(bag.name)")
            },
        ]
        realm.refresh()
        calls = []
        try realm.write {
            bag.numbers.append(4)
            bag.numberSet.insert(9)
            bag.counts["two"] = 2
            bag.name = "first"
        }
        try realm.write {
            bag.numbers.remove(at: 0)
            bag.counts["one"] = nil
            bag.name = "second"
            realm.create(Dog.self, value: ["age": 1])
            realm.create(Dog.self, value: ["age": 7])
        }
        realm.refresh()
        XCTAssertEqual(calls, [])
        for token in tokens { token.deliverNow() }
        XCTAssertEqual(
            calls,
            [
                "list -[0] +[2] ~[]", "[2, 3, 4]", "set -[] +[2] ~[]", "map -[\"one\"] +[\"two\"] ~[] 2",
                "sections +[[0, 1], [2, 0]] [2] [] of 3", "section -0", "[\" > second\"] second",
            ])
        XCTAssertEqual(frozen, [true, true, true, true])
    }

    func testKeyPathsFilter() throws {
        let realm = try openRealm()
        try addDogs(1)
        let dog = realm.objects(Dog.self)[0]
        var calls: [String] = []
        let tokens = [
            realm.objects(Dog.self).observe(keyPaths: ["name"], pacing: .manual) {
                calls.append(self.text($0))
            },
            realm.objects(Dog.self).observe(keyPaths: [\Dog.name], pacing: .manual) {
                calls.append(self.text($0))
            },
        ]
        realm.refresh()
        calls = []
        try realm.write { dog.age = 2 }
        for token in tokens { token.deliverNow() }
        XCTAssertEqual(calls, [])
        try realm.write { dog.name = "Rex" }
        for token in tokens { token.deliverNow() }
        XCTAssertEqual(calls, ["-[] +[] ~[0]", "-[] +[] ~[0]"])
    }

    func testOnAQueue() throws {
        let realm = try openRealm()
        try addDogs(1)
        let queue = DispatchQueue(label: "paced")
        let calls = Received<String>()
        let person = try realm.write { realm.create(Person.self, value: ["dogs": [["age": 7]]]) }
        let describe: @Sendable (Int, Int) -> String = { "\($0) dogs, \($1) inserted" }
        let tokens = [
            realm.objects(Dog.self).observe(on: queue, pacing: .every(.milliseconds(2))) { change in
                dispatchPrecondition(condition: .onQueue(queue))
                if case .update(let dogs, _, let insertions, _) = change {
                    calls.append(describe(dogs.count, insertions.count))
                }
            },
            person.dogs.observe(on: queue, pacing: .manual) { _ in calls.append("list") },
            person.observe(on: queue, pacing: .manual) { (_: ObjectChange<Person>) in calls.append("person")
            },
        ]
        queue.sync {}
        wait { queue.sync { tokens[0].undeliveredChanges?.isFirstCallPending == false } }
        try addDogs(2)
        wait { calls.all.contains("3 dogs, 1 inserted") }
        try realm.write { person.dogs.removeAll() }
        queue.sync { tokens[1].pause() }
        wait { queue.sync { tokens[1].versions?.shown == tokens[1].versions?.newest } }
        queue.sync {
            tokens[1].deliverNow()
            tokens[2].deliverNow()
        }
        XCTAssertTrue(Set(calls.all).isSuperset(of: ["list", "person"]), "\(calls.all)")
        for token in tokens { token.invalidate() }
    }

    @MainActor func testOnAnActor() async throws {
        actor Watcher {
            private(set) var counts: [Int] = []
            func note(_ count: Int) { counts.append(count) }
        }
        let realm = try openRealm()
        let watcher = Watcher()
        let token = await realm.objects(Dog.self).observe(on: watcher, pacing: .every(.milliseconds(2))) {
            watcher, change in
            switch change {
            case .initial(let dogs), .update(let dogs, _, _, _): watcher.note(dogs.count)
            case .error: break
            }
        }
        // What is committed before the first call is part of it.
        for count in 0...2 {
            if count > 0 { try addDogs(count) }
            for _ in 0..<100_000 where await watcher.counts.last != count {
                try await Task.sleep(for: .milliseconds(1))
            }
            let counts = await watcher.counts
            XCTAssertEqual(counts.last, count)
        }
        token.invalidate()
    }

    func testTokensWithoutChangesAreLeftAlone() throws {
        let realm = try openRealm()
        var calls = 0
        let token = realm.observe { _, _ in calls += 1 }
        token.pause()
        token.deliverNow()
        XCTAssertEqual(calls, 0)
        try addDogs(1)
        XCTAssertEqual(calls, 1, "the observer of a realm is not paused")
        token.resume()
        let none = NotificationToken()
        none.pause()
        none.deliverNow()
        none.resume()
    }

    // MARK: Growth

    /// However many commits are made, one version is kept, and the observer costs nothing.
    func testWhatIsHeldDoesNotGrowWithCommits() throws {
        let realm = try openRealm()
        try addDogs(0, 1, 2)
        let dogs = realm.objects(Dog.self).sorted(byKeyPath: "age")
        var calls = 0
        let token = dogs.observe(pacing: .manual) { _ in calls += 1 }
        realm.refresh()
        for age in 0..<300 {
            try realm.write { dogs[age % 3].age = age }
            realm.refresh()
            // Those between the oldest and the newest version are merged, into logarithmically many.
            XCTAssertLessThan(realm.instance.store.versionCount, 20)
            XCTAssertTrue(realm.instance.listeners.isEmpty)
        }
        token.deliverNow()
        XCTAssertEqual(calls, 2)
    }

    #if DEBUG
    /// Observers that hold changes are not looked at when others commit.
    func testManyThatHoldChangesCostNothing() throws {
        let realm = try openRealm()
        try addDogs(1)
        let dog = realm.objects(Dog.self)[0]
        let tokens = (0..<10_000).map { _ in
            realm.objects(Dog.self).where { $0.age > 0 }.observe(pacing: .manual) { _ in }
        }
        realm.refresh()
        try realm.write { dog.age += 1 }
        realm.refresh()
        let before = realm.instance.listeners.index.work
        for _ in 0..<10 {
            try realm.write { dog.age += 1 }
            realm.refresh()
        }
        XCTAssertEqual(realm.instance.listeners.index.work, before)
        XCTAssertLessThan(realm.instance.store.versionCount, 10)
        withExtendedLifetime(tokens) {}
    }
    #endif
}

/// Values that a queue received.
private final class Received<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var values: [Value] = []

    var all: [Value] { lock.withLock { values } }

    func append(_ value: Value) { lock.withLock { values.append(value) } }
}
