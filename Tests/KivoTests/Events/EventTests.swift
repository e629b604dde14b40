import Foundation
import KivoTesting
import XCTest

@testable import Kivo

/// The events of commits, calls of listeners, waits and scans that the program's closure receives.
final class EventTests: RealmTestCase {
    private let heard = Shared<[Realm.Event]>([])

    override func setUp() {
        let (heard, name) = (heard, name)
        Realm.events = { event in
            if event.realm == name { heard.update { $0.append(event) } }
        }
    }

    override func tearDown() { Realm.events = nil }

    /// The events so far.
    private var events: [Realm.Event] {
        Events.finish()
        return heard.value
    }

    private var commits: [Realm.Event.Commit] {
        events.compactMap { if case .commit(let commit) = $0.kind { commit } else { nil } }
    }

    private var deliveries: [Realm.Event.Delivery] {
        events.compactMap { if case .delivery(let delivery) = $0.kind { delivery } else { nil } }
    }

    private var scans: [Realm.Event.Scan] {
        events.compactMap { if case .scan(let scan) = $0.kind { scan } else { nil } }
    }

    private func forget() {
        Events.finish()
        heard.update { $0 = [] }
    }

    /// The last delivery, in words, without the versions.
    private var last: String? {
        deliveries.last.map {
            "\($0.listener.subject) +\($0.insertions) -\($0.deletions) ~\($0.modifications)"
        }
    }

    // MARK: Commits

    func testACommitIsToldWithItsSize() throws {
        let realm = try openRealm()
        try realm.write { for age in 0..<3 { realm.create(Dog.self, value: ["age": age]) } }
        try realm.write {
            realm.create(Dog.self, value: ["age": 3])
            realm.objects(Dog.self)[0].age = 10
            realm.objects(Dog.self)[1].age = 11
            realm.delete(realm.objects(Dog.self)[2])
        }
        XCTAssertEqual(commits.map(\.insertions), [3, 1])
        XCTAssertEqual(commits.map(\.modifications), [0, 2])
        XCTAssertEqual(commits.map(\.deletions), [0, 1])
        XCTAssertEqual(commits.map(\.isForeign), [false, false])
        XCTAssertLessThan(commits[0].version, commits[1].version)
        XCTAssertEqual(events.map(\.thread), [1, 1])
        XCTAssertLessThan(events[0].start, events[1].start)
    }

    func testACancelledWriteIsNoCommit() throws {
        let realm = try openRealm()
        realm.beginWrite()
        realm.create(Dog.self)
        realm.cancelWrite()
        XCTAssertEqual(commits, [])
    }

    func testAsynchronousCommitsAreToldOnceTheyAreDurable() throws {
        let realm = try openRealm()
        let done = Done()
        realm.writeAsync({ realm.create(Dog.self) }, onComplete: { _ in done.set() })
        wait { done.isSet }
        XCTAssertEqual(commits.map(\.insertions), [1])
    }

    // MARK: Deliveries

    func testADeliveryIsToldWithItsListener() throws {
        let realm = try openRealm()
        let line = #line + 1
        let token = realm.objects(Dog.self).where { $0.age > 1 }.sorted(by: \.age).observe { _ in }.named(
            "old dogs")
        realm.refresh()
        try realm.write { for age in 0..<4 { realm.create(Dog.self, value: ["age": age]) } }
        realm.refresh()
        try realm.write {
            realm.objects(Dog.self)[2].name = "Rex"
            realm.delete(realm.objects(Dog.self)[3])
        }
        realm.refresh()
        withExtendedLifetime(token) {}
        XCTAssertEqual(deliveries.map(\.isInitial), [true, false, false])
        XCTAssertEqual(deliveries.map(\.insertions), [0, 2, 0])
        XCTAssertEqual(deliveries.map(\.deletions), [0, 0, 1])
        XCTAssertEqual(deliveries.map(\.modifications), [0, 0, 1])
        XCTAssertEqual(Set(deliveries.map(\.listener)).count, 1)
        let listener = try XCTUnwrap(deliveries.first?.listener)
        XCTAssertEqual(listener.subject, "Results<Dog>, filtered, sorted")
        XCTAssertEqual(listener.name, "old dogs")
        XCTAssertEqual(listener.fileID, "KivoTests/EventTests.swift")
        XCTAssertEqual(listener.line, line)
        XCTAssertEqual(listener.home, "the main thread")
        XCTAssertEqual(
            "\(listener)", "Results<Dog>, filtered, sorted \"old dogs\" (KivoTests/EventTests.swift:\(line))")
    }

