import Dispatch
import Foundation
import Synchronization
import XCTest

@testable import Kivo

/// Paced observations that end, are paused or read in unusual moments.
final class PacedEndsTests: RealmTestCase {
    private func addDogs(_ ages: Int...) throws {
        let realm = try openRealm()
        try realm.write { for age in ages { realm.create(Dog.self, value: ["age": age]) } }
    }

    // MARK: Views that are ahead

    /// The results are read between a commit and its delivery, so that the listener's view is ahead of what the observer has seen.
    func testAPauseAfterTheResultsWereReadAhead() throws {
        let realm = try openRealm()
        let dogs = realm.objects(Dog.self).where { $0.age > 0 }
        var calls: [String] = []
        let token = dogs.observe { calls.append(self.text($0)) }
        realm.refresh()
        try addDogs(1)
        XCTAssertEqual(dogs.count, 1)
        token.pause()
        try addDogs(2)
        realm.refresh()
        try addDogs(3)
        token.deliverNow()
        XCTAssertEqual(calls, ["initial", "-[] +[0, 1, 2] ~[]"])
        token.resume()
        XCTAssertEqual(dogs.count, 3)
        token.invalidate()
        XCTAssertEqual(realm.instance.store.versionCount, 1)
    }

    func testSectionsThatWereReadAhead() throws {
        let realm = try openRealm()
        let sections = realm.objects(Dog.self).sectioned(by: \.age, ascending: true)
        var counts: [Int] = []
        let token = sections.observe { change in
            if case .update(let sections, _, let insertions, _, _, _) = change {
                counts += [sections.count, insertions.count]
            }
        }
        realm.refresh()
        try addDogs(1)
        XCTAssertEqual(sections.count, 1)
        token.pause()
        try addDogs(2)
        realm.refresh()
        try addDogs(3)
        XCTAssertEqual(sections.count, 3)
        token.deliverNow()
        XCTAssertEqual(counts, [3, 3])
        token.resume()
        XCTAssertEqual(sections.count, 3)
        token.invalidate()
        XCTAssertEqual(realm.instance.store.versionCount, 1)
    }

    // MARK: Pauses

    func testAPauseStopsWhatIsDueWithTime() throws {
        let realm = try openRealm()
        for pacing in [Realm.Pacing.every(.milliseconds(20)), .whenIdle(for: .milliseconds(20))] {
            var calls = 0
            let token = realm.objects(Dog.self).observe(pacing: pacing) { _ in calls += 1 }
            realm.refresh()
            try addDogs(1)
            realm.refresh()
            try addDogs(2)
            realm.refresh()
            token.pause()
            let before = calls
            let end = Date(timeIntervalSinceNow: 0.08)
            while Date() < end { _ = RunLoop.main.run(mode: .default, before: end) }
            XCTAssertEqual(calls, before, "\(pacing)")
            // On a slow machine, what came before was delivered before the pause.
            try addDogs(3)
            token.resume()
            wait { calls == before + 1 }
            token.invalidate()
        }
    }

    func testAPauseOfWhatHasEndedHoldsNothing() throws {
        let realm = try openRealm()
        let person = try realm.write { realm.create(Person.self, value: ["dogs": [["age": 1]]]) }
        var calls = 0
        let tokens = (0..<2).map { _ in person.dogs.observe { _ in calls += 1 } }
        realm.refresh()
        tokens[0].pause()
        try realm.write { realm.delete(person) }
        realm.refresh()
        for _ in 0..<3 { tokens[0].deliverNow() }
        tokens[1].pause()
        try addDogs(1)
        for token in tokens {
            token.deliverNow()
            token.resume()
        }
        realm.refresh()
        XCTAssertEqual(calls, 4)
        XCTAssertEqual(realm.instance.store.versionCount, 1)
    }

