import Kivo
import XCTest

/// Several objects and collections that are observed together.
final class JointObservingTests: JointTestCase {
    func testOneCallHasTheChangesOfAll() throws {
        let realm = try openRealm()
        let holder = try makeItems(realm, [1, 60, 2, 70])
        let items = realm.objects(FuzzItem.self)
        let (low, high) = (items.where { $0.value < 50 }, items.where { $0.value >= 50 })
        let list = holder.items
        let first = items[0]
        var calls: [[String]] = []
        let token = realm.observe([low, high, list, holder.numbers, first]) { changes in
            calls.append([
                changes[low].map { self.text($0) } ?? "", changes[high].map { self.text($0) } ?? "",
                changes[list].map { self.text($0) } ?? "",
                changes[holder.numbers].map { self.text($0) } ?? "",
                changes[first].map { "\($0)".prefix { $0 != "(" }.description } ?? "",
            ])
            guard case .update(let lower, _, _, _) = changes[low],
                case .update(let higher, _, _, _) = changes[high]
            else { return }
            XCTAssertTrue(lower.isFrozen && higher.isFrozen)
            XCTAssertEqual(lower.count + higher.count, 4, "both are of one version")
            XCTAssertEqual(lower.realm?.version, higher.realm?.version)
        }
        realm.refresh()
        XCTAssertEqual(calls, [["initial", "initial", "initial", "initial", ""]])
        calls = []
        try realm.write { first.value = 80 }
        realm.refresh()
        XCTAssertEqual(calls, [["-[0] +[] ~[]", "-[] +[0] ~[]", "-[] +[] ~[0]", "", "change"]])
        calls = []
        try realm.write { holder.numbers.append(3) }
        try realm.write { items[2].value = 3 }
        realm.refresh()
        XCTAssertEqual(
            calls, [["", "", "", "-[] +[0] ~[]", ""], ["-[] +[] ~[0]", "", "-[] +[] ~[2]", "", ""]])
        calls = []
        try realm.write { realm.create(FuzzHolder.self) }
        realm.refresh()
        XCTAssertEqual(calls, [], "nothing of it is observed")
        token.invalidate()
        try realm.write { first.value = 1 }
        realm.refresh()
        XCTAssertEqual(calls, [])
    }