    /// The versions of a delivery are those of the commits that it is about.
    func testADeliverySaysOverWhichCommits() throws {
        let realm = try openRealm()
        let token = realm.objects(Dog.self).observe { _ in }
        realm.refresh()
        let start = try XCTUnwrap(deliveries.last?.versions.upperBound)
        for _ in 0..<3 { try realm.write { realm.create(Dog.self) } }
        realm.refresh()
        withExtendedLifetime(token) {}
        let told = deliveries.dropFirst()
        XCTAssertEqual(told.first?.versions.lowerBound, start)
        XCTAssertEqual(told.last?.versions.upperBound, commits.last?.version)
        for (one, next) in zip(told, told.dropFirst()) {
            XCTAssertEqual(one.versions.upperBound, next.versions.lowerBound)
        }
        XCTAssertEqual(told.map(\.insertions).reduce(0, +), 3)
    }

    func testAListenerThatIsNotCalledIsNotTold() throws {
        let realm = try openRealm()
        let token = realm.objects(Dog.self).where { $0.age > 5 }.observe { _ in }
        realm.refresh()
        forget()
        try realm.write { realm.create(Dog.self) }
        realm.refresh()
        withExtendedLifetime(token) {}
        XCTAssertEqual(deliveries.count, 0)
        XCTAssertEqual(commits.count, 1)
    }

    /// Every kind of listener says what it is and what it reports.
    func testEveryKindOfListener() throws {
        let realm = try openRealm()
        let (dog, person) = (Dog(value: ["name": "Rex", "age": 3]), Person(value: ["name": "Ada"]))
        let bag = Bag()
        try realm.write {
            realm.add([dog, person, bag])
            person.dogs.append(dog)
        }
        let dogs = realm.objects(Dog.self)
        func check(
            _ expected: String, line: UInt = #line, _ token: NotificationToken, _ change: () throws -> Void
        ) throws {
            realm.refresh()
            serveRunLoop()
            forget()
            try realm.write(change)
            realm.refresh()
            serveRunLoop()
            token.invalidate()
            XCTAssertEqual(last, expected, line: line)
        }
        try check("a realm +0 -0 ~0", realm.observe { _, _ in }) { dog.age += 1 }
        try check("Results<Dog> +0 -0 ~1", dogs.observe { _ in }) { dog.age += 1 }
        try check("Dog +0 -0 ~2", dog.observe { (_: ObjectChange<Dog>) in }) {
            dog.age += 1
            dog.name = "Max"
        }
        try check("Person.dogs +1 -0 ~1", person.dogs.observe { _ in }) {
            person.dogs[0] = Dog()
            person.dogs.append(Dog())
        }
        try check("Bag.wordSet +1 -0 ~0", bag.wordSet.observe { _ in }) { bag.wordSet.insert("a") }
        try check("Bag.counts +1 -0 ~0", bag.counts.observe { _ in }) { bag.counts["a"] = 1 }
        try check(
            "Results<Dog> of Person.dogs, filtered +1 -0 ~0",
            person.dogs.where { $0.age > 50 }.observe { _ in }
        ) {
            person.dogs[0].age = 51
        }
        try check("LinkingObjects<Person> +1 -0 ~0", person.dogs[0].holders.observe { _ in }) {
            realm.create(Person.self).dogs.append(person.dogs[0])
        }
        try check(
            "sections of Results<Dog>, sorted +1 -0 ~0",
            dogs.sectioned(by: \.age, ascending: true).observe { _ in }
        ) { realm.create(Dog.self, value: ["age": 99]) }
        try check("count of Results<Dog> +0 -0 ~1", dogs.live.count.observe { _ in }) {
            realm.create(Dog.self)
        }
        try check("sum(age) of Results<Dog> +0 -0 ~1", dogs.live.sum(of: \.age).observe { _ in }) {
            realm.create(Dog.self, value: ["age": 7])
        }
        try check("groups of Results<Dog> +0 -0 ~1", dogs.grouped(by: \.name).count.observe { _ in }) {
            realm.create(Dog.self, value: ["name": "Bo"])
        }
        try check("Results<Dog>, Bag.numbers +3 -0 ~0", realm.observe([dogs, bag.numbers]) { _ in }) {
            realm.create(Dog.self)
            bag.numbers.append(objectsIn: [1, 2])
        }
        try check("Results<Dog>, sorted, limited +1 -1 ~0", dogs.sorted(by: \.age).first(1).observe { _ in })
        {
            realm.create(Dog.self, value: ["age": -1])
        }
        try check("Dog +0 -1 ~0", dog.observe { (_: ObjectChange<Dog>) in }) { realm.delete(dog) }
    }