    func testASilentWriteMakesNoFirstCall() throws {
        let realm = try openRealm()
        var calls: [String] = []
        let token = realm.objects(Dog.self).observe { calls.append(self.text($0)) }
        token.pause()
        try realm.write(withoutNotifying: [token]) { realm.create(Dog.self) }
        XCTAssertEqual(calls, [])
        token.resume()
        realm.refresh()
        XCTAssertEqual(calls, ["initial"])
    }

    /// What was held turns out to be nothing, so that the observer is not called, and no interval begins.
    func testNoIntervalBeginsWithoutACall() throws {
        let realm = try openRealm()
        var calls: [String] = []
        let token = realm.objects(Dog.self).observe(pacing: .every(.seconds(100_000))) {
            calls.append(self.text($0))
        }
        realm.refresh()
        token.pause()
        try addDogs(1)
        try realm.write { realm.delete(realm.objects(Dog.self)) }
        token.resume()
        serveRunLoop()
        XCTAssertEqual(calls, ["initial"])
        try addDogs(2)
        realm.refresh()
        XCTAssertEqual(calls, ["initial", "-[] +[0] ~[]"])
    }

    func testWithoutAutorefreshWhatIsHeldIsDeliveredAsWell() throws {
        let realm = try openRealm()
        realm.autorefresh = false
        var counts: [Int] = []
        let token = realm.objects(Dog.self).observe(pacing: .every(.milliseconds(10))) { change in
            if case .update(let dogs, _, _, _) = change { counts.append(dogs.count) }
        }
        realm.refresh()
        try addDogs(1)
        realm.refresh()
        try addDogs(2)
        realm.refresh()
        try writeElsewhere { $0.create(Dog.self) }
        wait { counts.last == 2 }
        XCTAssertEqual(realm.objects(Dog.self).count, 2)
        realm.refresh()
        wait { counts.last == 3 }
        token.invalidate()
    }

    // MARK: Growth

    /// What is delivered by hand leaves nothing behind in the list of what becomes due with time.
    func testDeliveriesByHandLeaveNothingBehind() throws {
        let realm = try openRealm()
        let paces = [Realm.Pacing.every(.seconds(100_000)), .whenIdle(for: .seconds(100_000))]
        let tokens = paces.map { realm.objects(Dog.self).observe(pacing: $0) { _ in } }
        realm.refresh()
        for age in 0..<100 {
            try addDogs(age)
            realm.refresh()
            for token in tokens {
                token.deliverNow()
                token.pause()
                token.resume()
            }
        }
        XCTAssertLessThanOrEqual(realm.instance.listeners.paced.timed.count, 2)
        withExtendedLifetime(tokens) {}
    }

    // MARK: Ends elsewhere

    /// Tokens that another thread invalidates at every moment of pauses and deliveries.
    func testTokensThatEndOnAnotherThreadMeanwhile() throws {
        let realm = try openRealm()
        for round in 0..<(Sanitizer.isPresent ? 30 : 150) {
            let calls = Box(0)
            let tokens = (0..<8).map { index in
                realm.objects(Dog.self).observe(pacing: index % 2 == 0 ? .manual : .everyTurn) { _ in
                    calls.value += 1
                }
            }
            if round % 3 > 0 { realm.refresh() }
            try addDogs(round)
            let done = Done()
            Thread.detachNewThread {
                for token in tokens { token.invalidate() }
                done.set()
            }
            for token in tokens {
                token.pause()
                token.deliverNow()
                token.resume()
                token.deliverNow()
            }
            wait { done.isSet }
            realm.refresh()
            let before = calls.value
            try addDogs(round)
            realm.refresh()
            for token in tokens { token.deliverNow() }
            XCTAssertEqual(calls.value, before)
            XCTAssertTrue(realm.instance.listeners.isEmpty)
            XCTAssertTrue(realm.instance.listeners.paced.all.isEmpty)
        }
        XCTAssertEqual(realm.instance.store.versionCount, 1)
    }

