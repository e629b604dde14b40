import Dispatch
import Kivo
import KivoTesting
import XCTest

/// The closures that compute section keys: what they may do, and where they run.
final class SectionKeyBlockTests: RealmTestCase {
    private func fill() throws -> Results<SectionsItem> {
        let realm = try openRealm()
        try realm.write {
            for value in 0..<6 { realm.create(SectionsItem.self, value: ["value": value]) }
        }
        return realm.objects(SectionsItem.self)
    }

    /// Refreshing does nothing while keys are made, as in a listener, and is made up for.
    func testABlockRefreshes() throws {
        let items = try fill()
        let realm = try XCTUnwrap(items.realm)
        var answers: [Bool] = []
        var isArmed = false
        let key: (SectionsItem) -> Int = { item in
            if isArmed {
                isArmed = false
                self.expectSuccess { try self.writeElsewhere { $0.objects(SectionsItem.self)[0].value = 7 } }
                answers.append(realm.refresh())
            }
            return item.value % 2
        }
        let sections = items.sectioned(by: key, sortDescriptors: ["value"])
        let table = SectionedUpdateTable<Int, SectionsItem, Int>(row: \.value)
        let token = sections.observe { table.apply($0) }
        for isObserved in [false, true] {
            if isObserved {
                realm.refresh()
                try realm.write { items[1].value = 9 }
            }
            isArmed = true
            XCTAssertEqual(sections.count, 2)
            XCTAssertFalse(isArmed)
            realm.refresh()
            XCTAssertEqual(table.problems, [])
            XCTAssertEqual(sections.map { $0.map(\.value) }, table.sections.map(\.rows))
        }
        XCTAssertEqual(answers, [false, false])
        token.invalidate()
    }

    /// Others are read and observed, also by the block of sections that are being followed.
    func testABlockReadsAndObservesOthers() throws {
        let items = try fill()
        let realm = try XCTUnwrap(items.realm)
        let others = items.sectioned(by: { $0.value / 2 }, sortDescriptors: ["value"])
        var tokens = [others.observe { _ in }]
        var sections: SectionedResults<Int, SectionsItem>?
        let key: (SectionsItem) -> Int = { item in
            if tokens.count < 12 { tokens.append(sections!.observe { _ in }) }
            return (item.value + others.count + items.where { $0.value > 2 }.count) % 2
        }
        sections = items.sectioned(by: key, sortDescriptors: ["value"])
        let table = SectionedUpdateTable<Int, SectionsItem, Int>(row: \.value)
        tokens.append(sections!.observe { table.apply($0) })
        realm.refresh()
        try realm.write { realm.create(SectionsItem.self, value: ["value": 1]) }
        XCTAssertEqual(sections!.count, 2)
        realm.refresh()
        XCTAssertEqual(table.problems, [])
        XCTAssertEqual(tokens.count, 12)
        for token in tokens { token.invalidate() }
    }

    /// A block that has to stay serves where it was written, through every form of reading and observing.
    func testABlockThatStays() throws {
        let items = try fill()
        let realm = try XCTUnwrap(items.realm)
        var calls = 0
        let key: (SectionsItem) -> Int = { item in
            calls += 1
            return item.value % 3
        }
        let sections = items.sectioned(by: key, sortDescriptors: ["value"])
        XCTAssertEqual(sections.allKeys, [0, 1, 2])
        XCTAssertEqual(sections.thaw(), sections)
        let table = BatchUpdateTable<SectionsItem, Int>(row: \.value)
        let token = sections[1].observe { table.apply($0) }
        realm.refresh()
        try realm.write { items[0].value = 10 }
        realm.refresh()
        XCTAssertEqual(table.problems, [])
        XCTAssertEqual(table.rows, [1, 4, 10])
        XCTAssertGreaterThan(calls, 6)
        token.invalidate()
    }

    /// A block that may go elsewhere runs on the queue and in frozen sections on any thread.
    func testABlockThatGoes() throws {
        let items = try fill()
        let places = Shared<Set<String>>([])
        let queue = DispatchQueue(label: "keys")
        let sections = items.sectioned(
            by: { item in
                let isHere = Thread.isMainThread
                places.update { $0.insert(isHere ? "main" : "elsewhere") }
                return item.value % 3
            }, sortDescriptors: ["value"])
        let counts = Shared<[Int]>([])
        let token = sections.observe(on: queue) { change in
            guard case .initial(let sections) = change else { return }
            let count = sections.count
            counts.update { $0.append(count) }
        }
        wait("the queue") { counts.value == [3] }
        XCTAssertEqual(places.value, ["elsewhere"])
        let frozen = Carrier(sections.freeze())
        try onAnotherThread { XCTAssertEqual(frozen.value.map(\.count), [2, 2, 2]) }
        XCTAssertEqual(places.value, ["elsewhere"])
        token.invalidate()
    }

    /// Frozen sections go anywhere, but their type does not say so.
    private struct Carrier<Value>: @unchecked Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }
}
