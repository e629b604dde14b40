import Foundation
import Kivo
import KivoTesting
import XCTest

/// The situations in which table views of live collections crashed in public reports, most often reported first.
final class TableReportsTests: RealmTestCase {
    private func filled(_ count: Int = 6) throws -> (Realm, Results<Dog>) {
        let realm = try openRealm()
        try realm.write {
            realm.deleteAll()
            for age in 0..<count { realm.create(Dog.self, value: ["name": "dog \(age)", "age": age]) }
        }
        return (realm, realm.objects(Dog.self).sorted(by: \.age))
    }

    private func text(_ dog: Dog) -> String { "\(dog.name), \(dog.age)" }

    private func table(_ kind: TableViewKind = .uiTableView) -> BatchUpdateTable<Dog, String> {
        BatchUpdateTable(as: kind) { [self] in text($0) }
    }

    /// While the view scrolls, it asks for rows that it has not been told to change: of the collection that its last change had.
    func testScrollingDuringUpdates() throws {
        let (realm, dogs) = try filled(20)
        let table = table()
        var shown: Results<Dog>?
        let token = dogs.observe(pacing: .manual) { change in
            table.apply(change)
            switch change {
            case .initial(let dogs), .update(let dogs, _, _, _): shown = dogs
            case .error: break
            }
        }
        token.deliverNow()
        for step in 0..<20 {
            try writeElsewhere { realm in
                let dogs = realm.objects(Dog.self)
                realm.delete(dogs[step % dogs.count])
                dogs[0].age += 7
                realm.create(Dog.self, value: ["name": "new \(step)", "age": step])
                if step % 3 == 0 { realm.delete(dogs[1]) }
            }
            realm.refresh()
            XCTAssertEqual(shown.map { $0.map(text) }.map(Array.init), table.rows, "rows are drawn meanwhile")
            if step % 4 == 3 { token.deliverNow() }
        }
        token.deliverNow()
        XCTAssertEqual(table.rows, Array(dogs.map(text)))
        XCTAssertEqual(table.problems, [])
    }

    /// Each letter that is typed begins another query, and the changes of the one before are not told any more.
    func testASearchDuringUpdates() throws {
        let (realm, dogs) = try filled(12)
        var (token, table): (NotificationToken?, BatchUpdateTable<Dog, String>?)
        func search(_ least: Int) {
            token?.invalidate()
            let next = self.table()
            table = next
            token = dogs.where { $0.age >= least }.observe { (change: RealmCollectionChange<Results<Dog>>) in
                XCTAssertTrue(table === next, "a search that is over was told something")
                next.apply(change)
            }
        }
        for step in 0..<12 {
            search(step % 5)
            if step % 2 == 0 { realm.refresh() }
            try writeElsewhere { realm in
                realm.objects(Dog.self)[step % 12].age = 11 - step
                realm.create(Dog.self, value: ["age": step])
            }
            if step % 3 == 0 { search(step % 4) }
            realm.refresh()
            XCTAssertEqual(
                table?.rows, Array(dogs.where { $0.age >= (step % 3 == 0 ? step % 4 : step % 5) }.map(text)))
            XCTAssertEqual(table?.problems, [])
        }
        token?.invalidate()
    }

    /// Two views of one list, of which one writes when it is told of a change.
    func testTwoListenersOfOneList() throws {
        let realm = try openRealm()
        let person = try realm.write {
            realm.create(Person.self, value: ["dogs": (0..<5).map { ["name": "dog \($0)", "age": $0] }])
        }
        let tables = [table(), table(.nsTableView)]
        var writes = 0
        let tokens = tables.map { table in
            person.dogs.observe { (change: RealmCollectionChange<List<Dog>>) in
                table.apply(change)
                guard table === tables[0], case .update = change, writes < 3 else { return }
                writes += 1
                do {
                    try realm.write {
                        person.dogs.append(Dog(value: ["name": "written", "age": 50 + writes]))
                        person.dogs.move(from: 0, to: 2)
                    }
                } catch { XCTFail("\(error)") }
            }
        }
        realm.refresh()
        try realm.write { person.dogs.remove(at: 1) }
        realm.refresh()
        try writeElsewhere { $0.objects(Person.self)[0].dogs.removeFirst() }
        for _ in 0..<4 { realm.refresh() }
        XCTAssertEqual(writes, 3)
        for table in tables {
            XCTAssertEqual(table.problems, [])
            XCTAssertEqual(table.rows, Array(person.dogs.map(text)))
        }
        for token in tokens { token.invalidate() }
    }