    func testPacedAndPausedListeners() throws {
        let realm = try openRealm()
        let token = realm.objects(Dog.self).observe(pacing: .manual) { _ in }.named("badge")
        realm.refresh()
        forget()
        for _ in 0..<3 { try realm.write { realm.create(Dog.self) } }
        realm.refresh()
        XCTAssertEqual(deliveries.count, 0)
        token.deliverNow()
        XCTAssertEqual(deliveries.map(\.insertions), [3])
        XCTAssertEqual(deliveries.first?.listener.name, "badge")
        XCTAssertEqual(deliveries.first?.versions.upperBound, commits.last?.version)
        token.invalidate()
    }

    func testStreamsAreTold() async throws {
        let configuration = configuration
        try await MainActor.run {
            Task {
                let realm = try await Realm(configuration: configuration)
                var number = 0
                for await _ in realm.objects(Dog.self).changes {
                    number += 1
                    if number == 2 { break }
                    try realm.write { realm.create(Dog.self) }
                }
            }
        }.value
        XCTAssertEqual(deliveries.map(\.isInitial), [true, false])
        XCTAssertEqual(deliveries.map(\.insertions), [0, 1])
    }

    func testATokenOfAQueueIsNamedBeforeItBegins() throws {
        let realm = try openRealm()
        try realm.write { realm.create(Dog.self) }
        let (queue, done) = (DispatchQueue(label: "elsewhere"), Done())
        queue.suspend()
        let token = realm.objects(Dog.self).observe(on: queue) { _ in done.set() }.named("of a queue")
        queue.resume()
        wait { done.isSet }
        queue.sync {}
        token.invalidate()
        XCTAssertEqual(deliveries.map(\.listener.name), ["of a queue"])
        XCTAssertEqual(deliveries.map(\.listener.home), ["a dispatch queue"])
    }

    /// However late the name is given, and whatever registration the observation has then.
    func testANameIsKeptOverPauses() throws {
        let realm = try openRealm()
        let token = realm.objects(Dog.self).observe { _ in }
        realm.refresh()
        XCTAssertNil(deliveries.last?.listener.name)
        token.named("late")
        token.pause()
        try realm.write { realm.create(Dog.self) }
        token.resume()
        token.deliverNow()
        XCTAssertEqual(deliveries.map(\.listener.name), ["late", "late"])
        XCTAssertEqual(Set(deliveries.map(\.listener)).count, 1)
        token.invalidate()
    }

    /// What the library registers for itself is no observation of the program's.
    func testListenersOfTheLibraryAreLeftOut() throws {
        let realm = try openRealm()
        let dogs = realm.objects(TrackedDog.self)
        let count = track { _ = dogs.count }
        XCTAssertEqual(Realm.report().realms.first { $0.name == name }?.listeners.count, 0)
        try realm.write { realm.create(TrackedDog.self) }
        realm.refresh()
        XCTAssertEqual(count.value, 1)
        XCTAssertEqual(deliveries.count, 0)
    }

    // MARK: Waits and scans

