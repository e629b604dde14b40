import Foundation
import Kivo
import TestRandomness
import XCTest

/// Numbers of groups of elements with equal keys.
final class LiveGroupsTests: RealmTestCase {
    private func add(_ sales: [(String?, Int)]) throws -> Results<Sale> {
        let realm = try openRealm()
        try realm.write {
            for (shop, amount) in sales {
                let sale = realm.create(Sale.self, value: ["amount": amount])
                sale.shop = shop
            }
        }
        return realm.objects(Sale.self)
    }

    func testNumbersOfGroups() throws {
        let sales = try add([("a", 1), ("b", 2), ("a", 3), (nil, 4)])
        let realm = try openRealm()
        let groups = sales.grouped(by: \.shop)
        XCTAssertEqual(groups.count.values, ["a": 2, "b": 1, nil: 1])
        XCTAssertEqual(groups.sum(of: \.amount).values, ["a": 4, "b": 2, nil: 4])
        XCTAssertEqual(groups.average(of: \.amount).values, ["a": 2, "b": 2, nil: 4])
        XCTAssertEqual(groups.count["a"], 2)
        XCTAssertEqual(groups.count[nil], 1)
        XCTAssertNil(groups.count["c"])
        XCTAssertEqual(groups.count.count, 3)
        XCTAssertEqual(sales.grouped(by: "shop").count.values, [.string("a"): 2, .string("b"): 1, .none: 1])
        XCTAssertEqual(sales.grouped(by: "shop").count[.string("b")], 1)
        XCTAssertEqual(sales.grouped(by: \.kind).count.values, [.retail: 4])
        try realm.write { sales[0].amount = 10 }
        XCTAssertEqual(groups.sum(of: \.amount)["a"], 13)
    }

    func testOnlyGroupsWithOtherNumbersAreDelivered() throws {
        let sales = try add([("a", 1), ("b", 2), ("a", 3)])
        let realm = try openRealm()
        var told: [LiveGroupsChange<String?, Int>] = []
        let token = sales.grouped(by: \.shop).sum(of: \.amount).observe { told.append($0) }
        realm.refresh()
        XCTAssertEqual(told.last?.insertions, ["a": 4, "b": 2])
        try realm.write { sales[0].weight = 1 }
        try realm.write { (sales[0].amount, sales[2].amount) = (2, 2) }
        realm.refresh()
        XCTAssertEqual(told.count, 1)
        try writeElsewhere { realm in
            let sales = realm.objects(Sale.self)
            sales[0].shop = "c"
            sales[1].shop = nil
        }
        realm.refresh()
        XCTAssertEqual(told.count, 2)
        XCTAssertEqual(told.last?.insertions, ["c": 2, nil: 2])
        XCTAssertEqual(told.last?.modifications, ["a": 2])
        XCTAssertEqual(told.last?.deletions, ["b"])
        try realm.write { realm.deleteAll() }
        realm.refresh()
        XCTAssertEqual(Set(told.last?.deletions ?? []), ["a", "c", nil])
        token.invalidate()
    }

    /// Decimals with other digits are the same number.
    func testEqualDecimalsAreNotDelivered() throws {
        let sales = try add([("a", 1), ("a", 2)])
        let realm = try openRealm()
        try realm.write { (sales[0].price, sales[1].price) = (1.25, 2.75) }
        var calls = 0
        let token = sales.grouped(by: \.shop).sum(of: \.price).observe { _ in calls += 1 }
        realm.refresh()
        try realm.write { (sales[0].price, sales[1].price) = (1.5, 2.5) }
        realm.refresh()
        XCTAssertEqual(calls, 1)
        try realm.write { sales[0].price = 2 }
        realm.refresh()
        XCTAssertEqual(calls, 2)
        token.invalidate()
    }

    func testGroupsBehindLinks() throws {
        let sales = try add([("a", 1), ("b", 2)])
        let realm = try openRealm()
        let store = SaleStore()
        try realm.write {
            realm.add(store)
            store.city = "Bonn"
            sales[0].store = store
        }
        var cities: [[String?: Int]] = []
        let groups = sales.grouped(by: \.store?.city).count
        let token = groups.observe { _ in cities.append(groups.values) }
        realm.refresh()
        try realm.write { store.city = "Berlin" }
        realm.refresh()
        try realm.write { realm.delete(store) }
        realm.refresh()
        XCTAssertEqual(cities, [["Bonn": 1, nil: 1], ["Berlin": 1, nil: 1], [nil: 2]])
        token.invalidate()
    }

    func testGroupsAtAPaceAndByKeyPath() throws {
        let sales = try add([("a", 1)])
        let realm = try openRealm()
        var told: [[String?: Int]] = []
        let groups = sales.grouped(by: \.shop).sum(of: \.amount)
        let paced = groups.observe(pacing: .manual) { told.append($0.modifications) }
        let watched = groups.observe(\.values, options: [.old, .new]) { _, change in
            told.append(change.oldValue ?? [:])
            told.append(change.newValue ?? [:])
        }
        realm.refresh()
        try realm.write { sales[0].amount = 2 }
        try realm.write { sales[0].amount = 3 }
        realm.refresh()
        paced.deliverNow()
        XCTAssertEqual(told, [[:], ["a": 1], ["a": 2], ["a": 2], ["a": 3], ["a": 3]])
        paced.invalidate()
        watched.invalidate()
    }

    /// Strings that Swift takes for equal are one group, whose key is spelled like that of an element.
    func testAGroupWhoseKeyIsSpelledAnew() throws {
        let sales = try add([("e\u{301}", 1), ("a", 2)])
        let realm = try openRealm()
        let counts = sales.grouped(by: \.shop).count
        let token = counts.observe { _ in }
        realm.refresh()
        try realm.write { sales[0].shop = "\u{E9}" }
        realm.refresh()
        XCTAssertEqual(
            counts.values.keys.compactMap { $0.map { Array($0.utf8) } }.max { $0.count < $1.count },
            Array("\u{E9}".utf8))
        XCTAssertEqual(counts["\u{E9}"], 1)
        token.invalidate()
    }

    @MainActor
    func testTheStreamOfGroups() async throws {
        let sales = try add([("a", 1)])
        _ = sales
        let realm = try await Realm(configuration: configuration)
        var values: [[String?: Int]] = []
        for await change in realm.objects(Sale.self).grouped(by: \.shop).sum(of: \.amount).changes {
            values.append(change.insertions.merging(change.modifications) { $1 })
            if values.count == 1 {
                try writeElsewhere { $0.create(Sale.self, value: ["shop": "b", "amount": 5]) }
            }
            if values.count == 2 { try writeElsewhere { $0.objects(Sale.self).first?.amount = 9 } }
            if values.count == 3 { break }
        }
        XCTAssertEqual(values, [["a": 1], ["b": 5], ["a": 9]])
    }
}
