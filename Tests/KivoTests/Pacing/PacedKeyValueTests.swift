import Kivo
import XCTest

/// Values at key paths of managed objects that are observed at a pace.
final class PacedKeyValueTests: RealmTestCase {
    private func makeItems(_ realm: Realm) throws -> (FuzzItem, FuzzItem) {
        var items: [FuzzItem] = []
        try realm.write {
            realm.deleteAll()
            items = [1, 2].map { realm.create(FuzzItem.self, value: ["value": $0]) }
            items[0].link = items[1]
        }
        return (items[0], items[1])
    }

    func testWhatIsBetweenTwoCallsIsNotTold() throws {
        let realm = try openRealm()
        let (item, _) = try makeItems(realm)
        var calls: [[Int?]] = []
        let token = item.observe(\.value, options: [.old, .new, .initial], pacing: .manual) {
            object, change in
            XCTAssertTrue(object === item)
            XCTAssertEqual(change.kind, .setting)
            calls.append([change.oldValue, change.newValue])
        }
        XCTAssertEqual(calls, [[nil, 1]], "before the method returns")
        for value in 2..<6 { try realm.write { item.value = value } }
        realm.refresh()
        XCTAssertEqual(calls.count, 1)
        token.deliverNow()
        XCTAssertEqual(calls.dropFirst(), [[1, 5]])
        try writeElsewhere { $0.objects(FuzzItem.self)[0].value = 7 }
        try realm.write { item.value = 5 }
        realm.refresh()
        token.deliverNow()
        XCTAssertEqual(calls.count, 2, "it is again what it was")
        try writeElsewhere { $0.objects(FuzzItem.self)[0].value = 8 }
        realm.refresh()
        token.deliverNow()
        XCTAssertEqual(calls.last, [5, 8])
        try realm.write { realm.delete(item) }
        realm.refresh()
        token.deliverNow()
        XCTAssertEqual(calls.count, 3, "a deleted object has no values")
        token.invalidate()
    }

    func testAPathThroughALinkAndAPause() throws {
        let realm = try openRealm()
        let (item, other) = try makeItems(realm)
        var calls: [[Int??]] = []
        let token = item.observe(\.link?.value, options: [.old, .new], pacing: .everyTurn) { _, change in
            calls.append([change.oldValue, change.newValue])
        }
        try realm.write { other.value = 5 }
        realm.refresh()
        XCTAssertEqual(calls, [[2, 5]])
        token.pause()
        try realm.write { item.link = nil }
        try realm.write { other.value = 9 }
        realm.refresh()
        XCTAssertEqual(calls.count, 1)
        token.resume()
        realm.refresh()
        XCTAssertEqual(calls.last, [5, .some(nil)])
        try realm.write { item.link = item }
        realm.refresh()
        XCTAssertEqual(calls.last, [.some(nil), 1])
        token.invalidate()
        try realm.write { item.value = 3 }
        realm.refresh()
        XCTAssertEqual(calls.count, 3)
    }

    func testLinksAndOptions() throws {
        let realm = try openRealm()
        let (item, other) = try makeItems(realm)
        var links: [FuzzItem??] = []
        var plain: [Int?] = []
        let tokens = [
            item.observe(\.link, options: [.new], pacing: .everyTurn) { _, change in
                links.append(change.newValue)
            },
            item.observe(\.value, pacing: .everyTurn) { _, change in
                plain.append(change.newValue ?? change.oldValue)
            },
        ]
        try realm.write { item.link = item }
        try realm.write { item.link = other }
        try realm.write {
            item.link = nil
            item.value = 4
        }
        realm.refresh()
        XCTAssertEqual(links.last, .some(.some(nil)))
        XCTAssertEqual(plain, [nil], "no values without options")
        for token in tokens { token.invalidate() }
    }
}

#if compiler(>=6.2)
import Foundation
import Testing

/// What has no values at a pace traps with a message.
struct PacedKeyValueTrapTests {
    @Test func aCollection() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let holder = try pacedHolder()
            _ = holder.observe(\.items, pacing: .everyTurn) { _, _ in }
        }
        try check(result, says: ["'items'", "observe the collection"])
    }

    @Test func aCallBeforeTheChange() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let holder = try pacedHolder()
            _ = holder.observe(\.numbers, options: [.prior], pacing: .everyTurn) { _, _ in }
        }
        try check(result, says: ["no call before a change"])
    }
}

private func pacedHolder() throws -> FuzzHolder {
    let realm = try Realm(
        configuration: Realm.Configuration(
            inMemoryIdentifier: "paced values", objectTypes: [FuzzItem.self, FuzzHolder.self]))
    let holder = FuzzHolder()
    try realm.write { realm.add(holder) }
    return holder
}
#endif
