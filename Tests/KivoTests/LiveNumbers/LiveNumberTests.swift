import Dispatch
import Foundation
import Kivo
import Observation
import TestRandomness
import XCTest

class Sale: Object {
    @Persisted var shop: String?
    @Persisted var amount = 0
    @Persisted var weight = 0.0
    @Persisted var price: Decimal128 = 0
    @Persisted var rating: Int?
    @Persisted var date = Date(timeIntervalSince1970: 0)
    @Persisted var kind = SaleKind.retail
    @Persisted var any: AnyRealmValue
    @Persisted var store: SaleStore?
    @Persisted(originProperty: "sales") var ledgers: LinkingObjects<SaleLedger>
}

enum SaleKind: Int, PersistableEnum {
    case retail = 1
    case wholesale = 10
}

class SaleStore: Object {
    @Persisted var city = ""
    @Persisted var rank = 0
    @Persisted(originProperty: "store") var sales: LinkingObjects<Sale>
}

class SaleLedger: Object {
    @Persisted var sales: List<Sale>
    @Persisted var marked: MutableSet<Sale>
    @Persisted var numbers: List<Int>
    @Persisted var gaps: List<Double?>
    @Persisted var byName: Map<String, Int>
}

/// Numbers that follow the elements of a collection.
final class LiveNumberTests: RealmTestCase {
    private func sales(_ amounts: Int...) throws -> Results<Sale> {
        let realm = try openRealm()
        try realm.write { for amount in amounts { realm.create(Sale.self, value: ["amount": amount]) } }
        return realm.objects(Sale.self)
    }

    // MARK: Reading

    func testNumbersOfNoElements() throws {
        let sales = try sales()
        XCTAssertEqual(sales.live.count.value, 0)
        XCTAssertEqual(sales.live.isEmpty.value, true)
        XCTAssertEqual(sales.live.sum(of: \.amount).value, 0)
        XCTAssertNil(sales.live.average(of: \.amount).value)
        XCTAssertNil(sales.live.min(of: \.amount).value)
        XCTAssertNil(sales.live.max(of: \.date).value)
        XCTAssertEqual(sales.live.sum(of: \.price).value, 0)
        XCTAssertEqual(sales.grouped(by: \.shop).count.values, [:])
    }

    func testNumbersOfEachType() throws {
        let sales = try sales(3, 1, 2)
        let realm = try openRealm()
        try realm.write {
            for (index, sale) in sales.enumerated() {
                sale.weight = [0.1, 0.2, 0.3][index]
                sale.price = [1.5, 2.25, 3][index]
                sale.rating = [nil, 4, 2][index]
                sale.date = Date(timeIntervalSince1970: Double(index))
                sale.kind = index == 1 ? .wholesale : .retail
                sale.any = [.int(2), .string("a"), .double(0.5)][index]
            }
        }
        let live = sales.live
        XCTAssertEqual(live.count.value, 3)
        XCTAssertEqual(live.sum(of: \.amount).value, 6)
        XCTAssertEqual(live.average(of: \.amount).value, 2)
        XCTAssertEqual(live.min(of: \.amount).value, 1)
        XCTAssertEqual(live.max(of: \.amount).value, 3)
        XCTAssertEqual(live.sum(of: \.weight).value, 0.6)
        XCTAssertEqual(live.sum(of: \.price).value, 6.75)
        XCTAssertEqual(live.average(ofProperty: "price").value, 2.25)
        XCTAssertEqual(live.min(of: \.rating).value, 2)
        XCTAssertEqual(live.sum(of: \.rating).value, 6)
        XCTAssertEqual(live.average(of: \.rating).value, 3)
        XCTAssertEqual(live.max(of: \.date).value, Date(timeIntervalSince1970: 2))
        XCTAssertEqual(live.sum(of: \.kind).value, 12)
        let wide: LiveNumber<Double> = live.sum(ofProperty: "amount")
        XCTAssertEqual(wide.value, 6)
        XCTAssertEqual("\(live.count)", "3")
    }

