import Kivo
import KivoTesting
import TestRandomness
import XCTest

/// Random collections that are observed together: each call turns what its tables showed into the frozen collections of the call, all
/// of one version, and leaves out only what did not change.
final class JointObservingFuzzTests: RealmTestCase {
    /// A collection, and the table that follows it.
    private struct Member {
        let name: String
        let value: any ThreadConfined
        let apply: (RealmChanges) -> Realm.Version?
        let problem: () -> String?
        let isCurrent: () -> Bool
        /// Shows the current elements, after a write of which the observer was not notified.
        let catchUp: () -> Void
    }

    private func member<C: RealmCollection, Row: Equatable>(
        _ name: String, _ collection: C, _ row: @escaping (C.Element) -> Row
    ) -> Member {
        let table = BatchUpdateTable<C.Element, Row>(row: row)
        return Member(
            name: name, value: collection,
            apply: { changes in
                if let previous = changes.previous(of: collection) {
                    XCTAssertTrue(previous.isFrozen)
                    XCTAssertEqual(Array(previous.map(row)), table.rows, "\(name): the collection of before")
                }
                guard let change = changes[collection] else {
                    XCTAssertEqual(changes.moves(of: collection), [])
                    return nil
                }
                table.apply(change)
                if case .update(_, let deletions, let insertions, _) = change {
                    for move in changes.moves(of: collection) {
                        XCTAssertTrue(deletions.contains(move.from) && insertions.contains(move.to), name)
                    }
                }
                switch change {
                case .initial(let frozen), .update(let frozen, _, _, _): return frozen.realm?.version
                case .error: return nil
                }
            }, problem: { table.problems.first }, isCurrent: { table.rows == Array(collection.map(row)) },
            catchUp: { table.apply(RealmCollectionChange.initial(collection)) })
    }

    private func members(_ realm: Realm, _ holder: FuzzHolder) -> [Member] {
        let items = realm.objects(FuzzItem.self)
        let row = { (item: FuzzItem) in [item.value, item.link?.value ?? -1] }
        let sorted = items.where { $0.value < 70 }.sorted(byKeyPath: "value", ascending: false)
        return [
            member("class", items, row), member("filtered", items.where { $0.value >= 50 }, row),
            member("others", items.where { $0.value < 50 }, row),
            member("filtered through a link", items.where { $0.link.value >= 50 }, row),
            member("sorted", items.sorted(byKeyPath: "value"), row),
            member("first", items.sorted(byKeyPath: "value").first(4), row),
            member("rest", sorted.dropFirst(3), row),
            member("distinct", items.distinct(by: ["value"]), { $0.value }),
            member("list", holder.items, row),
            member("sorted list", holder.items.sorted(by: \.value), row),
            member("numbers", holder.numbers, { $0 }),
            member("set", holder.itemSet, row), member("wrapped list", AnyRealmCollection(holder.items), row),
            member("wrapped results", AnyRealmCollection(sorted), row), member("the same", sorted, row),
        ]
    }

    private func check(
        _ groups: [(token: NotificationToken, members: [Member])], _ step: Int, areCurrent: Bool
    ) -> Bool {
        for member in groups.flatMap(\.members) {
            if let problem = member.problem() {
                XCTFail("step \(step), \(member.name): \(problem)")
                return false
            }
            if areCurrent, !member.isCurrent() {
                XCTFail("step \(step), \(member.name): a change was not told")
                return false
            }
        }
        return true
    }

    func testChangesAddUp() throws {
        var random = RandomSource()
        for _ in TestEffort.rounds(2, within: 0.3) {
            let realm = try openRealm()
            let holder = FuzzHolder()
            try realm.write {
                realm.deleteAll()
                realm.add(holder)
            }
            let writes = Box(0)
            let source = Box(RandomSource(seed: random.next()))
            let paces: [Realm.Pacing] = [.everyTurn, .manual, .every(.milliseconds(1)), .everyTurn]
            let groups = paces.map { pace in
                let members = self.members(realm, holder).shuffled(using: &random).prefix(5)
                let keeping: Realm.Keeping? = random.chance(50) ? .previous : nil
                let token = realm.observe(members.map(\.value), keeping: keeping, pacing: pace) { changes in
                    let versions = Set(members.compactMap { $0.apply(changes) })
                    XCTAssertEqual(versions.count, 1, "all are of one version")
                    guard writes.value > 0, source.value.chance(30), !realm.isInWriteTransaction else {
                        return
                    }
                    writes.value -= 1
                    try? realm.write { FuzzEdit.random(&source.value).make(in: realm) }
                }
                return (token: token, members: Array(members))
            }
            let other = OtherWriter(configuration)
            for step in 0..<TestEffort.count(60, full: 300) {
                for _ in 0...random.below(4) {
                    let edits = (0...random.below(5)).map { _ in FuzzEdit.random(&random) }
                    let make = { @Sendable (realm: Realm) in for edit in edits { edit.make(in: realm) } }
                    writes.value = random.below(2)
                    switch random.below(8) {
                    case 0, 1: try realm.write { make(realm) }
                    case 2:
                        let silent = groups.filter { _ in random.chance(40) }
                        try realm.write(withoutNotifying: silent.map(\.token)) { make(realm) }
                        for member in silent.flatMap(\.members) { member.catchUp() }
                    case 3:
                        for group in groups where random.chance(40) { _ = group.members.first?.isCurrent() }
                        if random.chance(70) { realm.refresh() }
                    case 4: serveRunLoop()
                    case 5:
                        let token = groups[random.below(groups.count)].token
                        switch random.below(3) {
                        case 0: token.pause()
                        case 1: token.resume()
                        default: token.deliverNow()
                        }
                    default: try other.commit(edits)
                    }
                    guard check(groups, step, areCurrent: false) else { return }
                }
                if random.chance(30) {
                    writes.value = 0
                    realm.refresh()
                    for group in groups { group.token.deliverNow() }
                    guard check(groups, step, areCurrent: true) else { return }
                }
            }
            for group in groups { group.token.invalidate() }
        }
    }
}
