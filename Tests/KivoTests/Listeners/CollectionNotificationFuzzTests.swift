import Kivo
import KivoTesting
import TestRandomness
import XCTest

/// Whatever is edited, here and elsewhere, every observer's changes turn what it saw into what there is.
final class CollectionNotificationFuzzTests: RealmTestCase {
    /// A collection, its observation, and what follows it by the positions of its changes.
    private struct Observed {
        let name: String
        let token: NotificationToken
        let problems: () -> [String]
        let isCurrent: () -> Bool
        let changeCount: () -> Int
        /// Shows the current elements, after a write of which the observer was not notified.
        let catchUp: () -> Void
    }

    private func observe<C: RealmCollection, Row: Equatable>(
        _ name: String, _ collection: C, _ row: @escaping (C.Element) -> Row,
        also: @escaping () throws -> Void = {}
    ) -> Observed {
        let table = BatchUpdateTable<C.Element, Row>(row: row)
        let stepwise = BatchUpdateTable<C.Element, Row>(as: .nsTableView, row: row)
        let mirror = Box<[Row]>([])
        let follow = { (change: RealmCollectionChange<C>) in
            table.apply(change)
            stepwise.apply(change)
            change.apply(to: &mirror.value, row)
        }
        let token = collection.observe(keyPaths: nil, on: nil) { change in
            follow(change)
            do { try also() } catch { XCTFail("\(name): \(error)") }
        }
        return Observed(
            name: name, token: token, problems: { table.problems + stepwise.problems },
            isCurrent: {
                let rows = Array(collection.map(row))
                return table.rows == rows && stepwise.rows == rows && mirror.value == rows
            }, changeCount: { table.changeCount }, catchUp: { follow(.initial(collection)) })
    }

    private func observeAll(_ realm: Realm, _ holder: FuzzHolder, also: @escaping () throws -> Void = {})
        -> [Observed]
    {
        let items = realm.objects(FuzzItem.self)
        let row = { (item: FuzzItem) in
            [
                item.value, item.link?.value ?? -1, item.link?.link?.value ?? -1,
                item.link?.link?.link?.value ?? -1,
            ]
        }
        return [
            observe("class", items, row, also: also),
            observe("filtered", items.where { $0.value >= 50 }, row),
            observe("filtered through a link", items.where { $0.link.value >= 50 }, row),
            observe("sorted", items.sorted(byKeyPath: "value"), row, also: also),
            observe("sorted through a link", items.sorted(byKeyPath: "link.value", ascending: false), row),
            observe("filtered and sorted", items.where { $0.value < 30 }.sorted(by: \.value), row),
            observe("list", holder.items, row, also: also),
            observe("filtered list", holder.items.where { $0.value >= 50 }, row),
            observe("sorted list", holder.items.sorted(by: \.value), row),
            observe("numbers", holder.numbers) { $0 },
            observe("sorted numbers", holder.numbers.sorted()) { $0 },
            observe("set", holder.itemSet, row),
            observe("first of sorted", items.sorted(byKeyPath: "value").first(5), row),
            observe("window of sorted", items.sorted(by: \.value).dropFirst(3).first(4), row, also: also),
            observe("first of class", items.first(7), row),
            observe("rest of filtered", items.where { $0.value >= 50 }.dropFirst(2), row),
            observe("first of list", holder.items.where { $0.value >= 0 }.first(3), row),
            observe("rest of sorted list", holder.items.sorted(by: \.value).dropFirst(4), row),
            observe("window of numbers", holder.numbers.sorted().dropFirst(1).first(3)) { $0 },
            observe("first of set", holder.itemSet.filter("TRUEPREDICATE LIMIT(4)"), row),
            observe("the same sorted", items.sorted(byKeyPath: "value"), row, also: also),
            observe("the same list", holder.items.where { $0.value >= 50 }, row, also: also),
            observe("the same numbers", holder.numbers.sorted()) { $0 },
            observe("the same window", items.sorted(by: \.value).dropFirst(3).first(4), row),
            observe("the same filter", items.where { $0.value >= 50 }, row, also: also),
            observe("first of distinct", items.distinct(by: ["value"]).first(3)) { $0.value },
        ]
    }

    private func check(_ observed: [Observed], _ step: Int) -> Bool {
        var isSound = true
        for one in observed {
            let problems = one.problems()
            if !problems.isEmpty || !one.isCurrent() {
                XCTFail("step \(step), \(one.name): \(problems.first ?? "a change was not told")")
                isSound = false
            }
        }
        return isSound
    }