    func testPlainValues() throws {
        let realm = try openRealm()
        let ledger = SaleLedger()
        try realm.write {
            realm.add(ledger)
            ledger.numbers.append(objectsIn: [3, 1, 2])
            ledger.gaps.append(objectsIn: [nil, 0.5, nil, 1.5])
            ledger.byName["a"] = 1
        }
        XCTAssertEqual(ledger.numbers.live.sum().value, 6)
        XCTAssertEqual(ledger.numbers.live.average().value, 2)
        let least: LiveNumber<Int?> = ledger.numbers.live.min()
        XCTAssertEqual(least.value, 1)
        let total: LiveNumber<Double> = ledger.gaps.live.sum()
        XCTAssertEqual(total.value, 2)
        let greatest: LiveNumber<Double?> = ledger.gaps.live.max()
        XCTAssertEqual(greatest.value, 1.5)
        var told: [Int] = []
        let token = ledger.numbers.live.sum().observe { told.append($0) }
        realm.refresh()
        try realm.write { ledger.numbers[0] = 10 }
        realm.refresh()
        try realm.write { ledger.numbers.move(from: 0, to: 2) }
        realm.refresh()
        try realm.write { realm.delete(ledger) }
        realm.refresh()
        XCTAssertEqual(told, [6, 13, 0])
        token.invalidate()
    }

    /// A number inside of a write is that of what was written so far, and frozen numbers stay.
    func testNumbersInsideOfWritesAndOfFrozenResults() throws {
        let sales = try sales(1, 2)
        let realm = try openRealm()
        let total = sales.live.sum(of: \.amount)
        let token = total.observe { _ in }
        realm.refresh()
        let frozen = sales.freeze().live.sum(of: \.amount)
        try realm.write {
            sales[0].amount = 5
            XCTAssertEqual(total.value, 7)
            realm.create(Sale.self, value: ["amount": 10])
            XCTAssertEqual(total.value, 17)
        }
        XCTAssertEqual(total.value, 17)
        XCTAssertEqual(frozen.value, 3)
        realm.beginWrite()
        sales[0].amount = 0
        XCTAssertEqual(total.value, 12)
        realm.cancelWrite()
        XCTAssertEqual(total.value, 17)
        token.invalidate()
    }

    // MARK: Observing

    func testOnlyAnotherNumberIsDelivered() throws {
        let sales = try sales(1, 2, 3)
        let realm = try openRealm()
        let large = sales.where { $0.amount >= 2 }
        var (counts, sums, least): ([Int], [Int], [Int?]) = ([], [], [])
        let tokens = [
            large.live.count.observe { counts.append($0) },
            large.live.sum(of: \.amount).observe { sums.append($0) },
            large.live.min(of: \.amount).observe { least.append($0) },
        ]
        realm.refresh()
        try writeElsewhere { $0.objects(Sale.self).where { $0.amount == 3 }.first?.amount = 7 }
        realm.refresh()
        XCTAssertEqual(counts, [2])
        XCTAssertEqual(sums, [5, 9])
        XCTAssertEqual(least, [2])
        try realm.write { (sales[1].amount, sales[2].amount) = (7, 2) }
        realm.refresh()
        XCTAssertEqual([counts.count, sums.count, least.count], [1, 2, 1], "the numbers are the same")
        try realm.write { sales[2].amount = 0 }
        try realm.write { sales[2].amount = 2 }
        realm.refresh()
        XCTAssertEqual(
            [counts.count, sums.count, least.count], [3, 4, 3], "writes deliver what is before them")
        try writeElsewhere { realm in realm.delete(realm.objects(Sale.self)) }
        realm.refresh()
        XCTAssertEqual(counts.last, 0)
        XCTAssertEqual(sums.last, 0)
        XCTAssertEqual(least.last, .some(nil))
        for token in tokens { token.invalidate() }
    }

