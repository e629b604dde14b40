import Kivo
import XCTest

/// What happens while several values advance, before the first call and after the last one.
final class JointInterferenceTests: JointTestCase {
    /// Until all collections have taken a change, none shows what another one had before it.
    func testTheSameResultsTwice() throws {
        let realm = try openRealm()
        let holder = try makeItems(realm, [3, 1, 2])
        let sorted = realm.objects(FuzzItem.self).where { $0.value < 50 }.sorted(by: \.value)
        let any = AnyRealmCollection(sorted)
        for values: [any ThreadConfined] in [[any, sorted], [sorted, any]] {
            var seen: [[Int]] = []
            let token = realm.observe(values, keeping: .previous) { changes in
                for case .update(let frozen, _, _, _)? in [changes[any]] { seen.append(frozen.map(\.value)) }
                for case .update(let frozen, _, _, _)? in [changes[sorted]] {
                    seen.append(frozen.map(\.value))
                }
                seen.append(changes.previous(of: any)?.map(\.value) ?? [])
                seen.append(changes.previous(of: sorted)?.map(\.value) ?? [])
            }
            realm.refresh()
            seen = []
            let before = Array(sorted.map(\.value))
            try realm.write { realm.delete(holder.items.sorted(by: \.value)[0]) }
            realm.refresh()
            let after = Array(before.dropFirst())
            XCTAssertEqual(seen, [after, after, before, before])
            token.invalidate()
        }
    }

    /// The block that makes keys of sections runs when some of the collections have taken the change, and others have not.
    func testABlockOfKeysReadsTheOthers() throws {
        let realm = try openRealm()
        let holder = try makeItems(realm, [3, 1, 2])
        let others = realm.objects(FuzzItem.self).where { $0.value < 50 }.sorted(by: \.value)
        var counts: Set<Int> = []
        let key: (FuzzItem) -> Int = { item in
            counts.insert(others.map(\.value).count)
            return item.value / 10
        }
        let sections = realm.objects(FuzzItem.self).sectioned(by: key, sortDescriptors: ["value"])
        var calls = 0
        let token = realm.observe([sections, others, holder.items]) { _ in calls += 1 }
        realm.refresh()
        for value in 0..<5 {
            counts = []
            try realm.write { holder.items.append(realm.create(FuzzItem.self, value: ["value": value * 5])) }
            realm.refresh()
            XCTAssertEqual(counts.subtracting([4 + value]), [], "of the version that the realm shows")
        }
        XCTAssertEqual(calls, 6)
        token.invalidate()
    }

    /// A block that makes keys ends the observation of its sections while these are read.
    func testABlockOfKeysEndsTheObservation() throws {
        let realm = try openRealm()
        let holder = try makeItems(realm, [3, 1, 2])
        let token = Box<NotificationToken?>(nil)
        let key: (FuzzItem) -> Int = { item in
            if item.value == 30 { token.value = nil }
            return item.value / 10
        }
        let sections = realm.objects(FuzzItem.self).sectioned(by: key, sortDescriptors: ["value"])
        token.value = sections.observe { _ in }
        realm.refresh()
        try realm.write { holder.items[0].value = 30 }
        XCTAssertEqual(sections.allKeys, [0, 3])
        XCTAssertNil(token.value)
    }

    func testAnObjectThatIsDeletedBeforeTheFirstCall() throws {
        let realm = try openRealm()
        let holder = try makeItems(realm, [1, 2])
        let (first, second) = (holder.items[0], holder.items[1])
        var calls: [String] = []
        let token = realm.observe([holder.numbers, first, second]) { changes in
            calls.append(
                "\(changes[holder.numbers] != nil) \(changes[first] != nil) \(changes[second] != nil)")
            XCTAssertNil(changes[FuzzItem()], "an unmanaged object is not observed")
        }
        token.pause()
        try writeElsewhere { $0.delete($0.objects(FuzzItem.self).where { $0.value == 1 }) }
        token.resume()
        realm.refresh()
        XCTAssertEqual(calls, ["true true false"])
        calls = []
        try realm.write { second.value = 5 }
        realm.refresh()
        XCTAssertEqual(calls, ["false false true"])
        token.invalidate()
    }

    /// One row as two classes, and rows of two realms with equal keys, are different values.
    func testValuesThatHaveTheSamePlace() throws {
        let realm = try openRealm()
        let holder = try makeItems(realm, [1, 2])
        let item = holder.items[0]
        let dynamic = realm.dynamicObjects("FuzzItem")[0]
        let other = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: name + "other", objectTypes: [FuzzItem.self, FuzzHolder.self]))
        let stranger = try makeItems(other, [1, 2])
        var seen: [Bool] = []
        let token = realm.observe([item, dynamic, holder.items]) { changes in
            seen = [
                changes[item] != nil, changes[dynamic] != nil, changes[holder.items] != nil,
                changes[stranger.items] != nil, changes[stranger.items[0]] != nil,
            ]
        }
        realm.refresh()
        try realm.write { item.value = 3 }
        realm.refresh()
        XCTAssertEqual(seen, [true, true, true, false, false])
        token.invalidate()
    }

    /// Observations that come and go leave nothing in the index of listeners.
    func testObservationsThatEndedAreNotAsked() throws {
        #if DEBUG
        let realm = try openRealm()
        let holder = try makeItems(realm, [1, 60])
        let items = realm.objects(FuzzItem.self)
        let (low, high) = (items.where { $0.value < 50 }, items.where { $0.value >= 50 })
        let kept = low.observe { _ in }
        let joint = realm.observe([low, high], pacing: .manual) { _ in }
        realm.refresh()
        func work() throws -> Int {
            let before = realm.listenerWork
            try realm.write { holder.items[0].value = (holder.items[0].value + 1) % 50 }
            realm.refresh()
            joint.deliverNow()
            return realm.listenerWork - before
        }
        _ = try work()
        let few = try work()
        for _ in 0..<200 {
            let token = realm.observe([low, high]) { _ in }
            realm.refresh()
            token.invalidate()
            _ = try work()
        }
        XCTAssertLessThanOrEqual(try work(), few + 8)
        kept.invalidate()
        joint.invalidate()
        #endif
    }
}
