import Kivo
import TestRandomness
import XCTest

/// Whatever is edited, here and elsewhere, and however often observers are paused and called: the number that an observer received
/// last is the one that is computed from the elements, and none is received twice in a row.
final class LiveNumberFuzzTests: RealmTestCase {
    /// An observed number, and the same number computed from the elements.
    private struct Observed {
        let name: String
        let token: NotificationToken
        let problem: () -> String?
        /// Returns a description of a difference between what was received, what is read, and what is computed.
        let difference: () -> String?
        let catchUp: () -> Void
        let callCount: () -> Int
    }

    private func observe<Value: Equatable>(
        _ name: String, _ number: LiveNumber<Value>, _ pacing: Realm.Pacing,
        _ also: @escaping () throws -> Void,
        _ expected: @escaping () -> Value
    ) -> Observed {
        let (received, repeated) = (Box<[Value]>([]), Box(false))
        let token = number.observe(pacing: pacing) { value in
            if received.value.last == value { repeated.value = true }
            received.value = received.value.suffix(3) + [value]
            do { try also() } catch { XCTFail("\(name): \(error)") }
        }
        return Observed(
            name: "\(name), \(pacing)", token: token,
            problem: { repeated.value ? "a number was received twice" : nil },
            difference: {
                let (last, read, computed) = (received.value.last, number.value, expected())
                if last == computed, read == computed { return nil }
                return "received \(String(describing: last)), read \(read), computed \(computed)"
            },
            catchUp: { received.value = [number.value] }, callCount: { received.value.count })
    }

    /// Observes the groups of results by whether their values are equal.
    private func observeGroups(
        _ name: String, _ items: Results<FuzzItem>, _ pacing: Realm.Pacing,
        _ also: @escaping () throws -> Void
    ) -> Observed {
        let groups = items.grouped(by: \.value).sum(ofProperty: "link.value") as LiveGroups<Int, Int>
        let (shown, problem) = (Box<[Int: Int]>([:]), Box<String?>(nil))
        let calls = Box(0)
        let token = groups.observe(pacing: pacing) { change in
            calls.value += 1
            if calls.value == 1 { shown.value = [:] }
            for (key, sum) in change.insertions {
                if shown.value.updateValue(sum, forKey: key) != nil {
                    problem.value = "\(key) was inserted twice"
                }
            }
            for (key, sum) in change.modifications {
                if shown.value.updateValue(sum, forKey: key) == sum {
                    problem.value = "\(key) has the same sum"
                }
            }
            for key in change.deletions where shown.value.removeValue(forKey: key) == nil {
                problem.value = "\(key) was not there"
            }
            do { try also() } catch { XCTFail("\(name): \(error)") }
        }
        return Observed(
            name: "\(name), \(pacing)", token: token, problem: { problem.value },
            difference: {
                let computed = Dictionary(grouping: items, by: \.value)
                    .mapValues { $0.reduce(0) { $0 + ($1.link?.value ?? 0) } }
                if shown.value == computed, groups.values == computed { return nil }
                return "received \(shown.value), read \(groups.values), computed \(computed)"
            }, catchUp: { shown.value = groups.values }, callCount: { calls.value })
    }

