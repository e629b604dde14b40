import Foundation
import Kivo

/// Everyday work of applications with collections, through the public API.
///
/// The names of the rows are those of `BENCHMARKS.md`, which has the figures of the established engine beside them.
extension Rows {
    private static let entries = 100_000

    static var applied: [Row] { maps + sets + appliedLists + upserts + appliedLinks }

    // MARK: Maps

    private static var maps: [Row] {
        [
            Row("applied.map/insert", .fast, .ns, .atMost(2000), floor: dictionary) { fixtures in
                let (store, words) = (try fixtures.emptyStore(), shuffledWords(fixtures))
                return try Sampling.repetitions(5) {
                    try timedWrite(store, words.count) { holder in
                        for word in words { holder.words[word] = word }
                        expect(holder.words.count == words.count, "the map has other keys")
                    }
                }
            },
            Row("applied.map/lookup", .fast, .ns, .atMost(1000), floor: dictionary) { fixtures in
                let (holder, words) = (try filledMap(fixtures), shuffledWords(fixtures))
                return Sampling.perOperation(words.count) { _ in
                    for word in words { keep(holder.words[word]!.utf8.count) }
                }
            },
            Row("applied.map/iterate", .fast, .ns, .atMost(40), floor: FloorReference(.array)) { fixtures in
                let holder = try filledMap(fixtures)
                return Sampling.perOperation(fixtures.size(entries)) { count in
                    var (found, sum) = (0, 0)
                    for (key, value) in holder.words {
                        found += 1
                        sum += key.utf8.count + value.utf8.count
                    }
                    expect(found == count, "the map has \(found) entries")
                    consume(sum)
                }
            },
        ]
    }

    /// Swift's own dictionary with the same keys: an insertion of each, and a look-up.
    private static var dictionary: FloorReference {
        FloorReference(
            Row("floor.dictionary", .floor, .ns) { fixtures in
                let words = shuffledWords(fixtures)
                return Sampling.perOperation(words.count) { _ in
                    var dictionary: [String: String] = [:]
                    for word in words { dictionary[word] = word }
                    for word in words { keep(dictionary[word]!.utf8.count) }
                }
            })
    }

    // MARK: Sets

    private static var sets: [Row] {
        func rows<Element: RealmCollectionValue>(
            _ name: String, _ set: KeyPath<CollectionHolder, MutableSet<Element>>,
            _ elements: @escaping (Fixtures) -> [Element],
            _ length: @escaping (Element) -> Int, targets: (Double, Double, Double)
        ) -> [Row] {
            [
                Row("\(name)/insert", .fast, .ns, .atMost(targets.0)) { fixtures in
                    let (store, elements) = (try fixtures.emptyStore(), elements(fixtures))
                    return try Sampling.repetitions(5) {
                        try timedWrite(store, elements.count) { holder in
                            let set = holder[keyPath: set]
                            for element in elements { set.insert(element) }
                            expect(set.count == elements.count, "the set has other elements")
                        }
                    }
                },
                Row("\(name)/contains", .fast, .ns, .atMost(targets.1)) { fixtures in
                    let elements = elements(fixtures)
                    let set = try filledHolder(fixtures) { $0[keyPath: set].insert(objectsIn: elements) }[
                        keyPath: set]
                    return Sampling.perOperation(elements.count) { count in
                        var found = 0
                        for element in elements where set.contains(element) { found += 1 }
                        expect(found == count, "\(found) of \(count) elements were found")
                    }
                },
                Row("\(name)/iterate", .fast, .ns, .atMost(targets.2), floor: FloorReference(.array)) {
                    fixtures in
                    let elements = elements(fixtures)
                    let set = try filledHolder(fixtures) { $0[keyPath: set].insert(objectsIn: elements) }[
                        keyPath: set]
                    return Sampling.perOperation(elements.count) { _ in
                        var sum = 0
                        for element in set { sum &+= length(element) }
                        consume(sum)
                    }
                },
            ]
        }
        return rows(
            "applied.set", \.set, { (0..<$0.size(entries)).shuffled(seed: 3) }, { $0 },
            targets: (1200, 800, 22))
            + rows(
                "applied.set.strings", \.strings, shuffledWords, { $0.utf8.count }, targets: (1500, 1100, 24))
    }

    // MARK: Lists

    private static var appliedLists: [Row] {
        [
            Row("applied.list/iterate", .fast, .ns, .atMost(12), floor: FloorReference(.array)) { fixtures in
                let numbers = try numbers(fixtures)
                return Sampling.perOperation(fixtures.size(entries)) { count in
                    var sum = 0
                    for number in numbers { sum += number }
                    expect(sum == count * (count - 1) / 2, "the list has other numbers")
                }
            },
            Row("applied.list/random", .fast, .ns, .atMost(110)) { fixtures in
                let numbers = try numbers(fixtures)
                let positions = (0..<fixtures.size(entries)).shuffled(seed: 4)
                return Sampling.perOperation(positions.count) { _ in
                    for position in positions { keep(numbers[position]) }
                }
            },
            Row("applied.list/append", .fast, .ns, .atMost(450)) { fixtures in
                let store = try fixtures.emptyStore()
                try store.realm.addItems(fixtures.size(entries), name: ItemData.name)
                let items = Array(store.realm.objects(Item.self))
                return try Sampling.repetitions(5) {
                    try store.realm.write { store.realm.delete(store.realm.objects(CollectionHolder.self)) }
                    return try timedWrite(store, items.count) { holder in
                        let list = holder.items
                        for item in items { list.append(item) }
                        expect(list.count == items.count, "the list has other objects")
                    }
                }
            },
        ]
    }

    // MARK: Data

    private static func shuffledWords(_ fixtures: Fixtures) -> [String] {
        (0..<fixtures.size(entries)).shuffled(seed: 5).map(ItemData.name)
    }

    /// Returns an object whose collections `body` fills.
    private static func filledHolder(
        _ fixtures: Fixtures, _ body: (CollectionHolder) -> Void
    ) throws -> CollectionHolder {
        let store = try fixtures.emptyStore()
        return try store.realm.write {
            let holder = store.realm.create(CollectionHolder.self)
            body(holder)
            return holder
        }
    }

    /// Returns an object with a filled map.
    private static func filledMap(_ fixtures: Fixtures) throws -> CollectionHolder {
        try filledHolder(fixtures) { holder in
            for word in shuffledWords(fixtures) { holder.words[word] = word }
        }
    }

    /// Returns a list of the numbers from 0.
    private static func numbers(_ fixtures: Fixtures) throws -> List<Int> {
        try filledHolder(fixtures) { $0.numbers.append(objectsIn: 0..<fixtures.size(entries)) }.numbers
    }

    /// Returns the nanoseconds per operation of changes of a new object, without the commit.
    private static func timedWrite(_ store: Store, _ count: Int, _ body: (CollectionHolder) -> Void) throws
        -> Double
    {
        try store.realm.write {
            let holder = store.realm.create(CollectionHolder.self)
            return nanoseconds { body(holder) } / Double(count)
        }
    }
}

extension Range<Int> {
    /// Returns the numbers in an order that depends only on a seed.
    fileprivate func shuffled(seed: UInt64) -> [Int] {
        var random = SplitMix64(state: seed)
        return shuffled(using: &random)
    }
}
