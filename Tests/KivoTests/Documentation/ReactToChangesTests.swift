import Foundation
import Kivo
import KivoTesting
import XCTest

/// Each Swift example of realm-swift's page "React to Changes", and the notifications that its listeners receive.
final class ReactToChangesTests: RealmTestCase {
    private var lines: [String] = []

    /// Records the lines that the page's object listeners print.
    private func show<T>(_ change: ObjectChange<T>) {
        switch change {
        case .change(_, let properties):
            for property in properties {
                lines.append("Property '\(property.name)' changed to '\(property.newValue ?? "nil")'")
            }
        case .error(let error): lines.append("An error occurred: \(error)")
        case .deleted: lines.append("The object was deleted.")
        }
    }

    private func addDog(_ realm: Realm) throws -> PageDog {
        let dog = PageDog()
        dog.name = "Max"
        dog.favoriteToy = "Ball"
        dog.age = 2
        try realm.write { realm.add(dog) }
        return dog
    }

    // MARK: Listeners of realms

    func testRealmListener() throws {
        let realm = try openRealm()
        var updates = 0
        let token = realm.observe { notification, changed in
            XCTAssertEqual(notification, .didChange)
            XCTAssertEqual(changed, realm)
            updates += 1
        }
        try realm.write { realm.add(PageDog()) }
        XCTAssertEqual(updates, 1)
        try realm.write {}
        XCTAssertEqual(updates, 2, "a write that changes nothing is told too")
        try writeElsewhere { $0.add(PageDog()) }
        wait("the foreign commit") { updates == 3 }
        token.invalidate()
        try realm.write { realm.add(PageDog()) }
        serveRunLoop()
        XCTAssertEqual(updates, 3)
    }

    func testSilentWrite() throws {
        let realm = try openRealm()
        var updates = 0
        var othersUpdates = 0
        let token = realm.observe { _, _ in updates += 1 }
        let other = realm.observe { _, _ in othersUpdates += 1 }
        try realm.write(withoutNotifying: [token]) { realm.add(PageDog()) }
        serveRunLoop()
        XCTAssertEqual([updates, othersUpdates], [0, 1])
        try realm.write { realm.add(PageDog()) }
        XCTAssertEqual([updates, othersUpdates], [1, 2])
        token.invalidate()
        other.invalidate()
    }

    func testStopWatching() throws {
        let realm = try openRealm()
        var updates = 0
        let token = realm.observe { _, _ in updates += 1 }
        XCTAssertTrue(token.invalidate())
        XCTAssertFalse(token.invalidate())
        try realm.write { realm.add(PageDog()) }
        // A token that goes out of scope ends as well.
        do { _ = realm.observe { _, _ in updates += 1 } }
        try realm.write { realm.add(PageDog()) }
        XCTAssertEqual(updates, 0)
    }

    // MARK: Listeners of collections

    func testCollectionListener() throws {
        let realm = try openRealm()
        let results = realm.objects(PageDog.self)
        let table = BatchUpdateTable<PageDog, String> { $0.name }
        let notificationToken = results.observe { [weak table] (changes: RealmCollectionChange) in
            table?.apply(changes)
        }
        wait("the first call") { table.changeCount == 1 }
        try realm.write {
            for name in ["Rex", "Fido", "Max"] { realm.add(PageDog(value: ["name": name])) }
        }
        wait("the insertions") { table.changeCount == 2 }
        XCTAssertEqual(table.rows, ["Rex", "Fido", "Max"])
        try realm.write {
            realm.delete(results[0])
            results[0].name = "Fidel"
            realm.add(PageDog(value: ["name": "Ace"]))
        }
        wait("all kinds of change") { table.changeCount == 3 }
        XCTAssertEqual(table.rows, ["Fidel", "Max", "Ace"])
        XCTAssertEqual(table.problems, [])
        notificationToken.invalidate()
    }