    /// A token of a thread that has ended is released elsewhere: nothing holds the data in memory any more.
    func testDataInMemoryIsGoneWithTheLastTokenOfAThreadThatEnded() throws {
        let kept = Mutex<[NotificationToken]>([])
        let configuration = configuration
        try onAnotherThread {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.create(Dog.self) }
            let tokens = (0..<4).map { index in
                realm.objects(Dog.self).observe(pacing: index < 2 ? .manual : .everyTurn) { _ in }
            }
            realm.refresh()
            tokens[1].pause()
            try realm.write { realm.create(Dog.self) }
            tokens[0].deliverNow()
            kept.withLock { $0 = tokens }
        }
        kept.withLock { $0 = [] }
        wait { (try? openRealm().isEmpty) == true }
    }

    // MARK: Sections and old values

    func testAnEmptiedSectionIsFrozen() throws {
        let realm = try openRealm()
        try addDogs(1)
        let section = realm.objects(Dog.self).sectioned(by: \.age, ascending: true)[0]
        var shown: [ResultsSection<Int, Dog>] = []
        let token = section.observe(pacing: .manual) { change in
            switch change {
            case .initial(let section), .update(let section, _, _, _, _, _): shown.append(section)
            }
        }
        realm.refresh()
        try realm.write { realm.delete(realm.objects(Dog.self)) }
        token.deliverNow()
        try addDogs(1, 1)
        XCTAssertEqual(shown.map(\.isFrozen), [true, true])
        XCTAssertEqual(shown.map(\.count), [1, 0])
        token.deliverNow()
        XCTAssertEqual(shown.map(\.count), [1, 0, 2])
    }

    func testOldValuesAreThoseOfTheLastCall() throws {
        let realm = try openRealm()
        let dog = try realm.write { realm.create(Dog.self, value: ["age": 1]) }
        var changes: [String] = []
        let token = dog.observe(pacing: .everyTurn) { (change: ObjectChange<Dog>) in
            guard case .change(_, let properties) = change else { return }
            changes += properties.map { "\($0.oldValue ?? "-") \($0.newValue ?? "-")" }
        }
        try realm.write { dog.age = 2 }
        try realm.write { dog.age = 3 }
        realm.refresh()
        try realm.write { dog.age = 4 }
        token.deliverNow()
        XCTAssertEqual(changes, ["1 2", "2 3", "3 4"])
    }

    @MainActor func testABlockWithoutAQueueMayHoldAnything() throws {
        final class Label { var text = "" }
        let realm = try openRealm()
        let label = Label()
        let dog = try realm.write { realm.create(Dog.self) }
        let bag = try realm.write { realm.create(Bag.self) }
        let sections = realm.objects(Dog.self).sectioned(by: \.age, ascending: true)
        let tokens = [
            realm.objects(Dog.self).observe(on: nil, pacing: .manual) { label.text += self.text($0) },
            dog.observe(on: nil, pacing: .manual) { (_: ObjectChange<Dog>) in label.text += " dog" },
            bag.counts.observe(on: nil, pacing: .manual) { _ in label.text += " map" },
            sections.observe(on: nil, pacing: .manual) { _ in label.text += " sections" },
        ]
        for token in tokens { token.deliverNow() }
        XCTAssertEqual(label.text, "initial map sections")
    }

    // MARK: Streams

    @MainActor func testAStreamWithAHugeIntervalEndsWithItsRealm() async throws {
        for pacing in [Realm.Pacing.every(.seconds(Int64.max)), .whenIdle(for: .seconds(Int64.max))] {
            let realm = try openRealm()
            let count = Box(0)
            let task = Task { @MainActor in
                for await _ in realm.objects(Dog.self).changes(pacing: pacing) {
                    count.value += 1
                    try self.addDogs(1)
                }
            }
            while count.value == 0 { await Task.yield() }
            realm.invalidate()
            try await task.value
            XCTAssertEqual(count.value, 1)
        }
    }
}
