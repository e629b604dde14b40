import Kivo
import KivoTesting
import XCTest

/// Observers that are called while a write begins may use that write. The other observers receive nothing while it contains
/// changes, and after its end exactly what differs from what they saw.
final class OpenWriteDeliveryTests: RealmTestCase {
    /// How the write that a handler changed ends.
    private enum End: CaseIterable { case commit, cancel }

    private func end(_ realm: Realm, _ end: End) throws {
        switch end {
        case .commit: try realm.commitWrite()
        case .cancel: realm.cancelWrite()
        }
    }

    /// Observes all dogs by a handler that calls `body` once, in the first open write in which it is called.
    private func react(in realm: Realm, _ body: @escaping () throws -> Void) -> NotificationToken {
        var isDone = false
        return realm.objects(Dog.self).observe { _ in
            guard realm.isInWriteTransaction, !isDone else { return }
            isDone = true
            self.expectSuccess(body)
        }
    }

    func testAHandlerWritesIntoTheWriteThatBegins() throws {
        for ending in End.allCases {
            let realm = try openRealm()
            try realm.write {
                realm.deleteAll()
                for age in 0..<4 { realm.add(Dog(value: ["age": age])) }
                realm.add(Person(value: ["dogs": Array(realm.objects(Dog.self))] as [String: Any]))
            }
            let dogs = realm.objects(Dog.self)
            let list = realm.objects(Person.self)[0].dogs
            let writer = react(in: realm) {
                realm.delete(dogs[0])
                realm.add(Dog(value: ["age": 70]))
                list.insert(Dog(value: ["age": 71]), at: 1)
                dogs[1].age = 72
            }
            let (all, some) = (BatchUpdateTable<Dog, Int>(row: \.age), BatchUpdateTable<Dog, Int>(row: \.age))
            let (sorted, listed) = (
                BatchUpdateTable<Dog, Int>(row: \.age), BatchUpdateTable<Dog, Int>(row: \.age)
            )
            let late = BatchUpdateTable<Dog, Int>(row: \.age)
            let sections = SectionedUpdateTable<String, Dog, Int>(row: \.age)
            var changes: [[String]] = []
            var tokens = [
                dogs.observe { all.apply($0) },
                dogs.where { $0.age > 1 }.observe { some.apply($0) },
                dogs.sorted(byKeyPath: "age", ascending: false).observe { sorted.apply($0) },
                list.observe { listed.apply($0) },
                dogs.sectioned(by: { $0.age % 2 == 0 ? "even" : "odd" }, sortDescriptors: ["age"])
                    .observe { sections.apply($0) },
                dogs[2].observe { (change: ObjectChange<Dog>) in
                    guard case .change(_, let properties) = change else { return }
                    changes.append(properties.map(\.name))
                },
            ]
            realm.refresh()
            try writeElsewhere {
                for dog in $0.objects(Dog.self) { dog.age += 10 }
                $0.delete($0.objects(Dog.self)[3])
            }
            tokens.append(dogs.where { $0.age > 1 }.observe { late.apply($0) })
            realm.beginWrite()
            XCTAssertEqual([all, some, sorted, listed, late].map(\.changeCount), [1, 1, 1, 1, 0])
            XCTAssertEqual(sections.changeCount, 1, "they wait for the end of the write")
            XCTAssertEqual(dogs.count, 4)
            try end(realm, ending)
            realm.refresh()
            for table in [all, some, sorted, listed, late] {
                XCTAssertEqual(table.problems, [], "\(ending)")
                XCTAssertEqual(table.changeCount, table === late ? 1 : 2)
            }
            XCTAssertEqual(sections.problems, [])
            let ages = ending == .commit ? [11, 72, 70, 71] : [10, 11, 12]
            XCTAssertEqual(all.rows, ages)
            XCTAssertEqual(some.rows, ages)
            XCTAssertEqual(late.rows, ages)
            XCTAssertEqual(sorted.rows, ages.sorted(by: >))
            XCTAssertEqual(listed.rows, ending == .commit ? [11, 71, 72] : [10, 11, 12])
            XCTAssertEqual(Set(sections.sections.flatMap(\.rows)), Set(ages))
            XCTAssertEqual(changes, [["age"]], "told once, of both")
            (tokens + [writer]).forEach { $0.invalidate() }
        }
    }

    /// A handler begins a write by itself, in a refresh, and leaves it open.
    func testAHandlerLeavesAWriteOpen() throws {
        for ending in End.allCases {
            let realm = try openRealm()
            try realm.write { realm.deleteAll() }
            let dogs = realm.objects(Dog.self)
            var isDone = false
            let writer = dogs.observe { change in
                guard case .update = change, !isDone else { return }
                isDone = true
                realm.beginWrite()
                realm.deleteAll()
                realm.add(Person())
            }
            let table = BatchUpdateTable<Dog, Int>(row: \.age)
            let sections = SectionedUpdateTable<Int, Dog, Int>(row: \.age)
            let initial = BatchUpdateTable<Dog, Int>(row: \.age)
            let tokens = [
                dogs.sorted(byKeyPath: "age").observe { table.apply($0) },
                dogs.sectioned(by: { $0.age }, sortDescriptors: ["age"]).observe { sections.apply($0) },
            ]
            realm.refresh()
            try writeElsewhere { for age in 0..<3 { $0.add(Dog(value: ["age": age])) } }
            let late = dogs.observe { initial.apply($0) }
            realm.refresh()
            XCTAssert(realm.isInWriteTransaction)
            // Beginning told all that was due before anything was changed.
            XCTAssertEqual([table.changeCount, sections.changeCount, initial.changeCount], [2, 2, 1])
            try end(realm, ending)
            realm.refresh()
            for table in [table, initial] {
                XCTAssertEqual(table.problems, [])
                XCTAssertEqual(table.rows, ending == .commit ? [] : [0, 1, 2])
            }
            XCTAssertEqual(sections.problems, [])
            (tokens + [writer, late]).forEach { $0.invalidate() }
        }
    }

