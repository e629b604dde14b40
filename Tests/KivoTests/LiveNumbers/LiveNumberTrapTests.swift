#if compiler(>=6.2)
import Foundation
import Kivo
import Testing

/// Numbers that cannot be made or observed trap with a message.
struct LiveNumberTrapTests {
    @Test func anUnmanagedCollection() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = SaleLedger().sales.live.count
        }
        try check(result, says: ["unmanaged", "live numbers"])
    }

    @Test func groupsOfValuesOfAnyType() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try salesInRealm().grouped(by: \.any).count
        }
        try check(result, says: ["'any'", "of any type"])
    }

    @Test func groupsThatUnwrapALink() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try salesInRealm().grouped(by: \.store!.rank).count
        }
        try check(result, says: ["'store.rank'", "'?' in place of '!'"])
    }

    @Test func anotherKey() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try salesInRealm().live.count.observe(\.description) { _, _ in }
        }
        try check(result, says: ["'value' only"])
    }

    @Test func aPathToANumberInsideOfAWrite() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let sales = try salesInRealm()
            let board = SaleBoard(sales.live.count)
            let realm = try #require(sales.realm)
            realm.beginWrite()
            realm.create(Sale.self)
            board.addObserver(SaleBoardObserver(), forKeyPath: "count.value")
        }
        try check(result, says: ["inside of a write transaction that has made changes"])
    }
}

private final class SaleBoard: KeyValueObservable {
    @Observed var count: LiveNumber<Int>

    init(_ count: LiveNumber<Int>) { self.count = count }
}

private final class SaleBoardObserver: KeyValueObserver {
    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {}
}

private func salesInRealm() throws -> Results<Sale> {
    let realm = try Realm(
        configuration: Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString, objectTypes: [Sale.self, SaleStore.self, SaleLedger.self]))
    try realm.write { realm.create(Sale.self) }
    return realm.objects(Sale.self)
}
#endif
