import Kivo
import KivoTesting
import TestRandomness
import XCTest

/// Whatever is edited, here and elsewhere, and however often observers are paused and called: each change turns what its observer saw
/// into the frozen collection that it carries, and the last one into what there is.
final class PacingFuzzTests: RealmTestCase {
    /// A paced observation, and the table that follows it by the positions of its changes.
    private struct Observed {
        let name: String
        let token: NotificationToken
        let problems: () -> [String]
        let isCurrent: () -> Bool
        let changeCount: () -> Int
        /// Shows the current elements, after a write of which the observer was not notified.
        let catchUp: () -> Void
    }

    private static let paces: [Realm.Pacing] = [
        .manual, .every(.milliseconds(1)), .every(.seconds(1_000)), .whenIdle(for: .milliseconds(1)),
        .everyTurn,
    ]

    private func observe<C: RealmCollection, Row: Equatable>(
        _ name: String, _ collection: C, _ pacing: Realm.Pacing, _ row: @escaping (C.Element) -> Row,
        _ also: @escaping () throws -> Void
    ) -> Observed {
        let table = BatchUpdateTable<C.Element, Row>(row: row)
        let stepwise = BatchUpdateTable<C.Element, Row>(as: .nsTableView, row: row)
        let unfrozen = Box(0)
        let token = collection.observe(pacing: pacing) { change in
            table.apply(change)
            stepwise.apply(change)
            if case .update(let collection, _, _, _) = change, !collection.isFrozen { unfrozen.value += 1 }
            do { try also() } catch { XCTFail("\(name): \(error)") }
        }
        return Observed(
            name: "\(name), \(pacing)", token: token,
            problems: {
                table.problems + stepwise.problems
                    + (unfrozen.value > 0 ? ["a live collection was told"] : [])
            },
            isCurrent: {
                let rows = Array(collection.map(row))
                return table.rows == rows && stepwise.rows == rows
            }, changeCount: { table.changeCount },
            catchUp: {
                table.apply(RealmCollectionChange.initial(collection))
                stepwise.apply(RealmCollectionChange.initial(collection))
            })
    }

    private func observeAll(
        _ realm: Realm, _ holder: FuzzHolder, _ random: inout RandomSource,
        also: @escaping () throws -> Void = {}
    ) -> [Observed] {
        let items = realm.objects(FuzzItem.self)
        let row = { (item: FuzzItem) in [item.value, item.link?.value ?? -1] }
        var number = random.below(PacingFuzzTests.paces.count)
        func pace() -> Realm.Pacing {
            number += 1
            return PacingFuzzTests.paces[number % PacingFuzzTests.paces.count]
        }
        return (0..<2).flatMap { _ in
            number += 1
            return [
                observe("class", items, pace(), row, also),
                observe("filtered", items.where { $0.value >= 50 }, pace(), row, also),
                observe("filtered through a link", items.where { $0.link.value >= 50 }, pace(), row, also),
                observe("sorted", items.sorted(byKeyPath: "value"), pace(), row, also),
                observe(
                    "sorted through a link", items.sorted(byKeyPath: "link.value", ascending: false), pace(),
                    row,
                    also),
                observe("distinct", items.distinct(by: ["value"]), pace(), { $0.value }, also),
                observe("first", items.sorted(byKeyPath: "value").first(5), pace(), row, also),
                observe("window", items.sorted(byKeyPath: "value").dropFirst(2).first(3), pace(), row, also),
                observe("list", holder.items, pace(), row, also),
                observe("filtered list", holder.items.where { $0.value >= 50 }, pace(), row, also),
                observe("sorted list", holder.items.sorted(by: \.value), pace(), row, also),
                observe("numbers", holder.numbers, pace(), { $0 }, also),
                observe("sorted numbers", holder.numbers.sorted(), pace(), { $0 }, also),
                observe("set", holder.itemSet, pace(), row, also),
            ]
        }
    }