    func testEveryDeliveryAddsUp() throws {
        var random = RandomSource()
        for _ in TestEffort.rounds(3, within: 0.24) {
            let realm = try openRealm()
            let holder = FuzzHolder()
            try realm.write {
                realm.deleteAll()
                realm.add(holder)
                for value in 0..<random.below(30) {
                    realm.create(FuzzItem.self, value: ["value": value * 7 % 100])
                }
            }
            let observed = observeAll(realm, holder)
            realm.refresh()
            let other = OtherWriter(configuration)
            for step in 0..<TestEffort.count(100, full: 300) {
                for _ in 0...random.below(3) {
                    let edits = (0...random.below(5)).map { _ in FuzzEdit.random(&random) }
                    switch random.below(6) {
                    case 0, 1:
                        try realm.write { for edit in edits { edit.make(in: realm) } }
                    case 2:
                        realm.beginWrite()
                        for edit in edits { edit.make(in: realm) }
                        realm.cancelWrite()
                    case 3:
                        let silent = observed.filter { _ in random.chance(40) }
                        try realm.write(withoutNotifying: silent.map(\.token)) {
                            for edit in edits { edit.make(in: realm) }
                        }
                        for one in silent { one.catchUp() }
                    default: try other.commit(edits)
                    }
                }
                realm.refresh()
                guard check(observed, step) else { return }
            }
            for one in observed { XCTAssertGreaterThan(one.changeCount(), TestEffort.expected(10), one.name) }
        }
    }

    func testDeliveriesAddUpWhenCallbacksWrite() throws {
        let random = Box(RandomSource())
        let realm = try openRealm()
        let holder = FuzzHolder()
        try realm.write { realm.add(holder) }
        let (depth, writes) = (Box(0), Box(0))
        let other = OtherWriter(configuration)
        let observed = observeAll(realm, holder) {
            guard depth.value < 3, random.value.chance(15), !realm.isInWriteTransaction else { return }
            depth.value += 1
            defer { depth.value -= 1 }
            let edits = (0...random.value.below(3)).map { _ in FuzzEdit.random(&random.value) }
            if random.value.chance(30) { try other.commit(edits) }
            try realm.write { for edit in edits { edit.make(in: realm) } }
            writes.value += 1
        }
        let steps = Sanitizer.isPresent ? 80 : 200
        for step in TestEffort.rounds(steps, within: 0.6, atLeast: 10) {
            let edits = (0...random.value.below(5)).map { _ in FuzzEdit.random(&random.value) }
            if random.value.chance(50) {
                try realm.write { for edit in edits { edit.make(in: realm) } }
            } else {
                try other.commit(edits)
            }
            // The writes of callbacks are delivered by the next refresh at the latest.
            for _ in 0..<50 where !observed.allSatisfy({ $0.isCurrent() }) || realm.refresh() {
                realm.refresh()
            }
            guard check(observed, step) else { return }
        }
        XCTAssertGreaterThan(writes.value, TestEffort.expected(10))
        for one in observed {
            XCTAssertGreaterThan(one.changeCount(), TestEffort.expected(steps / 40), one.name)
        }
    }

    /// Callbacks that are called while a write begins find it open: they write into it, end it, and begin another one.
    func testDeliveriesAddUpWhenCallbacksUseTheWriteThatBegins() throws {
        let random = Box(RandomSource())
        let realm = try openRealm()
        let holder = FuzzHolder()
        try realm.write { realm.add(holder) }
        let (depth, uses) = (Box(0), Box([0, 0, 0, 0]))
        let other = OtherWriter(configuration)
        let observed = observeAll(realm, holder) {
            guard depth.value < 3, random.value.chance(30) else { return }
            depth.value += 1
            defer { depth.value -= 1 }
            if !realm.isInWriteTransaction {
                // Left open: the code that started this delivery ends it.
                if random.value.chance(50) { realm.beginWrite() }
                return
            }
            for _ in 0...random.value.below(3) { FuzzEdit.random(&random.value).make(in: realm) }
            // In turn: there are a few dozen calls, and each use has to be among them.
            let use = uses.value.reduce(0, +) % 4
            uses.value[use] += 1
            switch use {
            case 0: break
            case 1:
                try realm.commitWrite()
                realm.beginWrite()
            case 2: try realm.commitWrite()
            default:
                realm.cancelWrite()
                if random.value.chance(50) { realm.beginWrite() }
            }
        }
        for step in TestEffort.rounds(Sanitizer.isPresent ? 60 : 150, within: 0.36, atLeast: 10) {
            let edits = (0...random.value.below(5)).map { _ in FuzzEdit.random(&random.value) }
            if random.value.chance(50) { try other.commit(edits) }
            if realm.isInWriteTransaction {
                random.value.chance(30) ? realm.cancelWrite() : try realm.commitWrite()
            }
            if random.value.chance(70) {
                realm.beginWrite()
                XCTAssert(realm.isInWriteTransaction, "step \(step)")
                for edit in edits { edit.make(in: realm) }
                random.value.chance(20) ? realm.cancelWrite() : try realm.commitWrite()
            }
            depth.value = 10
            for _ in 0..<50 where !observed.allSatisfy({ $0.isCurrent() }) || realm.refresh() {
                if realm.isInWriteTransaction { try realm.commitWrite() }
                realm.refresh()
            }
            depth.value = 0
            guard check(observed, step) else { return }
        }
        for count in uses.value { XCTAssertGreaterThan(count, TestEffort.expected(0), "\(uses.value)") }
    }
}

/// A value that closures share.
final class Box<Value> {
    var value: Value

    init(_ value: Value) { self.value = value }
}