    func testCollectionChange() throws {
        let realm = try openRealm()
        let results = realm.objects(PageDemoObject.self).sorted(byKeyPath: "date")
        func demo(_ date: Double) -> PageDemoObject {
            PageDemoObject(value: ["date": Date(timeIntervalSinceReferenceDate: date)])
        }
        let token = results.observe { changes in
            switch changes {
            case .initial(let objects): self.lines.append("initial \(objects.count)")
            case .update(_, let deletions, let insertions, let modifications):
                for indices in [deletions, insertions, modifications] {
                    XCTAssertEqual(indices, indices.sorted())
                }
                self.lines.append("-\(deletions) +\(insertions) ~\(modifications)")
            case .error(let error): XCTFail("\(error)")
            }
        }
        try realm.write { for date in [10.0, 20, 30, 40] { realm.add(demo(date)) } }
        realm.refresh()
        try realm.write {
            realm.delete([results[0], results[2]])
            realm.add([demo(35), demo(15)])
            results[1].title = "twenty"
        }
        realm.refresh()
        token.invalidate()
        XCTAssertEqual(lines, ["initial 0", "-[] +[0, 1, 2, 3] ~[]", "-[0, 2] +[0, 2] ~[1]"])
    }

    // MARK: Listeners of objects

    func testObjectListener() throws {
        let realm = try openRealm()
        let dog = try addDog(realm)
        let token = dog.observe { (change: ObjectChange<PageDog>) in self.show(change) }
        try realm.write { dog.name = "Wolfie" }
        XCTAssertEqual(lines, [], "no listener of an object is called within a commit")
        wait("the change") { !self.lines.isEmpty }
        XCTAssertEqual(lines, ["Property 'name' changed to 'Wolfie'"])
        try realm.write { realm.delete(dog) }
        wait("the deletion") { self.lines.count == 2 }
        XCTAssertEqual(lines[1], "The object was deleted.")
        token.invalidate()
    }

    func testKeyPathListener() throws {
        let realm = try openRealm()
        let dog = try addDog(realm)
        let token = dog.observe(keyPaths: ["favoriteToy", "age"]) { (change: ObjectChange<PageDog>) in
            self.show(change)
        }
        try realm.write { dog.favoriteToy = "Frisbee" }
        realm.refresh()
        XCTAssertEqual(lines, ["Property 'favoriteToy' changed to 'Frisbee'"])
        try realm.write { dog.name = "Maxamillion" }
        realm.refresh()
        serveRunLoop()
        XCTAssertEqual(lines.count, 1)
        token.invalidate()
    }

    func testPartialKeyPaths() throws {
        let realm = try openRealm()
        let dog = try addDog(realm)
        let token = dog.observe(keyPaths: [\PageDog.favoriteToy, \PageDog.age]) { self.show($0) }
        try realm.write { dog.name = "Maxamillion" }
        realm.refresh()
        try realm.write { dog.age = 3 }
        realm.refresh()
        XCTAssertEqual(lines, ["Property 'age' changed to '3'"])
        token.invalidate()
    }

    func testSiblings() throws {
        let realm = try openRealm()
        let dog = try addDog(realm)
        let sibling = PageDog(value: ["name": "Fido"])
        var calls: [String] = []
        let tokens = [
            dog.observe(keyPaths: ["siblings"]) { (_: ObjectChange<PageDog>) in calls.append("siblings") },
            dog.observe(keyPaths: ["siblings.name"]) { (_: ObjectChange<PageDog>) in calls.append("names") },
        ]
        func written(_ body: () -> Void) throws -> [String] {
            calls = []
            try realm.write(body)
            realm.refresh()
            return calls
        }
        XCTAssertEqual(try written { dog.siblings.append(sibling) }, ["siblings", "names"])
        XCTAssertEqual(try written { sibling.name = "Fidel" }, ["names"])
        XCTAssertEqual(try written { sibling.age = 4 }, [])
        XCTAssertEqual(try written { dog.siblings[0] = PageDog() }, ["siblings", "names"])
        XCTAssertEqual(try written { dog.siblings.removeAll() }, ["siblings", "names"])
        tokens.forEach { $0.invalidate() }
    }

