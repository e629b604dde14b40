import Foundation
import Kivo
import XCTest

final class ThreadTests: RealmTestCase {
    /// Four writers move amounts between objects; readers always see the sum that whole transactions leave.
    func testReadersSeeWholeTransactions() throws {
        let realm = try openRealm()
        try realm.write {
            for code in 0..<20 { realm.create(Chip.self, value: ["code": code, "count": 100]) }
        }
        let configuration = configuration
        let (group, finished) = (DispatchGroup(), Done())
        for writer in 0..<4 {
            run(in: group) {
                var random = RandomSource("writer \(writer)")
                let realm = try Realm(configuration: configuration)
                for round in 0..<60 {
                    try realm.write {
                        let chips = realm.objects(Chip.self)
                        let (a, b) = (chips[random.below(20)], chips[random.below(20)])
                        a.count -= 1
                        a.label = "\(writer) \(round)"
                        b.count += 1
                        a.notes.append("\(writer)")
                    }
                }
            }
        }
        let readers = DispatchGroup()
        for _ in 0..<2 {
            run(in: readers) {
                let realm = try Realm(configuration: configuration)
                repeat {
                    realm.refresh()
                    let chips = realm.objects(Chip.self)
                    XCTAssertEqual(chips.sum(of: \.count), 2000)
                    let frozen = chips.freeze()
                    XCTAssertEqual(frozen.map(\.count).reduce(0, +), 2000)
                } while !finished.isSet
            }
        }
        group.wait()
        finished.set()
        readers.wait()
        realm.refresh()
        XCTAssertEqual(realm.objects(Chip.self).sum(of: \.count), 2000)
        XCTAssertEqual(realm.objects(Chip.self).map(\.notes.count).reduce(0, +), 240)
    }

    func testFrozenObjectsAreReadOnManyThreads() throws {
        let realm = try openRealm()
        let person = Person(value: ["name": "Ann"])
        for age in 0..<500 { person.dogs.append(Dog(value: ["name": "dog \(age)", "age": age])) }
        try realm.write { realm.add(person) }
        let frozen = Handed((person.freeze(), realm.objects(Dog.self).where { $0.age >= 100 }.freeze()))
        let group = DispatchGroup()
        for _ in 0..<4 {
            run(in: group) {
                let (person, dogs) = frozen.value
                for _ in 0..<5 {
                    XCTAssertEqual(person.dogs.map(\.age).reduce(0, +), 124_750)
                    XCTAssertEqual(dogs.count, 400)
                    XCTAssertEqual(dogs.last?.name, "dog 499")
                    XCTAssertEqual(person.dogs[7].holders.first?.name, "Ann")
                    XCTAssertEqual(dogs.sorted(byKeyPath: "age", ascending: false).first?.age, 499)
                }
            }
        }
        for _ in 0..<20 { try realm.write { realm.objects(Dog.self)[0].age += 1 } }
        try realm.write { realm.deleteAll() }
        group.wait()
        XCTAssertEqual(person.isInvalidated, true)
    }

    func testTheLastReferenceMayGoOnAnotherThread() throws {
        let group = DispatchGroup()
        for round in 0..<20 {
            let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "\(name) \(round)"))
            try realm.write { realm.add(Dog(value: ["age": round])) }
            let frozen = Handed(realm.objects(Dog.self).freeze())
            run(in: group) { XCTAssertEqual(frozen.value.first?.age, round) }
        }
        group.wait()
    }

    /// Realms are opened and closed on short-lived threads, while others write.
    func testRealmsComeAndGo() throws {
        let configuration = configuration
        let realm = try openRealm()
        let token = realm.objects(Chip.self).observe { _ in }
        let group = DispatchGroup()
        for thread in 0..<6 {
            run(in: group) {
                for round in 0..<15 {
                    let realm = try Realm(configuration: configuration)
                    try realm.write { realm.create(Chip.self, value: ["code": thread * 100 + round]) }
                }
            }
        }
        wait("the writers") { group.wait(timeout: .now()) == .success }
        realm.refresh()
        XCTAssertEqual(realm.objects(Chip.self).count, 90)
        token.invalidate()
    }

    /// Runs `work` on a new thread.
    private func run(in group: DispatchGroup, _ work: @escaping @Sendable () throws -> Void) {
        group.enter()
        let thread = Thread {
            do { try work() } catch { XCTFail("\(error)") }
            group.leave()
        }
        thread.start()
    }
}

/// A frozen value on its way to another thread, where it may be read.
///
/// Immutable, and what it holds is frozen, which is safe to read everywhere.
private final class Handed<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
