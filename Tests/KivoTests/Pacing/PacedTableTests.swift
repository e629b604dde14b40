import Foundation
import Kivo
import KivoTesting
import XCTest

/// Table views as users of such libraries reported them to crash, with observers at a pace and data sources that read frozen rows.
final class PacedTableTests: RealmTestCase {
    /// A table whose data source is the frozen collection of the last change.
    private final class Table {
        let table = BatchUpdateTable<Dog, String> { "\($0.name) \($0.age)" }
        var shown: Results<Dog>?

        func apply(_ change: RealmCollectionChange<Results<Dog>>) {
            switch change {
            case .initial(let dogs), .update(let dogs, _, _, _): shown = dogs
            case .error: break
            }
            table.apply(change)
        }

        /// What the data source answers when the table asks for all rows.
        var rows: [String] { shown?.map { "\($0.name) \($0.age)" } ?? [] }
    }

    private var dogs: Results<Dog>!
    private var realm: Realm!

    override func setUpWithError() throws {
        realm = try openRealm()
        try realm.write {
            for age in 0..<10 { realm.create(Dog.self, value: ["name": "dog", "age": age]) }
        }
        dogs = realm.objects(Dog.self).sorted(byKeyPath: "age")
    }

    override func tearDown() { (dogs, realm) = (nil, nil) }

    private func observe(_ pacing: Realm.Pacing, _ table: Table) -> NotificationToken {
        let token = dogs.observe(pacing: pacing) { table.apply($0) }
        realm.refresh()
        return token
    }

    private func check(_ table: Table, file: StaticString = #filePath, line: UInt = #line) {
        XCTAssertEqual(table.table.problems, [], file: file, line: line)
        XCTAssertEqual(table.table.rows, table.rows, "table and data source differ", file: file, line: line)
    }

    func testABatchUpdateWhileTheTableScrolls() throws {
        let table = Table()
        let token = observe(.everyTurn, table)
        token.pause()
        for age in 10..<200 {
            try realm.write {
                realm.create(Dog.self, value: ["name": "new", "age": age])
                realm.delete(dogs[0])
            }
            realm.refresh()
            // The table asks for a cell.
            XCTAssertEqual(table.shown?[9].age, 9)
            check(table)
        }
        token.resume()
        realm.refresh()
        check(table)
        XCTAssertEqual(table.rows.count, 10)
    }

    func testAnUpdateDuringASearch() throws {
        let (all, found) = (Table(), Table())
        let token = observe(.manual, all)
        var search = dogs.where { $0.age > 4 }.observe(pacing: .manual) { found.apply($0) }
        realm.refresh()
        try realm.write { for dog in dogs { dog.age += 3 } }
        // The search changes before anything of the old one was delivered.
        search = dogs.where { $0.age > 11 }.observe(pacing: .manual) { found.apply($0) }
        realm.refresh()
        XCTAssertEqual(found.rows, ["dog 12"])
        try realm.write { realm.delete(dogs.where { $0.age < 10 }) }
        search.deliverNow()
        token.deliverNow()
        for table in [all, found] { check(table) }
        XCTAssertEqual(all.rows.count, 3)
    }

    func testTwoListenersOfOneList() throws {
        let tables = [Table(), Table(), Table()]
        let paces: [Realm.Pacing] = [.everyTurn, .manual, .every(.seconds(100_000))]
        let tokens = zip(paces, tables).map { observe($0, $1) }
        for round in 0..<20 {
            try realm.write {
                realm.delete(dogs[round % 5])
                realm.create(Dog.self, value: ["name": "new", "age": round % 7])
            }
            realm.refresh()
            if round % 6 == 0 { tokens[1].deliverNow() }
            if round % 7 == 0 { tokens[2].deliverNow() }
            for table in tables { check(table) }
        }
        for token in tokens { token.deliverNow() }
        for table in tables {
            check(table)
            XCTAssertEqual(table.rows, tables[0].rows)
        }
    }

