import Foundation
import Kivo
import XCTest

/// The time and the place of map notifications.
final class MapDeliveryTests: MapNotificationTestCase {
    func testAWriteBeginsWithTheFirstCall() throws {
        let realm = try openRealm()
        let bag = try bag(["a": 1], in: realm)
        var told: [String] = []
        let token = bag.counts.observe { change in
            if case .initial(let map) = change { told.append("\(map.keys)") } else { told.append("update") }
        }
        XCTAssertEqual(told, [], "nothing is told from inside of the registration")
        try realm.write {
            XCTAssertEqual(told, [#"["a"]"#])
            bag.counts["b"] = 2
        }
        realm.refresh()
        XCTAssertEqual(told, [#"["a"]"#, "update"])
        token.invalidate()
    }

    func testASuppressedWriteIsNotTold() throws {
        let realm = try openRealm()
        let bag = try bag(["a": 1, "b": 2], in: realm)
        let (told, other) = (observe(bag.counts), observe(bag.counts))
        try realm.write { bag.counts["c"] = 3 }
        try realm.write(withoutNotifying: [tokens[0]]) {
            bag.counts["a"] = nil
            bag.counts["d"] = 4
            bag.counts["b"] = 5
        }
        realm.refresh()
        XCTAssertEqual(told.value, [#"-[] +["c"] ~[]"#])
        try realm.write {
            bag.counts["d"] = nil
            bag.counts["b"] = nil
        }
        realm.refresh()
        XCTAssertEqual(told.value.last, #"-["b", "d"] +[] ~[]"#, "it starts from behind that write")
        XCTAssertEqual(
            other.value, [#"-[] +["c"] ~[]"#, #"-["a"] +["d"] ~["b"]"#, #"-["b", "d"] +[] ~[]"#])
    }

    func testObjectsAreFoundBehindASuppressedWrite() throws {
        let realm = try openRealm()
        let bag = try bagOfDogs(in: realm)
        let told = observe(bag.dogsByName)
        let max = try dog("max", of: bag)
        try realm.write { max.age = 1 }
        try realm.write(withoutNotifying: tokens) {
            bag.dogsByName["a"] = max
            bag.dogsByName["ben"] = nil
        }
        try realm.write { max.age = 2 }
        realm.refresh()
        XCTAssertEqual(told.value, [#"-[] +[] ~["max"]"#, #"-[] +[] ~["a", "max"]"#])
    }

    func testDeletingTheOwnerInASuppressedWriteIsNeverTold() throws {
        let realm = try openRealm()
        let bag = try bag(["a": 1], in: realm)
        let told = observe(bag.counts)
        try realm.write(withoutNotifying: tokens) { realm.delete(bag) }
        realm.refresh()
        _ = try self.bag(["b": 1], in: realm)
        realm.refresh()
        XCTAssertEqual(told.value, [])
    }

    func testAnObserverThatWritesIsToldOfThatNext() throws {
        let realm = try openRealm()
        let bag = try bag(["a": 1], in: realm)
        let before = observe(bag.counts)
        var told: [String] = []
        let token = bag.counts.observe { change in
            told.append(self.text(change))
            if told.count == 2 {
                self.expectSuccess {
                    try realm.write {
                        bag.counts["a"] = nil
                        bag.counts["c"] = 3
                    }
                }
            }
        }
        let after = observe(bag.counts)
        try realm.write { bag.counts["b"] = 2 }
        realm.refresh()
        realm.refresh()
        let updates = [#"-[] +["b"] ~[]"#, #"-["a"] +["c"] ~[]"#]
        XCTAssertEqual(told, ["initial"] + updates)
        XCTAssertEqual(before.value, updates)
        XCTAssertEqual(after.value, updates)
        token.invalidate()
    }

    func testAnInvalidatedTokenIsNotCalled() throws {
        let realm = try openRealm()
        let bag = try bag(["a": 1], in: realm)
        let told = observe(bag.counts)
        tokens[0].invalidate()
        try realm.write { bag.counts["a"] = nil }
        realm.refresh()
        XCTAssertEqual(told.value, [])
    }

    func testATokenCanBeInvalidatedOnAnotherThread() throws {
        let realm = try openRealm()
        let bag = try bag(["a": 1], in: realm)
        let told = observe(bag.counts)
        let token = tokens[0]
        try realm.write { bag.counts["a"] = nil }
        try onAnotherThread { token.invalidate() }
        realm.refresh()
        try realm.write { bag.counts["b"] = 2 }
        realm.refresh()
        XCTAssertEqual(told.value, [])
    }

    func testTheTokenAloneKeepsTheMapObserved() throws {
        var told: [String] = []
        var token: NotificationToken?
        do {
            let realm = try openRealm()
            token = try bag(["a": 1], in: realm).counts.observe { told.append(self.text($0)) }
            realm.refresh()
        }
        try writeElsewhere { $0.objects(Bag.self)[0].counts["b"] = 2 }
        wait("the update") { told.count == 2 }
        XCTAssertEqual(told, ["initial", #"-[] +["b"] ~[]"#])
        token?.invalidate()
    }

    func testInvalidatingTheRealmEndsTheObservation() throws {
        let realm = try openRealm()
        let bag = try bag(["a": 1], in: realm)
        let told = observe(bag.counts)
        realm.invalidate()
        try realm.write { realm.objects(Bag.self)[0].counts["b"] = 2 }
        realm.refresh()
        XCTAssertEqual(told.value, [])
    }

    // MARK: Queues

    func testDeliveryOnAQueue() throws {
        let queue = DispatchQueue(label: "observer")
        let realm = try openRealm()
        let bag = try bagOfDogs(in: realm)
        let told = Shared<[String]>([])
        let token = bag.dogsByName.observe(keyPaths: ["age"], on: queue) { change in
            dispatchPrecondition(condition: .onQueue(queue))
            switch change {
            case .initial(let map):
                let keys = "\(map.keys)"
                told.update { $0.append(keys) }
            case .update(let map, let deletions, let insertions, let modifications):
                let ages = modifications.map { (map[$0] ?? nil)?.age ?? -1 }
                told.update { $0.append("-\(deletions) +\(insertions) ~\(modifications) \(ages)") }
            case .error: told.update { $0.append("error") }
            }
        }
        wait("the first call") { told.value == [#"["alias", "ben", "max", "nobody", "rex"]"#] }
        let ben = try dog("ben", of: bag)
        try realm.write {
            bag.dogsByName["alias"] = nil
            ben.age = 7
        }
        wait("the update") { told.value.count == 2 }
        XCTAssertEqual(told.value.last, #"-["alias"] +[] ~["ben"] [7]"#)
        try realm.write { ben.name = "Benjamin" }
        token.invalidate()
        try realm.write { ben.age = 8 }
        queue.sync {}
        XCTAssertEqual(told.value.count, 2)
    }

    func testAMapWhoseOwnerIsGoneBeforeItsQueueRanIsShownOnce() throws {
        let queue = DispatchQueue(label: "observer")
        let realm = try openRealm()
        let bag = try bag(["a": 1], in: realm)
        let calls = Shared(0)
        queue.suspend()
        let token = bag.counts.observe(on: queue) { _ in calls.update { $0 += 1 } }
        try realm.write { realm.delete(bag) }
        queue.resume()
        queue.sync {}
        try writeElsewhere { $0.add(Bag()) }
        queue.sync {}
        queue.sync {}
        XCTAssertEqual(calls.value, 1)
        token.invalidate()
    }
}
