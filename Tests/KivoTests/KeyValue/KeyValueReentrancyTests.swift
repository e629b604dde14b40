import Foundation
import Kivo
import KivoTesting
import XCTest

/// Key-value observers that use the realm while it moves.
///
/// Every test runs on a thread of its own, so that a deadlock fails it instead of holding up the run.
final class KeyValueReentrancyTests: RealmTestCase {
    /// Runs `work` on a new thread with a realm; fails the test if it is not done within ten seconds.
    private func within10Seconds(
        file: StaticString = #filePath, line: UInt = #line,
        _ work: @escaping @Sendable (Realm, Dog) throws -> Void
    ) {
        let (configuration, done) = (configuration, DispatchSemaphore(value: 0))
        let thread = Thread {
            do {
                let (realm, dog) = (try Realm(configuration: configuration), Dog(value: ["name": "Rex"]))
                try realm.write { realm.add(dog) }
                try work(realm, dog)
            } catch {
                XCTFail("\(error)", file: file, line: line)
            }
            done.signal()
        }
        thread.start()
        XCTAssertEqual(done.wait(timeout: .now() + 120), .success, "it hangs", file: file, line: line)
    }

    /// Writes on another thread: the first dog's age, and two more dogs.
    private static func changeElsewhere(_ realm: Realm) throws {
        let configuration = realm.configuration
        try onAnotherThread {
            let realm = try Realm(configuration: configuration)
            try realm.write {
                realm.objects(Dog.self)[0].age = 7
                for name in ["a", "b"] { realm.create(Dog.self, value: ["name": name]) }
            }
        }
    }

    // MARK: Before the change

    func testRefreshingBeforeTheChangeDoesNothing() {
        within10Seconds { realm, dog in
            let table = BatchUpdateTable<Dog, String> { "\($0.name) \($0.age)" }
            let dogs = realm.objects(Dog.self)
            let tableToken = dogs.observe { table.apply($0) }
            realm.refresh()
            var answers: [Bool] = []
            let token = dog.observe(\.age, options: [.prior, .old, .new]) { dog, change in
                if change.isPrior {
                    answers.append(realm.refresh())
                    XCTAssertEqual(dog.age, 0)
                    XCTAssertEqual(dogs.count, 1)
                }
            }
            try Self.changeElsewhere(realm)
            XCTAssertTrue(realm.refresh())
            XCTAssertEqual(answers, [false])
            XCTAssertEqual(dog.age, 7)
            XCTAssertEqual(table.problems, [])
            XCTAssertEqual(table.rows, dogs.map { "\($0.name) \($0.age)" })
            XCTAssertEqual(table.changeCount, 2)
            token.invalidate()
            tableToken.invalidate()
        }
    }

    func testRefreshingBeforeTheChangeThatAWriteBeginsWith() {
        within10Seconds { realm, dog in
            var answers: [Bool] = []
            let token = dog.observe(\.age, options: [.prior]) { _, change in
                if change.isPrior { answers.append(realm.refresh()) }
            }
            try Self.changeElsewhere(realm)
            try realm.write { XCTAssertEqual(dog.age, 7) }
            XCTAssertEqual(answers, [false])
            token.invalidate()
        }
    }

    // MARK: After the change