    /// A key-value observer is notified of the new version first, and may use the write too.
    func testAKeyValueObserverWritesIntoTheWriteThatBegins() throws {
        for ending in End.allCases {
            let realm = try openRealm()
            let dog = Dog()
            try realm.write {
                realm.deleteAll()
                realm.add(dog)
            }
            var isDone = false
            let observation = dog.observe(\.age) { dog, _ in
                guard realm.isInWriteTransaction, !isDone else { return }
                isDone = true
                dog.name = "written"
                realm.add(Dog(value: ["age": 9]))
            }
            let table = BatchUpdateTable<Dog, String> { "\($0.age)\($0.name)" }
            let token = realm.objects(Dog.self).observe { table.apply($0) }
            realm.refresh()
            try writeElsewhere { $0.objects(Dog.self)[0].age = 5 }
            realm.beginWrite()
            XCTAssertEqual(table.changeCount, 1)
            try end(realm, ending)
            realm.refresh()
            XCTAssertEqual(table.problems, [])
            XCTAssertEqual(table.rows, ending == .commit ? ["5written", "9"] : ["5"])
            token.invalidate()
            observation.invalidate()
        }
    }

    /// Whatever a handler does with the write that begins, one is open when it has begun.
    func testAHandlerEndsTheWriteThatBegins() throws {
        let realm = try openRealm()
        let ends: [(String, () throws -> Void)] = [
            ("commit", { try realm.commitWrite() }), ("cancel", { realm.cancelWrite() }),
            ("invalidate", { realm.invalidate() }),
            (
                "commit and begin",
                {
                    try realm.commitWrite()
                    realm.beginWrite()
                }
            ),
            (
                "leave to another",
                {
                    try realm.commitWrite()
                    try self.writeElsewhere { $0.add(Person()) }
                }
            ),
        ]
        for (name, end) in ends {
            try realm.write { realm.deleteAll() }
            let table = BatchUpdateTable<Dog, Int>(row: \.age)
            let writer = react(in: realm) {
                realm.add(Dog(value: ["age": 1]))
                try end()
            }
            let token = realm.objects(Dog.self).observe { table.apply($0) }
            let hasCommitted = name != "cancel" && name != "invalidate"
            try realm.write {
                XCTAssert(realm.isInWriteTransaction, name)
                XCTAssertEqual(realm.objects(Dog.self).count, hasCommitted ? 1 : 0, name)
                realm.add(Dog(value: ["age": 2]))
            }
            XCTAssertFalse(realm.isInWriteTransaction, name)
            realm.refresh()
            XCTAssertEqual(table.problems, [], name)
            if name != "invalidate" { XCTAssertEqual(table.rows, hasCommitted ? [1, 2] : [2], name) }
            XCTAssertEqual(realm.objects(Dog.self).map(\.age), hasCommitted ? [1, 2] : [2], name)
            // The place is free again.
            try writeElsewhere { $0.deleteAll() }
            realm.refresh()
            for token in [writer, token] { token.invalidate() }
        }
    }

    /// A write that is queued runs its block in a write, with what a handler put into it.
    func testAHandlerWritesIntoAQueuedWriteThatBegins() throws {
        let realm = try openRealm()
        try realm.write { realm.add(Dog()) }
        let table = BatchUpdateTable<Dog, Int>(row: \.age)
        let writer = react(in: realm) { realm.add(Dog(value: ["age": 1])) }
        let token = realm.objects(Dog.self).observe { table.apply($0) }
        var isDone = false
        realm.refresh()
        // Both in one turn: the second one begins with what the first one did.
        realm.writeAsync { realm.add(Dog(value: ["age": 3])) }
        realm.writeAsync {
            XCTAssertEqual(realm.objects(Dog.self).count, 3)
            realm.add(Dog(value: ["age": 2]))
        } onComplete: {
            XCTAssertNil($0)
            isDone = true
        }
        wait("the write") { isDone && !realm.isPerformingAsynchronousWriteOperations }
        realm.refresh()
        XCTAssertEqual(table.problems, [])
        XCTAssertEqual(table.rows, [0, 3, 1, 2])
        writer.invalidate()
        token.invalidate()
    }

    /// A consumer that waits for a stream, or for a change of what was read, is not notified in a write that contains changes.
    @MainActor func testAStreamIsToldAfterTheWrite() async throws {
        let realm = try openRealm()
        try realm.write { realm.add(Dog()) }
        let dogs = realm.objects(Dog.self)
        let table = BatchUpdateTable<Dog, Int>(row: \.age)
        let writer = react(in: realm) { realm.delete(dogs[0]) }
        let consumer = Task { @MainActor in
            for await change in dogs.sorted(byKeyPath: "age").changes {
                table.apply(change)
                if table.changeCount == 2 { break }
            }
        }
        while table.changeCount == 0 { await Task.yield() }
        try writeElsewhere { $0.add(Dog(value: ["age": 4])) }
        realm.beginWrite()
        for _ in 0..<5 { await Task.yield() }
        XCTAssertEqual(table.changeCount, 1)
        try realm.commitWrite()
        await consumer.value
        XCTAssertEqual(table.problems, [])
        XCTAssertEqual(table.rows, [4])
        writer.invalidate()
    }
}
