import Kivo
import KivoTesting
import TestRandomness
import XCTest

/// Listeners of equal queries are each told the difference from what they have seen themselves, however far they are behind the others.
final class EqualListenersTests: RealmTestCase {
    private struct Observed {
        let token: NotificationToken
        let table: BatchUpdateTable<Dog, String>
        let results: Results<Dog>
        /// Whether the token is paced, so that it is called by hand.
        let isPaced: Bool
    }

    private func row(_ dog: Dog) -> String { "\(dog.name) \(dog.age)" }

    private func results(_ realm: Realm, _ kind: Int) -> Results<Dog> {
        let dogs = realm.objects(Dog.self).where { $0.age >= 10 && $0.name != "d" }
        return switch kind {
        case 0: dogs.sorted(by: \.age)
        case 1: dogs.sorted(by: \.age).dropFirst(2).first(6)
        default: dogs
        }
    }

    /// Random pauses, silent writes, reads between commits and calls, endings and new listeners.
    func testListenersThatAreAtDifferentVersions() throws {
        var random = RandomSource()
        for _ in TestEffort.rounds(4, within: 0.15) {
            let realm = try openRealm()
            try realm.write {
                realm.deleteAll()
                for age in 0..<20 { realm.create(Dog.self, value: ["name": "a", "age": age]) }
            }
            var all: [Observed] = []
            func add() {
                let table = BatchUpdateTable<Dog, String> { [self] in row($0) }
                let results = results(realm, random.below(3))
                let isPaced = random.chance(25)
                let keyPaths = random.chance(30) ? ["name"] : nil
                let token =
                    isPaced
                    ? results.observe(pacing: .manual) { table.apply($0) }
                    : results.observe(keyPaths: keyPaths, on: nil) { table.apply($0) }
                // Without all key paths, rows can differ that are not told.
                if isPaced || keyPaths == nil {
                    all.append(Observed(token: token, table: table, results: results, isPaced: isPaced))
                }
            }
            for _ in 0..<8 { add() }
            realm.refresh()
            func edit(_ realm: Realm) {
                let dogs = realm.objects(Dog.self)
                for _ in 0...random.below(3) {
                    switch random.below(4) {
                    case 0: realm.create(Dog.self, value: ["name": "b", "age": random.below(30)])
                    case 1 where dogs.count > 3: realm.delete(dogs[random.below(dogs.count)])
                    case 2: dogs[random.below(dogs.count)].name = ["a", "d", "e"][random.below(3)]
                    default: dogs[random.below(dogs.count)].age = random.below(30)
                    }
                }
            }
            for step in 0..<60 {
                switch random.below(8) {
                case 0: add()
                case 1 where all.count > 3: all.remove(at: random.below(all.count)).token.invalidate()
                case 2:
                    let silent = all.filter { !$0.isPaced && random.chance(30) }
                    try realm.write(withoutNotifying: silent.map(\.token)) { edit(realm) }
                    for one in silent { one.table.apply(RealmCollectionChange.initial(one.results)) }
                case 3: if let one = all.randomElement(using: &random) { _ = one.results.count }
                case 4: for one in all where random.chance(30) { one.token.pause() }
                case 5: for one in all where random.chance(60) { one.token.resume() }
                case 6: for one in all where one.isPaced && random.chance(50) { one.token.deliverNow() }
                default: break
                }
                let seed = RandomSource(seed: UInt64(random.below(1_000_000)))
                let before = random
                random = seed
                try realm.write { edit(realm) }
                random = before
                if random.chance(40) { realm.refresh() }
                for one in all { XCTAssertEqual(one.table.problems, [], "step \(step)") }
            }
            for one in all { one.token.resume() }
            realm.refresh()
            for one in all where one.isPaced { one.token.deliverNow() }
            for one in all {
                XCTAssertEqual(one.table.problems, [])
                XCTAssertEqual(one.table.rows, Array(one.results.map(row)))
                one.token.invalidate()
            }
        }
    }
}