    func testWriteAsync() throws {
        let realm = try openRealm()
        let dog = try addDog(realm)
        var calls = 0
        let token = dog.observe(keyPaths: [\PageDog.age]) { change in
            guard case let .change(dog, _) = change else { return }
            calls += 1
            dog.realm!.writeAsync {
                dog.isPuppy = dog.age! < 2
            }
        }
        try realm.write { dog.age = 1 }
        wait("the write of the listener") { dog.isPuppy }
        XCTAssertEqual(calls, 1)
        try realm.write { dog.age = 5 }
        // The listener is called when the next write begins, and queues its own behind that.
        try realm.write {
            XCTAssertEqual(calls, 2)
            XCTAssertTrue(dog.isPuppy)
            dog.name = "Wolfie"
        }
        XCTAssertTrue(dog.isPuppy)
        wait("the write that was queued") { !dog.isPuppy }
        XCTAssertEqual(calls, 2, "what the listener wrote is not what it listens to")
        token.invalidate()
    }

    // MARK: Actors

    @MainActor
    func testActor() async throws {
        let backgroundActor = PageBackgroundActor(configuration)
        let realm = try await Realm(configuration: configuration)
        try await realm.asyncWrite {
            _ = realm.create(
                PageTodo.self,
                value: [
                    "_id": ObjectId.generate(), "name": "Arrive safely in Bree", "owner": "Merry",
                    "status": "In Progress",
                ])
        }
        let todoCollection = realm.objects(PageTodo.self)
        let token = await todoCollection.observe(on: backgroundActor) { actor, changes in
            switch changes {
            case .initial(let todos): actor.note("initial \(todos[0].name)")
            case .update(_, let deletions, let insertions, let modifications):
                if !deletions.isEmpty {
                    actor.note("deleted \(deletions)")
                } else if !insertions.isEmpty {
                    actor.note("inserted \(insertions)")
                } else if !modifications.isEmpty {
                    actor.note("modified \(modifications)")
                }
            case .error(let error): actor.note(error.localizedDescription)
            }
        }
        await eventually { await backgroundActor.told == ["initial Arrive safely in Bree"] }
        let todo = todoCollection.where { $0.name == "Arrive safely in Bree" }.first!
        let threadSafeReferenceToTodo = ThreadSafeReference(to: todo)
        try await backgroundActor.deleteTodo(tsrToTodo: threadSafeReferenceToTodo)
        await eventually { await backgroundActor.told.count == 2 }
        let told = await backgroundActor.told
        XCTAssertEqual(told, ["initial Arrive safely in Bree", "deleted [0]"])
        token.invalidate()
    }

    @MainActor
    private func eventually(_ condition: () async -> Bool) async {
        for _ in 0..<24_000 {
            if await condition() { return }
            try? await Task.sleep(nanoseconds: 5_000_000)
        }
    }

    // MARK: Projections

    func testProjection() throws {
        let realm = try openRealm()
        try realm.write {
            realm.add(PagePerson(value: ["firstName": "Jason", "lastName": "Bourne"]))
        }
        let projectedPerson = realm.objects(PagePersonProjection.self).first(where: {
            $0.firstName == "Jason"
        })!
        let person = projectedPerson.rootObject
        let token = projectedPerson.observe(keyPaths: ["firstName"]) { self.show($0) }
        try realm.write { projectedPerson.firstName = "David" }
        realm.refresh()
        XCTAssertEqual(lines, ["Property 'firstName' changed to 'David'"])
        try realm.write {
            person.lastName = "Webb"
            person.friends.append(PagePerson())
        }
        realm.refresh()
        XCTAssertEqual(lines.count, 1, "what is not projected is not told")
        try realm.write { person.firstName = "Jason" }
        realm.refresh()
        // The change has the name that this projection gives it, even if another projection made it.
        try realm.write { PagePersonOtherProjection(projecting: person).givenName = "Pam" }
        realm.refresh()
        try realm.write { realm.delete(person) }
        realm.refresh()
        XCTAssertEqual(
            lines.dropFirst(),
            [
                "Property 'firstName' changed to 'Jason'", "Property 'firstName' changed to 'Pam'",
                "The object was deleted.",
            ])
        token.invalidate()
    }
}