    private func observeAll(
        _ realm: Realm, _ holder: FuzzHolder, _ random: inout RandomSource,
        also: @escaping () throws -> Void = {}
    ) -> [Observed] {
        let paces: [Realm.Pacing] = [
            .manual, .every(.milliseconds(1)), .every(.seconds(1_000)), .whenIdle(for: .milliseconds(1)),
            .everyTurn, .everyTurn,
        ]
        var next = random.below(paces.count)
        func pace() -> Realm.Pacing {
            next += 1
            return paces[next % paces.count]
        }
        func numbers<C: RealmCollection>(_ name: String, _ items: C) -> [Observed]
        where C.Element == FuzzItem {
            [
                observe("count of \(name)", items.live.count, pace(), also) { Array(items).count },
                observe("emptiness of \(name)", items.live.isEmpty, pace(), also) { Array(items).isEmpty },
                observe("sum of \(name)", items.live.sum(of: \.value), pace(), also) {
                    items.reduce(0) { $0 + $1.value }
                },
                observe("least of \(name)", items.live.min(of: \.value), pace(), also) {
                    items.map(\.value).min()
                },
                observe(
                    "greatest of \(name)", items.live.max(ofProperty: "link.value") as LiveNumber<Int?>,
                    pace(), also
                ) {
                    items.compactMap { $0.link?.value }.max()
                },
                observe("average of \(name)", items.live.average(of: \.value), pace(), also) {
                    items.isEmpty ? nil : Double(items.reduce(0) { $0 + $1.value }) / Double(items.count)
                },
            ]
        }
        let items = realm.objects(FuzzItem.self)
        let all =
            numbers("class", items) + numbers("filtered", items.where { $0.value >= 50 })
            + numbers("filtered through a link", items.where { $0.link.value >= 50 })
            + numbers("sorted", items.sorted(byKeyPath: "value"))
            + numbers("distinct", items.distinct(by: ["value"]))
            + numbers("distinct by a link", items.distinct(by: ["link.value"]))
            + numbers("list", holder.items) + numbers("filtered list", holder.items.where { $0.value >= 50 })
            + numbers("set", holder.itemSet) + numbers("first", items.sorted(byKeyPath: "value").first(5))
            + numbers("first of class", items.first(3))
            + numbers("window", items.sorted(byKeyPath: "link.value").dropFirst(2).first(4))
            + numbers("rest of list", holder.items.sorted(byKeyPath: "value").dropFirst(2))
        return all + [
            observe("sum of numbers", holder.numbers.live.sum(), pace(), also) {
                holder.numbers.reduce(0, +)
            },
            observe("least number", holder.numbers.live.min() as LiveNumber<Int?>, pace(), also) {
                holder.numbers.map { $0 }.min()
            },
            observe("distinct numbers", holder.numbers.distinct(by: ["self"]).live.count, pace(), also) {
                Set(holder.numbers).count
            },
            observeGroups("groups", items, pace(), also),
            observeGroups("groups of a filter", items.where { $0.value >= 50 }, pace(), also),
            observeGroups("groups of a window", items.dropFirst(2).first(9), pace(), also),
        ]
    }

    private func check(_ observed: [Observed], _ step: Int, areCurrent: Bool) -> Bool {
        for one in observed {
            if let problem = one.problem() ?? (areCurrent ? one.difference() : nil) {
                XCTFail("step \(step), \(one.name): \(problem)")
                return false
            }
        }
        return true
    }

    func testNumbersFollowRandomEdits() throws {
        var random = RandomSource()
        for _ in TestEffort.rounds(2, within: 0.3) {
            let realm = try openRealm()
            let holder = FuzzHolder()
            try realm.write {
                realm.deleteAll()
                realm.add(holder)
            }
            let observed = observeAll(realm, holder, &random)
            let other = OtherWriter(configuration)
            for step in 0..<TestEffort.count(60, full: 300) {
                for _ in 0...random.below(5) {
                    let edits = (0...random.below(5)).map { _ in FuzzEdit.random(&random) }
                    let make = { @Sendable (realm: Realm) in for edit in edits { edit.make(in: realm) } }
                    switch random.below(9) {
                    case 0, 1: try realm.write { make(realm) }
                    case 2:
                        realm.beginWrite()
                        make(realm)
                        for one in observed where random.chance(10) { _ = one.difference() }
                        realm.cancelWrite()
                    case 3:
                        let silent = observed.filter { _ in random.chance(40) }
                        try realm.write(withoutNotifying: silent.map(\.token)) { make(realm) }
                        for one in silent { one.catchUp() }
                    case 4:
                        // Numbers that are read may be ahead of what their observers have received.
                        for one in observed where random.chance(30) { _ = one.difference() }
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
            for one in observed { one.token.invalidate() }
        }
    }

    /// Blocks write, and pause, call and end others.
    func testNumbersFollowEditsOfTheirObservers() throws {
        let random = Box(RandomSource())
        let realm = try openRealm()
        let holder = FuzzHolder()
        try realm.write { realm.add(holder) }
        let (depth, tokens) = (Box(0), Box<[NotificationToken]>([]))
        var seeds = RandomSource(seed: random.value.next())
        let observed = observeAll(realm, holder, &seeds) {
            guard depth.value < 3, random.value.chance(10), !tokens.value.isEmpty else { return }
            depth.value += 1
            defer { depth.value -= 1 }
            let token = tokens.value[random.value.below(tokens.value.count)]
            switch random.value.below(6) {
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
        for step in TestEffort.rounds(60, within: 0.4, atLeast: 10) {
            let edits = (0...random.value.below(5)).map { _ in FuzzEdit.random(&random.value) }
            try realm.write { for edit in edits { edit.make(in: realm) } }
            if random.value.chance(30) { serveRunLoop() } else { realm.refresh() }
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