    func testASectionThatIsEmptiedAndRefilled() throws {
        let sections = realm.objects(Dog.self).sectioned(
            by: { $0.age / 5 }, sortDescriptors: [SortDescriptor(keyPath: "age")])
        let table = SectionedUpdateTable<Int, Dog, Int> { $0.age }
        var shown: SectionedResults<Int, Dog>?
        let token = sections.observe(pacing: .manual) { change in
            switch change {
            case .initial(let sections), .update(let sections, _, _, _, _, _): shown = sections
            }
            table.apply(change)
        }
        realm.refresh()
        for round in 0..<6 {
            try realm.write { realm.delete(realm.objects(Dog.self).where { $0.age < 5 }) }
            if round % 2 == 0 { token.deliverNow() }
            try realm.write { realm.create(Dog.self, value: ["name": "back", "age": round % 5]) }
            realm.refresh()
            XCTAssertEqual(shown?.count, table.sections.count)
            token.deliverNow()
            XCTAssertEqual(table.problems, [])
            XCTAssertEqual(shown.map { $0.map { Array($0.map(\.age)) } }, table.sections.map(\.rows))
        }
    }

    func testARowThatMovesAndChanges() throws {
        let table = Table()
        let token = observe(.manual, table)
        for round in 0..<10 {
            try realm.write {
                dogs[9].name = "moved \(round)"
                dogs[9].age = -round
                dogs[4].name = "stayed"
            }
            if round % 3 == 0 { token.deliverNow() }
            check(table)
        }
        token.deliverNow()
        check(table)
        XCTAssertEqual(table.rows.first, "moved 9 -9")
    }

    func testADeletionWithinAHandler() throws {
        let table = Table()
        var isDeleting = false
        let token = dogs.observe(pacing: .manual) { [realm, dogs] change in
            table.apply(change)
            guard isDeleting else { return }
            isDeleting = false
            self.expectSuccess { try realm!.write { realm!.delete(dogs![0]) } }
            // What was told is still there.
            XCTAssertEqual(table.shown?.count, 11)
        }
        realm.refresh()
        try realm.write { realm.create(Dog.self, value: ["name": "new", "age": 5]) }
        isDeleting = true
        token.deliverNow()
        check(table)
        XCTAssertEqual(dogs.count, 10)
        token.deliverNow()
        check(table)
        XCTAssertEqual(table.rows.count, 10)
    }

    func testASilentWriteBesideAPacedListener() throws {
        let (table, other) = (Table(), Table())
        let tokens = [observe(.every(.seconds(100_000)), table), observe(.manual, other)]
        for round in 0..<5 {
            try realm.write { realm.create(Dog.self, value: ["name": "new", "age": round]) }
            realm.refresh()
            // The user deletes the row that the table shows first, and its table removes it by itself.
            try realm.write(withoutNotifying: [tokens[0]]) {
                check(table)
                realm.delete(table.shown![0].thaw()!)
            }
            table.table.removeRow(at: 0)
            table.shown = dogs.freeze()
            check(table)
            check(other)
        }
        try realm.write { dogs[3].name = "last" }
        for token in tokens { token.deliverNow() }
        check(table)
        check(other)
        XCTAssertEqual(table.rows, other.rows)
    }

    func testFrozenRowsOnAnotherThread() throws {
        let table = Table()
        let token = observe(.manual, table)
        for round in 0..<20 {
            try realm.write {
                dogs[0].age = 100 + round
                realm.create(Dog.self, value: ["name": "new", "age": round])
            }
            token.deliverNow()
            let expected = table.rows
            let rows = FrozenRows(dogs: table.shown!)
            let done = [Done(), Done()]
            for done in done {
                Thread {
                    let positions = rows.dogs.indices.map { "\(rows.dogs[$0].name) \(rows.dogs[$0].age)" }
                    XCTAssertEqual(positions, expected)
                    XCTAssertEqual(rows.dogs.map { "\($0.name) \($0.age)" }, expected)
                    done.set()
                }.start()
            }
            // The table goes on meanwhile, so that the order of its rows is changed where it was shared.
            try realm.write { realm.delete(dogs[5]) }
            token.deliverNow()
            wait { done.allSatisfy(\.isSet) }
            check(table)
        }
    }
}

/// Frozen results, which can be read everywhere.
private struct FrozenRows: @unchecked Sendable {
    let dogs: Results<Dog>
}