    func testNumbersThroughLinksAndOfLinkingObjects() throws {
        let realm = try openRealm()
        let (store, other) = (SaleStore(), SaleStore())
        try realm.write {
            store.rank = 1
            other.rank = 10
            realm.add([store, other])
            for amount in 1...3 {
                realm.create(Sale.self, value: ["amount": amount, "store": store])
            }
        }
        let sales = realm.objects(Sale.self)
        var (ranks, amounts): ([Int], [Int]) = ([], [])
        let tokens = [
            sales.live.sum(ofProperty: "store.rank").observe { (sum: Int) in ranks.append(sum) },
            store.sales.live.sum(of: \.amount).observe { amounts.append($0) },
        ]
        realm.refresh()
        try realm.write { store.rank = 2 }
        realm.refresh()
        try realm.write { sales[0].store = other }
        realm.refresh()
        try realm.write { realm.delete(other) }
        realm.refresh()
        XCTAssertEqual(ranks, [3, 6, 14, 4])
        XCTAssertEqual(amounts, [6, 5])
        for token in tokens { token.invalidate() }
    }

    func testListsCountAnObjectAsOftenAsTheyContainIt() throws {
        let sales = try sales(1, 2)
        let realm = try openRealm()
        let ledger = SaleLedger()
        try realm.write {
            realm.add(ledger)
            ledger.sales.append(objectsIn: [sales[0], sales[1], sales[0]])
        }
        var sums: [Int] = []
        let token = ledger.sales.live.sum(of: \.amount).observe { sums.append($0) }
        realm.refresh()
        try realm.write { sales[0].amount = 10 }
        realm.refresh()
        try realm.write { ledger.sales.remove(at: 2) }
        realm.refresh()
        let first = sales[0]
        try realm.write { realm.delete(first) }
        realm.refresh()
        XCTAssertEqual(sums, [4, 22, 12, 2])
        token.invalidate()
    }

    func testAPacedNumberIsDeliveredByHand() throws {
        let sales = try sales(1)
        let realm = try openRealm()
        var told: [Int] = []
        let token = sales.live.sum(of: \.amount).observe(pacing: .manual) { told.append($0) }
        realm.refresh()
        for amount in 2...9 { try realm.write { sales[0].amount = amount } }
        realm.refresh()
        XCTAssertEqual(told, [1])
        XCTAssertEqual(sales.live.sum(of: \.amount).value, 9)
        token.deliverNow()
        XCTAssertEqual(told, [1, 9])
        try realm.write { sales[0].amount = 1 }
        try realm.write { sales[0].amount = 9 }
        token.deliverNow()
        XCTAssertEqual(told, [1, 9], "the number is the same again")
        token.pause()
        try realm.write { sales[0].amount = 3 }
        realm.refresh()
        token.resume()
        token.deliverNow()
        XCTAssertEqual(told, [1, 9, 3])
        token.invalidate()
    }

    func testANumberOnAQueue() async throws {
        let sales = try sales(1, 2)
        let (queue, told) = (DispatchQueue(label: "numbers"), Shared<[Int]>([]))
        let token = sales.live.sum(of: \.amount).observe(on: queue) { sum in told.update { $0.append(sum) } }
        await eventually("the first number") { told.value == [3] }
        try writeElsewhere { $0.objects(Sale.self).first?.amount = 5 }
        await eventually("the next number") { told.value == [3, 7] }
        token.invalidate()
    }

    @MainActor
    func testANumberOnAnActor() async throws {
        let sales = try sales(1, 2)
        let told = Shared<[Int]>([])
        let token = await sales.live.count.observe(on: MainActor.shared) { _, count in
            told.update { $0.append(count) }
        }
        await eventually("the first number") { told.value == [2] }
        try writeElsewhere { $0.create(Sale.self) }
        await eventually("the next number") { told.value == [2, 3] }
        token.invalidate()
    }