    /// Between two calls a section lost all its rows and got others.
    func testASectionThatIsEmptiedAndFilledAgain() throws {
        let (realm, dogs) = try filled()
        try realm.write { for dog in dogs { dog.name = dog.age < 3 ? "a" : "b" } }
        let sections = dogs.sectioned(by: \.name, sortDescriptors: ["name", "age"])
        let table = SectionedUpdateTable<String, Dog, Int> { $0.age }
        let token = sections.observe { table.apply($0) }
        realm.refresh()
        try realm.write { for dog in Array(dogs.where { $0.name == "a" }) { realm.delete(dog) } }
        try realm.write { for age in 10..<12 { realm.create(Dog.self, value: ["name": "a", "age": age]) } }
        realm.refresh()
        XCTAssertEqual(table.sections.map(\.key), ["a", "b"])
        XCTAssertEqual(table.sections.map(\.rows), [[10, 11], [3, 4, 5]])
        try writeElsewhere { realm in
            for dog in realm.objects(Dog.self) { dog.name = dog.name == "a" ? "b" : "a" }
        }
        realm.refresh()
        XCTAssertEqual(table.sections.map(\.rows), [[3, 4, 5], [10, 11]])
        try realm.write { realm.deleteAll() }
        realm.refresh()
        XCTAssertEqual(table.sections.count, 0)
        XCTAssertEqual(table.problems, [])
        token.invalidate()
    }

    /// A row that moves and changes is a deletion and an insertion, and is not reloaded as well.
    func testARowThatMovesAndChanges() throws {
        let (realm, dogs) = try filled()
        for kind in [TableViewKind.uiTableView, .nsTableView] {
            let table = table(kind)
            let token = dogs.observe { table.apply($0) }
            realm.refresh()
            for age in [20, 0, 3, 3, -5] {
                try realm.write {
                    (dogs[2].age, dogs[0].name, dogs[3].name) = (age, "first", "renamed \(age)")
                }
                realm.refresh()
                XCTAssertEqual(table.rows, Array(dogs.map(text)))
            }
            XCTAssertEqual(table.problems, [])
            token.invalidate()
        }
    }

    /// The view deletes a row of which it was just told.
    func testADeletionInsideOfAHandler() throws {
        let (realm, dogs) = try filled()
        let table = table()
        var deletions = 0
        let token = dogs.observe { change in
            table.apply(change)
            guard case .update(let dogs, _, _, _) = change, deletions < 4, dogs.count > 1 else { return }
            deletions += 1
            do { try realm.write { realm.delete(dogs[deletions % 2]) } } catch { XCTFail("\(error)") }
        }
        realm.refresh()
        try realm.write { dogs[1].name = "changed" }
        for _ in 0..<6 { realm.refresh() }
        XCTAssertEqual(deletions, 4)
        XCTAssertEqual(table.rows, Array(dogs.map(text)))
        XCTAssertEqual(table.problems, [])
        token.invalidate()
    }

    /// The view that deletes a row shows it at once, and is not told; another one is told later.
    func testASilentWriteBesideAPacedListener() throws {
        let (realm, dogs) = try filled(9)
        let (own, paced) = (table(), table(.nsTableView))
        let token = dogs.observe { own.apply($0) }
        let pacedToken = dogs.observe(pacing: .manual) { paced.apply($0) }
        realm.refresh()
        pacedToken.deliverNow()
        for step in 0..<6 {
            try writeElsewhere { realm in realm.objects(Dog.self)[0].age += 20 }
            try realm.write(withoutNotifying: [token]) { realm.delete(dogs[step % dogs.count]) }
            own.apply(.initial(dogs))
            realm.refresh()
            XCTAssertEqual(own.rows, Array(dogs.map(text)))
            if step % 3 == 2 {
                pacedToken.deliverNow()
                XCTAssertEqual(paced.rows, Array(dogs.map(text)))
            }
        }
        XCTAssertEqual(own.problems + paced.problems, [])
        for token in [token, pacedToken] { token.invalidate() }
    }

    /// Rows are prepared on another thread while their objects are deleted.
    func testFrozenRowsOnAnotherThread() throws {
        let (realm, dogs) = try filled(50)
        let table = table()
        let prepared = Shared<[[String]]>([])
        var expected: [[String]] = []
        let group = DispatchGroup()
        let token = dogs.observe { change in
            table.apply(change)
            switch change {
            case .initial(let dogs), .update(let dogs, _, _, _):
                expected.append(table.rows)
                // Frozen results may be used on any thread, but are not `Sendable`.
                nonisolated(unsafe) let frozen = dogs.freeze()
                DispatchQueue(label: "rows").async(group: group) {
                    let rows = Array(frozen.map { "\($0.name), \($0.age)" })
                    prepared.update { $0.append(rows) }
                }
            case .error: break
            }
        }
        realm.refresh()
        for _ in 0..<10 {
            try realm.write { for _ in 0..<3 { realm.delete(dogs[dogs.count / 2]) } }
            realm.refresh()
        }
        group.wait()
        XCTAssertEqual(Set(prepared.value), Set(expected))
        XCTAssertEqual(prepared.value.count, 11)
        XCTAssertEqual(table.problems, [])
        token.invalidate()
    }
}
