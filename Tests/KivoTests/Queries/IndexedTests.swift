import Kivo
import XCTest

class Catalogued: Object {
    @Persisted(indexed: true) var number = 0
    @Persisted(indexed: true) var word = ""
    @Persisted(indexed: true) var maybe: Int?
    @Persisted var plain = 0
}

/// An index changes no answer.
final class IndexedTests: RealmTestCase {
    func testQueriesGiveWhatAScanGives() throws {
        var random = RandomSource()
        let realm = try openRealm()
        let things = realm.objects(Catalogued.self)
        for _ in 0..<25 {
            realm.beginWrite()
            for _ in 0..<random.below(40) {
                switch random.below(things.isEmpty ? 1 : 4) {
                case 0, 1:
                    realm.create(
                        Catalogued.self,
                        value: [
                            "number": random.below(10), "word": "w\(random.below(10))",
                            "maybe": random.chance(40) ? nil : random.below(5),
                        ] as [String: Any?])
                case 2:
                    let thing = things[random.below(things.count)]
                    thing.number = random.below(10)
                    thing.word = "w\(random.below(10))"
                    thing.maybe = random.chance(40) ? nil : random.below(5)
                    thing.plain = random.below(3)
                default: realm.delete(things[random.below(things.count)])
                }
            }
            if random.chance(25) { realm.cancelWrite() } else { try realm.commitWrite() }
            let all = Array(things)
            for value in 0..<10 {
                XCTAssertEqual(
                    things.where { $0.number == value }.count, all.filter { $0.number == value }.count)
                XCTAssertEqual(
                    things.where { $0.word == "w\(value)" && $0.plain == 1 }.map { things.index(of: $0)! },
                    all.indices.filter { all[$0].word == "w\(value)" && all[$0].plain == 1 })
                XCTAssertEqual(
                    things.where { $0.maybe == value }.map { things.index(of: $0)! },
                    all.indices.filter { all[$0].maybe == value })
            }
            XCTAssertEqual(things.where { $0.maybe == nil }.count, all.filter { $0.maybe == nil }.count)
            XCTAssertEqual(
                things.where { $0.number == 3 || $0.word == "w3" }.count,
                all.filter { $0.number == 3 || $0.word == "w3" }.count)
        }
    }
}
