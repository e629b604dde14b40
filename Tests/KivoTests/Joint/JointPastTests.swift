import Kivo
import XCTest

/// What a block is given besides the changes: the collections of before, and moves.
final class JointPastTests: JointTestCase {
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
