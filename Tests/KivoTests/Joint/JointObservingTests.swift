import Kivo
import XCTest

/// Several objects and collections that are observed together.
final class JointObservingTests: RealmTestCase {
    private func makeItems(_ realm: Realm, _ values: [Int]) throws -> FuzzHolder {
        let holder = FuzzHolder()
        try realm.write {
            realm.add(holder)
            for value in values { holder.items.append(realm.create(FuzzItem.self, value: ["value": value])) }
        }
        return holder
    }

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

    // MARK: What happens in between

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

    // MARK: What a block is given besides

    func testTheCollectionOfBefore() throws {
        let realm = try openRealm()
        let holder = try makeItems(realm, [3, 1, 2])
        let sorted = realm.objects(FuzzItem.self).sorted(by: \.value)
        var seen: [String] = []
        let token = sorted.observe(keeping: .previous) { change, previous in
            guard case .update(let now, let deletions, let insertions, let modifications) = change else {
                return seen.append("initial \(previous == nil)")
            }
            let old = positionsBefore(modifications, deletions, insertions).map { previous![$0].value }
            seen.append(
                "\(deletions.map { previous![$0].value }) \(old) \(Array(previous!.map(\.value))) \(Array(now.map(\.value)))"
            )
        }
        realm.refresh()
        try realm.write { realm.delete(holder.items[1]) }
        realm.refresh()
        XCTAssertEqual(seen, ["initial true", "[1] [] [1, 2, 3] [2, 3]"])
        seen = []
        try realm.write(withoutNotifying: [token]) { holder.items[0].value = 7 }
        try realm.write { holder.items[1].value = 5 }
        realm.refresh()
        XCTAssertEqual(seen, ["[] [2] [2, 7] [5, 7]"], "a silent write counts as seen")
        token.invalidate()
    }

    func testCollectionsOfBeforeOfEachKind() throws {
        let realm = try openRealm()
        let holder = try makeItems(realm, [1, 2])
        let item = holder.items[0]
        let sections = realm.objects(FuzzItem.self).sectioned(
            by: { $0.value / 10 }, sortDescriptors: ["value"])
        let (any, links) = (
            AnyRealmCollection(realm.objects(FuzzItem.self).where { $0.value > 0 }), item.linkedBy
        )
        var seen: [String] = []
        let token = realm.observe(
            [holder.items, holder.numbers, holder.itemSet, item, sections, any, links], keeping: .previous
        ) { changes in
            seen = [
                "\(changes.previous(of: holder.items)?.count ?? -1)",
                "\(changes.previous(of: holder.numbers)?.count ?? -1)",
                "\(changes.previous(of: holder.itemSet)?.count ?? -1)",
                "\(changes.previous(of: item)?.value ?? -1)",
                "\(changes.previous(of: sections)?.allKeys ?? [])",
                "\(changes.previous(of: any)?.map(\.value) ?? [])",
                "\(changes.previous(of: links)?.count ?? -1)",
            ]
        }
        realm.refresh()
        XCTAssertEqual(
            seen, ["-1", "-1", "-1", "-1", "[]", "[]", "-1"], "there is nothing before the first call")
        try realm.write {
            holder.items.removeLast()
            holder.numbers.append(1)
            holder.itemSet.insert(item)
            (item.value, item.link) = (20, item)
        }
        realm.refresh()
        XCTAssertEqual(seen, ["2", "0", "0", "1", "[0]", "[1, 2]", "0"])
        try realm.write { realm.delete(holder) }
        realm.refresh()
        XCTAssertEqual(seen, ["1", "1", "1", "20", "[0, 2]", "[20, 2]", "1"])
        try realm.write { realm.delete(item) }
        realm.refresh()
        XCTAssertEqual(seen, ["-1", "-1", "-1", "20", "[0, 2]", "[20, 2]", "1"], "what was deleted is there")
        token.invalidate()
    }

    func testMoves() throws {
        let realm = try openRealm()
        let holder = try makeItems(realm, [1, 2, 3])
        let sorted = realm.objects(FuzzItem.self).sorted(by: \.value)
        var seen: [[CollectionMove]] = []
        let tokens = [
            sorted.observe { _, moves in seen.append(moves) },
            holder.items.observe(withMoves: { _, moves in seen.append(moves) }),
        ]
        realm.refresh()
        XCTAssertEqual(seen, [[], []])
        seen = []
        try realm.write { holder.items[0].value = 9 }
        realm.refresh()
        XCTAssertEqual(seen, [[CollectionMove(from: 0, to: 2)], []], "the list has a modification")
        seen = []
        try realm.write { holder.items.move(from: 0, to: 2) }
        realm.refresh()
        XCTAssertEqual(seen, [[CollectionMove(from: 0, to: 2)]])
        seen = []
        try realm.write { holder.items.append(realm.create(FuzzItem.self)) }
        realm.refresh()
        XCTAssertEqual(seen, [[], []])
        for token in tokens { token.invalidate() }
    }

    func testMapsOfBefore() throws {
        let realm = try openRealm()
        let holder = Feed()
        try realm.write { realm.add(holder) }
        var seen: [String] = []
        let token = holder.counts.observe(keeping: .previous) { change, previous in
            guard case .update(let now, let deletions, _, let modifications) = change else { return }
            seen =
                deletions.map { "\($0) \(previous?[$0] ?? -1)" }
                + modifications.map { "\($0) \(previous?[$0] ?? -1) \(now[$0] ?? -1)" }
        }
        realm.refresh()
        try realm.write { (holder.counts["a"], holder.counts["b"]) = (1, 2) }
        realm.refresh()
        XCTAssertEqual(seen, [])
        try realm.write { (holder.counts["a"], holder.counts["b"]) = (nil, 3) }
        realm.refresh()
        XCTAssertEqual(seen, ["a 1", "b 2 3"])
        token.invalidate()
    }
}

/// Returns the positions in the old collection of elements that a change leaves where they are.
private func positionsBefore(_ positions: [Int], _ deletions: [Int], _ insertions: [Int]) -> [Int] {
    positions.map { position in
        var old = position - insertions.filter { $0 < position }.count
        for deletion in deletions where deletion <= old { old += 1 }
        return old
    }
}