    private func check(_ observed: [Observed], _ step: Int, areCurrent: Bool) -> Bool {
        for one in observed {
            if let problem = one.problems().first {
                XCTFail("step \(step), \(one.name): \(problem)")
                return false
            }
            if areCurrent, !one.isCurrent() {
                XCTFail("step \(step), \(one.name): a change was not told")
                return false
            }
        }
        return true
    }

    func testWhatIsHeldAddsUp() throws {
        var random = RandomSource()
        for _ in TestEffort.rounds(2, within: 0.24) {
            let realm = try openRealm()
            let holder = FuzzHolder()
            try realm.write {
                realm.deleteAll()
                realm.add(holder)
            }
            let observed = observeAll(realm, holder, &random)
            let other = OtherWriter(configuration)
            for step in 0..<TestEffort.count(80, full: 300) {
                for _ in 0...random.below(5) {
                    let edits = (0...random.below(5)).map { _ in FuzzEdit.random(&random) }
                    let make = { @Sendable (realm: Realm) in for edit in edits { edit.make(in: realm) } }
                    switch random.below(9) {
                    case 0, 1: try realm.write { make(realm) }
                    case 2:
                        realm.beginWrite()
                        make(realm)
                        if random.chance(50) { observed[random.below(observed.count)].token.deliverNow() }
                        realm.cancelWrite()
                    case 3:
                        let silent = observed.filter { _ in random.chance(40) }
                        try realm.write(withoutNotifying: silent.map(\.token)) { make(realm) }
                        for one in silent { one.catchUp() }
                    case 4:
                        // Results that are read may be ahead of what their observers have seen.
                        for one in observed where random.chance(30) { _ = one.isCurrent() }
                        if random.chance(70) { realm.refresh() }
                    case 5: serveRunLoop()
                    case 6:
                        let token = observed[random.below(observed.count)].token
                        switch random.below(3) {
                        case 0: token.pause()
                        case 1: token.resume()
                        default: token.deliverNow()
                        }
                    default: try other.commit(edits)
                    }
                    guard check(observed, step, areCurrent: false) else { return }
                }
                if random.chance(30) {
                    realm.refresh()
                    for one in observed { one.token.deliverNow() }
                    guard check(observed, step, areCurrent: true) else { return }
                }
            }
            for one in observed { XCTAssertGreaterThan(one.changeCount(), TestEffort.expected(5), one.name) }
        }
    }

    /// Blocks write, and pause, call and end others.
    func testWhatIsHeldAddsUpWhenBlocksInterfere() throws {
        let random = Box(RandomSource())
        let realm = try openRealm()
        let holder = FuzzHolder()
        try realm.write { realm.add(holder) }
        let (depth, tokens) = (Box(0), Box<[NotificationToken]>([]))
        var seeds = RandomSource(seed: random.value.next())
        let observed = observeAll(realm, holder, &seeds) {
            guard depth.value < 3, random.value.chance(20), !tokens.value.isEmpty else { return }
            depth.value += 1
            defer { depth.value -= 1 }
            let token = tokens.value[random.value.below(tokens.value.count)]
            switch random.value.below(7) {
            case 6: realm.objects(FuzzItem.self).where { $0.value >= 50 }.forEach { _ = $0.value }
            case 0: token.pause()
            case 1: token.resume()
            case 2: token.deliverNow()
            default:
                guard !realm.isInWriteTransaction else { return }
                let edits = (0...random.value.below(3)).map { _ in FuzzEdit.random(&random.value) }
                try realm.write { for edit in edits { edit.make(in: realm) } }
            }
        }
        tokens.value = observed.map(\.token)
        for step in TestEffort.rounds(100, within: 0.4, atLeast: 10) {
            let edits = (0...random.value.below(5)).map { _ in FuzzEdit.random(&random.value) }
            try realm.write { for edit in edits { edit.make(in: realm) } }
            if random.value.chance(30) { serveRunLoop() } else { realm.refresh() }
            guard check(observed, step, areCurrent: false) else { return }
            if random.value.chance(30) {
                depth.value = 10
                for one in observed { one.token.deliverNow() }
                depth.value = 0
                guard check(observed, step, areCurrent: true) else { return }
            }
        }
        for one in observed { one.token.invalidate() }
    }
}