    @MainActor
    func testTheStreamOfANumber() async throws {
        let sales = try sales(1, 2)
        let realm = try await Realm(configuration: configuration)
        var numbers: [Int] = []
        for await number in realm.objects(Sale.self).live.sum(of: \.amount).changes {
            numbers.append(number)
            switch numbers.count {
            case 1: try writeElsewhere { $0.objects(Sale.self).first?.amount = 10 }
            case 2:
                // Neither is another number.
                try writeElsewhere { realm in realm.create(Sale.self) }
                try writeElsewhere { realm in realm.objects(Sale.self).first?.weight = 3 }
                try writeElsewhere { $0.objects(Sale.self).first?.amount = 11 }
            default: break
            }
            if numbers.count == 3 { break }
        }
        XCTAssertEqual(numbers, [3, 12, 13])
        XCTAssertEqual(realm.observerCount, 0)
        _ = sales
    }

    @MainActor
    func testAStreamEndsWithTheOwnerOfItsCollection() async throws {
        let realm = try await Realm(configuration: configuration)
        let ledger = SaleLedger()
        try realm.write {
            realm.add(ledger)
            ledger.numbers.append(4)
        }
        var numbers: [Int] = []
        for await number in ledger.numbers.live.sum().changes {
            numbers.append(number)
            if numbers.count == 1 {
                try writeElsewhere { realm in realm.delete(realm.objects(SaleLedger.self)) }
            }
        }
        XCTAssertEqual(numbers, [4, 0])
    }

    // MARK: Key-value observing

    func testObservationByKeyPath() throws {
        let sales = try sales(1, 2)
        let realm = try openRealm()
        let total = sales.live.sum(of: \.amount)
        var told: [String] = []
        var token: KeyValueObservation? = total.observe(\.value, options: [.old, .new, .initial, .prior]) {
            told.append("\($1.oldValue ?? -1) \($1.newValue ?? -1) \($1.isPrior)")
        }
        XCTAssertEqual(told, ["-1 3 false"])
        try realm.write { sales[0].weight = 1 }
        realm.refresh()
        try writeElsewhere { $0.objects(Sale.self).first?.amount = 9 }
        XCTAssertEqual(told.count, 1)
        realm.refresh()
        XCTAssertEqual(told, ["-1 3 false", "3 -1 true", "3 11 false"])
        XCTAssertEqual(total.value, 11)
        _ = token
        token = nil
        try realm.write { sales[0].amount = 1 }
        realm.refresh()
        XCTAssertEqual(told.count, 3)
        XCTAssertEqual(realm.observerCount, 0)
        let again = total.observe(\.value, options: [.old, .new]) {
            told.append("\($1.oldValue ?? -1) \($1.newValue ?? -1)")
        }
        try realm.write { sales[0].amount = 2 }
        realm.refresh()
        XCTAssertEqual(told.last, "3 4")
        again.invalidate()
    }

    func testObservationByName() throws {
        final class Observer: KeyValueObserver {
            var told: [Int] = []
            func observeValue(
                forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
                context: UnsafeMutableRawPointer?
            ) { told.append(change?[.newKey] as? Int ?? -1) }
        }
        let sales = try sales(1, 2)
        let realm = try openRealm()
        let (count, observer) = (sales.live.count, Observer())
        count.addObserver(observer, forKeyPath: "value", options: [.new])
        XCTAssertEqual(count.value(forKey: "value") as? Int, 2)
        try realm.write { realm.create(Sale.self) }
        realm.refresh()
        XCTAssertEqual(observer.told, [3])
        count.removeObserver(observer, forKeyPath: "value")
        try realm.write { realm.create(Sale.self) }
        realm.refresh()
        XCTAssertEqual(observer.told, [3])
    }

    // MARK: Tracking