    /// A screen of objects alone has no first call, and ends with the last of them.
    func testObjects() throws {
        let realm = try openRealm()
        let holder = try makeItems(realm, [1, 2])
        let (a, b) = (holder.items[0], holder.items[1])
        var calls: [[String]] = []
        let token = realm.observe([a, b]) { changes in
            calls.append(
                [a, b].map { object in
                    switch changes[object] {
                    case .change(let changed, let properties):
                        "\(changed === object) \(properties.map { "\($0.name) \($0.newValue ?? 0)" })"
                    case .deleted: "deleted"
                    default: ""
                    }
                })
        }
        realm.refresh()
        XCTAssertEqual(calls, [])
        try realm.write { (a.value, b.value) = (5, 6) }
        realm.refresh()
        XCTAssertEqual(calls, [[#"true ["value 5"]"#, #"true ["value 6"]"#]])
        calls = []
        try writeElsewhere { $0.delete($0.objects(FuzzItem.self).where { $0.value == 5 }) }
        realm.refresh()
        try realm.write { b.value = 7 }
        realm.refresh()
        XCTAssertEqual(calls, [["deleted", ""], ["", #"true ["value 7"]"#]])
        calls = []
        try realm.write { realm.delete(b) }
        realm.refresh()
        try realm.write { realm.create(FuzzItem.self) }
        realm.refresh()
        XCTAssertEqual(calls, [["", "deleted"]])
        token.invalidate()
    }

    func testMapsSectionsSetsAndWrappedCollections() throws {
        let realm = try openRealm()
        let holder = try makeItems(realm, [1, 2, 11])
        let sections = realm.objects(FuzzItem.self).sectioned(
            by: { $0.value / 10 }, sortDescriptors: ["value"])
        let (set, any) = (holder.itemSet, AnyRealmCollection(holder.items))
        let links = holder.items[0].linkedBy
        var calls = 0
        var seen: [String] = []
        let token = realm.observe([sections, set, any, holder.items, links]) { changes in
            calls += 1
            seen = []
            if case .update(_, _, let insertions, _, _, _) = changes[sections] {
                seen.append("sections \(insertions)")
            }
            if case .update(_, _, let insertions, _) = changes[set] { seen.append("set \(insertions)") }
            if case .update(_, _, let insertions, _) = changes[any] { seen.append("any \(insertions)") }
            if case .update(_, _, let insertions, _) = changes[holder.items] {
                seen.append("list \(insertions)")
            }
            if case .update(_, _, let insertions, _) = changes[links] { seen.append("links \(insertions)") }
        }
        realm.refresh()
        try realm.write {
            let item = realm.create(FuzzItem.self, value: ["value": 12])
            item.link = holder.items[0]
            set.insert(item)
            holder.items.append(item)
        }
        realm.refresh()
        XCTAssertEqual(seen, ["sections [[1, 1]]", "set [0]", "any [3]", "list [3]", "links [0]"])
        XCTAssertEqual(calls, 2)
        token.invalidate()
        let empty = realm.observe([]) { _ in XCTFail("nothing is observed") }
        try realm.write { holder.items.removeAll() }
        realm.refresh()
        empty.invalidate()
    }

    func testABlockThatWritesIsCalledAgain() throws {
        let realm = try openRealm()
        let holder = try makeItems(realm, [1, 2])
        let low = realm.objects(FuzzItem.self).where { $0.value < 50 }
        var calls: [[Int]] = []
        let token = realm.observe([low, holder.items]) { changes in
            guard case .update(_, let deletions, let insertions, let modifications) = changes[holder.items]
            else {
                return
            }
            calls.append([deletions.count, insertions.count, modifications.count])
            if calls.count == 1 { try? realm.write { holder.items.removeLast() } }
        }
        realm.refresh()
        try realm.write { holder.items[0].value = 3 }
        realm.refresh()
        realm.refresh()
        XCTAssertEqual(calls, [[0, 0, 1], [1, 0, 0]])
        token.invalidate()
    }

    func testSilentWritesAndPausesAreForAll() throws {
        let realm = try openRealm()
        let holder = try makeItems(realm, [1, 60])
        let items = realm.objects(FuzzItem.self)
        let (low, high) = (items.where { $0.value < 50 }, items.where { $0.value >= 50 })
        var calls: [String] = []
        let token = realm.observe([low, high]) { changes in
            calls.append(
                "\(changes[low].map { self.text($0) } ?? "") \(changes[high].map { self.text($0) } ?? "")")
        }
        realm.refresh()
        calls = []
        try realm.write(withoutNotifying: [token]) { holder.items[0].value = 70 }
        realm.refresh()
        XCTAssertEqual(calls, [])
        try realm.write { holder.items[1].value = 5 }
        realm.refresh()
        XCTAssertEqual(calls, ["-[] +[0] ~[] -[1] +[] ~[]"])
        calls = []
        token.pause()
        try realm.write { holder.items[1].value = 6 }
        try realm.write { holder.items[0].value = 71 }
        realm.refresh()
        XCTAssertEqual(calls, [])
        token.resume()
        realm.refresh()
        XCTAssertEqual(calls, ["-[] +[] ~[0] -[] +[] ~[0]"])
        token.invalidate()
    }

    func testAPace() throws {
        let realm = try openRealm()
        let holder = try makeItems(realm, [1, 60])
        let items = realm.objects(FuzzItem.self)
        var calls: [String] = []
        let token = realm.observe([items, holder.numbers], pacing: .manual) { changes in
            calls.append(
                "\(changes[items].map { self.text($0) } ?? "") \(changes[holder.numbers].map { self.text($0) } ?? "")"
            )
        }
        realm.refresh()
        XCTAssertEqual(calls, ["initial initial"])
        for value in 0..<5 {
            try realm.write {
                holder.items[0].value = value
                holder.numbers.append(value)
            }
        }
        realm.refresh()
        XCTAssertEqual(calls.count, 1)
        token.deliverNow()
        XCTAssertEqual(calls.dropFirst(), ["-[] +[] ~[0] -[] +[0, 1, 2, 3, 4] ~[]"])
        token.deliverNow()
        XCTAssertEqual(calls.count, 2)
        token.invalidate()
    }

    /// Rows that are not observed cost nothing, however many there are.
    func testUnaffectedObservationsAreNotAsked() throws {
        #if DEBUG
        let realm = try openRealm()
        let holder = try makeItems(realm, Array(0..<200))
        let tokens = (0..<100).map { number in
            realm.observe([holder.items[number], holder.items[number].linkedBy]) { _ in }
        }
        realm.refresh()
        let last = holder.items[150]
        let before = realm.listenerWork
        try realm.write { last.value = 7 }
        realm.refresh()
        XCTAssertLessThan(realm.listenerWork - before, 20)
        withExtendedLifetime(tokens) {}
        #endif
    }

    /// Freezing takes over the order of the observation, and evaluates nothing.
    func testResultsThatAreObservedTogetherAreRead() throws {
        let realm = try openRealm()
        let holder = try makeItems(realm, [3, 1, 2])
        let sorted = realm.objects(FuzzItem.self).sorted(by: \.value)
        let token = realm.observe([sorted, holder.numbers]) { _ in }
        realm.refresh()
        for value in 4..<10 {
            try realm.write { holder.items[value % 3].value = value }
            XCTAssertEqual(sorted.map(\.value), holder.items.map(\.value).sorted(), "before the call")
            try writeElsewhere { $0.objects(FuzzHolder.self)[0].numbers.append(1) }
            realm.refresh()
            XCTAssertEqual(sorted.map(\.value), holder.items.map(\.value).sorted())
        }
        token.invalidate()
        XCTAssertEqual(sorted.count, 3)
    }

    func testTheBlockIsReleasedWithItsToken() throws {
        let realm = try openRealm()
        let holder = try makeItems(realm, [1])
        weak var captured: Box<Int>?
        var token: NotificationToken?
        do {
            let box = Box(0)
            captured = box
            token = realm.observe([holder.items, holder]) { _ in
                box.value += 1
                if box.value == 2 { token?.invalidate() }
            }
        }
        realm.refresh()
        try realm.write { holder.items[0].value = 2 }
        realm.refresh()
        XCTAssertNil(captured)
        try realm.write { holder.items[0].value = 3 }
        realm.refresh()
    }
}