    func testAWaitForAnotherWriteIsTold() throws {
        let realm = try openRealm()
        let (begun, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let configuration = configuration
        let thread = Thread {
            let realm = try? Realm(configuration: configuration)
            realm?.beginWrite()
            begun.signal()
            end.wait()
            try? realm?.commitWrite()
        }
        thread.start()
        begun.wait()
        let writer = realm.instance.store.writer
        Thread {
            while !writer.isWaitedFor { Thread.sleep(forTimeInterval: 0.001) }
            end.signal()
        }.start()
        try realm.write { realm.create(Dog.self) }
        let waits = events.filter { if case .writeWait = $0.kind { true } else { false } }
        guard case .writeWait(let wait)? = waits.first?.kind else { return XCTFail("no wait was told") }
        XCTAssertEqual(waits.count, 1)
        XCTAssertEqual(wait.holder, "another thread")
        XCTAssertTrue(wait.isSuccessful)
        XCTAssertGreaterThan(waits[0].duration, .zero)
    }

    func testAWriteThatGivesUpIsTold() throws {
        var configuration = configuration
        configuration.lockTimeout = 0.02
        let realm = try Realm(configuration: configuration)
        realm.beginWrite()
        let other = configuration
        try onAnotherThread {
            let realm = try Realm(configuration: other)
            XCTAssertThrowsError(try realm.write {})
        }
        realm.cancelWrite()
        let waits = events.compactMap { if case .writeWait(let wait) = $0.kind { wait } else { nil } }
        XCTAssertEqual(waits.map(\.holder), ["the main thread"])
        XCTAssertEqual(waits.map(\.isSuccessful), [false])
    }

    func testQueriesThatCompareAllRowsAreTold() throws {
        let realm = try openRealm()
        try realm.write {
            for code in 0..<100 { realm.create(Chip.self, value: ["code": code, "label": "a"]) }
        }
        forget()
        let chips = realm.objects(Chip.self)
        XCTAssertEqual(chips.where { $0.label == "a" }.count, 100)
        XCTAssertEqual(scans.map(\.className), ["Chip"])
        XCTAssertEqual(scans.map(\.rowCount), [100])
        forget()
        XCTAssertEqual(chips.where { $0.code == 7 }.count, 1)
        XCTAssertEqual(Array(chips.sorted(by: \.label)).count, 100)
        XCTAssertEqual(chips.count, 100)
        XCTAssertEqual(scans, [])
        let token = chips.where { $0.label == "a" && $0.code.in(Array(0..<50)) }.observe { _ in }
        realm.refresh()
        token.invalidate()
        XCTAssertEqual(scans.count, 1)
        XCTAssertEqual(scans.first?.unusedIndexes, ["code"])
    }

    // MARK: The handler

    /// The closure can write what it measures, even to the realm that it hears of: that causes no events. It runs where nothing of the
    /// realm is locked or half done.
    func testAHandlerCanWriteToTheSameRealm() throws {
        let (realm, name, heard, configuration) = (try openRealm(), name, heard, configuration)
        try realm.write { for code in 0..<100 { realm.create(Chip.self, value: ["code": code]) } }
        forget()
        Realm.events = { event in
            guard event.realm == name else { return }
            heard.update { $0.append(event) }
            guard let realm = try? Realm(configuration: configuration) else { return XCTFail("no realm") }
            try? realm.write { _ = realm.create(Dog.self, value: ["name": "heard"]) }
        }
        let token = realm.objects(Chip.self).where { $0.label == "x" }.observe { _ in }
        realm.refresh()
        for code in 0..<5 {
            try realm.write { realm.object(ofType: Chip.self, forPrimaryKey: code)?.label = "x" }
            XCTAssertEqual(realm.objects(Chip.self).where { $0.label == "x" }.count, code + 1)
            Events.finish()
        }
        let done = Done()
        realm.writeAsync({ realm.create(Chip.self, value: ["code": 1000]) }, onComplete: { _ in done.set() })
        wait { done.isSet }
        token.invalidate()
        let count = events.count
        realm.refresh()
        XCTAssertEqual(realm.objects(Dog.self).count, count)
        XCTAssertGreaterThan(count, 10)
    }

    func testNothingIsReceivedAfterTheHandlerWasRemoved() throws {
        let realm = try openRealm()
        let token = realm.objects(Dog.self).observe { _ in Realm.events = nil }
        realm.refresh()
        try realm.write { realm.create(Dog.self) }
        realm.refresh()
        withExtendedLifetime(token) {}
        XCTAssertNil(Realm.events)
        XCTAssertEqual(events.count, 0)
    }

    func testEventsReadWell() throws {
        let realm = try openRealm()
        let token = realm.objects(Dog.self).observe { _ in }
        realm.refresh()
        try realm.write { realm.create(Dog.self) }
        realm.refresh()
        withExtendedLifetime(token) {}
        let text = events.map { "\($0.kind)" }
        let versions = deliveries.map(\.versions.upperBound)
        XCTAssertEqual(
            text,
            [
                "call of Results<Dog>: initial, version \(versions[0])",
                "commit: version \(versions[1]), 1 inserted, 0 deleted, 0 modified",
                "call of Results<Dog>: 1 inserted, 0 deleted, 0 modified, version \(versions[0]) to \(versions[1])",
            ])
        XCTAssertTrue(events.allSatisfy { "\($0)".hasSuffix(" ms") })
    }

    func testTheLogOfTestsHasThemOnRequest() throws {
        TestLog.removeAllMessages()
        TestLog.includesEvents = true
        defer { TestLog.includesEvents = false }
        let realm = try openRealm()
        try realm.write { realm.create(Dog.self) }
        XCTAssertTrue(TestLog.messages.contains { $0.hasPrefix("commit: version") })
        XCTAssertEqual(commits.count, 1)
        TestLog.includesEvents = false
        TestLog.removeAllMessages()
        try realm.write { realm.create(Dog.self) }
        XCTAssertEqual(TestLog.messages, [])
    }
}