    func testTrackedReadsOfANumber() throws {
        let sales = try sales(1, 2)
        let realm = try openRealm()
        let total = track { _ = sales.live.sum(of: \.amount).value }
        let count = track { _ = sales.live.count.value }
        let shops = track { _ = sales.grouped(by: \.shop).count.values }
        try realm.write { sales[0].weight = 4 }
        realm.refresh()
        XCTAssertEqual([total.value, count.value, shops.value], [0, 0, 0])
        try realm.write { sales[0].amount = 4 }
        realm.refresh()
        XCTAssertEqual([total.value, count.value, shops.value], [1, 0, 0])
        try writeElsewhere { $0.create(Sale.self) }
        realm.refresh()
        XCTAssertEqual([total.value, count.value, shops.value], [1, 1, 1])
        XCTAssertEqual(realm.observerCount, 0)
    }

    /// An observer that begins between a commit and its delivery compares with what it has read, not with what another has.
    func testAnObserverThatBeginsBeforeADelivery() throws {
        let sales = try sales(1, 2, 3)
        let realm = try openRealm()
        let tracked = realm.objects(TrackedDog.self)
        let (total, groups) = (sales.live.sum(of: \.amount), sales.grouped(by: \.shop).count)
        let reads: [() -> Void] = [
            { _ = total.value }, { _ = groups.values }, { _ = tracked.count }, { _ = tracked.last },
            { for _ in tracked {} },
        ]
        let first = reads.map { track($0) }
        try realm.write {
            realm.create(Sale.self, value: ["amount": 4])
            realm.create(TrackedDog.self, value: ["id": 4])
        }
        let second = reads.map { track($0) }
        try writeElsewhere { realm in
            realm.delete(realm.objects(Sale.self).where { $0.amount == 4 })
            realm.delete(realm.objects(TrackedDog.self))
        }
        realm.refresh()
        XCTAssertEqual(second.map(\.value), [1, 1, 1, 1, 1])
        withExtendedLifetime(first) {}
    }

    func testFrozenNumbersAreReadByManyThreads() throws {
        let frozen = try sales(1, 2, 3).freeze()
        let instance = try XCTUnwrap(frozen.realm)
        let reference = frozen.frozenSnapshot()
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            let total = reference.base.live.sum(of: \.amount)
            for _ in 0..<200 {
                withObservationTracking {
                    XCTAssertEqual(total.value, 6)
                } onChange: {
                }
            }
        }
        XCTAssertEqual(instance.observerCount, 0)
    }

    func testInvalidatingTheRealmEndsNumbers() throws {
        let sales = try sales(1, 2)
        let realm = try openRealm()
        let total = sales.live.sum(of: \.amount)
        var told: [Int] = []
        let token = total.observe { told.append($0) }
        let tracked = Shared(0)
        withObservationTracking {
            _ = total.value
        } onChange: {
            tracked.update { $0 += 1 }
        }
        realm.refresh()
        realm.invalidate()
        XCTAssertEqual(tracked.value, 1)
        XCTAssertEqual(total.value, 0)
        XCTAssertEqual(told, [3])
        token.invalidate()
    }

    /// Observers that write, observe others and end others, while they are called.
    func testObserversThatWriteAndEndOthers() throws {
        let sales = try sales(1)
        let realm = try openRealm()
        let total = sales.live.sum(of: \.amount)
        var (first, second): ([Int], [Int]) = ([], [])
        var inner: NotificationToken?
        let tokens = [
            total.observe { sum in
                first.append(sum)
                if sum < 4 { try! realm.write { sales[0].amount += 1 } }
                if sum == 4 { inner = sales.live.count.observe { _ in } }
                if sum == 10 { inner?.invalidate() }
            },
            total.observe { second.append($0) },
        ]
        realm.refresh()
        for _ in 0..<8 { realm.refresh() }
        XCTAssertEqual(first, [1, 2, 3, 4])
        XCTAssertEqual(second.last, 4)
        try realm.write { sales[0].amount = 10 }
        realm.refresh()
        XCTAssertEqual(second.last, 10)
        for token in tokens { token.invalidate() }
    }
}