    func testAHandlerThatWritesDuringARefresh() {
        within10Seconds { realm, dog in
            let all = BatchUpdateTable<Dog, String> { "\($0.name) \($0.age)" }
            let young = BatchUpdateTable<Dog, String> { "\($0.name) \($0.age)" }
            let dogs = realm.objects(Dog.self)
            let youngDogs = dogs.where { $0.age < 5 }.sorted(byKeyPath: "name")
            var tokens = [dogs.observe { all.apply($0) }, youngDogs.observe { young.apply($0) }]
            realm.refresh()
            var writes = 0
            let valueToken = dog.observe(\.age, options: [.old, .new]) { dog, _ in
                guard !realm.isInWriteTransaction, writes < 1 else { return }
                writes += 1
                do {
                    try realm.write {
                        realm.create(Dog.self, value: ["name": "by the handler"])
                        realm.delete(dogs[1])
                        dog.name = "renamed"
                    }
                } catch { XCTFail("\(error)") }
            }
            try Self.changeElsewhere(realm)
            realm.refresh()
            realm.refresh()
            XCTAssertEqual(writes, 1)
            XCTAssertEqual(dogs.count, 3)
            XCTAssertEqual(Set(dogs.map(\.name)), ["renamed", "b", "by the handler"])
            for (table, results) in [(all, dogs), (young, youngDogs)] {
                XCTAssertEqual(table.problems, [])
                XCTAssertEqual(table.rows, results.map { "\($0.name) \($0.age)" })
            }
            valueToken.invalidate()
            while let token = tokens.popLast() { token.invalidate() }
        }
    }

    func testManyRoundsOfHandlersThatWrite() {
        within10Seconds { realm, dog in
            let table = BatchUpdateTable<Dog, String> { "\($0.name) \($0.age)" }
            let dogs = realm.objects(Dog.self)
            let tableToken = dogs.observe { table.apply($0) }
            realm.refresh()
            var (isWriting, writes) = (false, 0)
            let token = dog.observe(\.age) { dog, _ in
                guard !realm.isInWriteTransaction, !isWriting else { return }
                isWriting = true
                writes += 1
                do {
                    try realm.write {
                        realm.create(Dog.self, value: ["name": "by the handler", "age": dogs.count])
                        if dogs.count > 4 { realm.delete(dogs[2]) }
                    }
                } catch { XCTFail("\(error)") }
                isWriting = false
            }
            for round in 0..<10 {
                try Self.changeElsewhere(realm)
                if round % 3 == 0 { try realm.write { dogs[0].name = "round \(round)" } }
                realm.refresh()
                realm.refresh()
                XCTAssertEqual(table.problems, [], "round \(round)")
                XCTAssertEqual(table.rows, dogs.map { "\($0.name) \($0.age)" }, "round \(round)")
            }
            XCTAssertGreaterThanOrEqual(writes, 6, "the handler is called outside of a write in most rounds")
            token.invalidate()
            tableToken.invalidate()
        }
    }

    // MARK: Rolling back

    func testAHandlerThatIsToldOfARollbackMayWrite() {
        within10Seconds { realm, dog in
            var writes = 0
            let token = dog.observe(\.age, options: [.new]) { dog, change in
                guard !realm.isInWriteTransaction, writes == 0 else { return }
                XCTAssertEqual(change.newValue, 0)
                writes += 1
                do { try realm.write { dog.name = "by the handler" } } catch { XCTFail("\(error)") }
            }
            realm.beginWrite()
            dog.age = 5
            realm.cancelWrite()
            XCTAssertEqual(writes, 1)
            XCTAssertEqual(dog.age, 0)
            XCTAssertEqual(dog.name, "by the handler")
            XCTAssertFalse(realm.isInWriteTransaction)
            try realm.write { dog.age = 1 }
            token.invalidate()
        }
    }

    func testOthersMayWriteAfterAHandlerWroteInARollback() {
        within10Seconds { realm, dog in
            let token = dog.observe(\.age) { dog, _ in
                guard !realm.isInWriteTransaction, dog.name == "Rex" else { return }
                do { try realm.write { dog.name = "by the handler" } } catch { XCTFail("\(error)") }
            }
            realm.beginWrite()
            dog.age = 5
            realm.cancelWrite()
            try Self.changeElsewhere(realm)
            realm.refresh()
            XCTAssertEqual(dog.age, 7)
            XCTAssertEqual(realm.objects(Dog.self).map(\.name), ["by the handler", "a", "b"])
            token.invalidate()
        }
    }
}
