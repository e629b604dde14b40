import Foundation
import Kivo
import XCTest

/// Conditions on collections of plain values.
final class PlainValueQueryTests: RealmTestCase {
    private func grove(_ realm: Realm) throws -> Grove {
        try realm.write {
            let grove = realm.create(Grove.self)
            grove.numbers.append(objectsIn: [5, 1, 9, 5, 3, 7])
            grove.gaps.append(objectsIn: [5, nil, 9, nil, 3])
            grove.small.append(objectsIn: [-4, 4, 100])
            grove.weights.append(objectsIn: [0.5, 2.5, .nan, -1])
            grove.words.append(objectsIn: ["apple", "Beech", "ash", "été", "birch"])
            grove.maybeWords.append(objectsIn: ["apple", nil, "ash"])
            grove.dates.append(objectsIn: (0..<4).map { Date(timeIntervalSince1970: Double($0) * 100) })
            grove.blobs.append(objectsIn: [Data([1, 2]), Data([2]), Data([1])])
            grove.flags.append(objectsIn: [true, false, true])
            grove.prices.append(objectsIn: [1.5, 2, 3].map { Decimal128($0) })
            grove.ids.append(objectsIn: [UUID(), UUID()])
            grove.seasons.append(objectsIn: [.spring, .autumn, .spring])
            grove.numberSet.insert(objectsIn: [4, 8, 15, 16, 23, 42])
            grove.wordSet.insert(objectsIn: ["apple", "ash", "Beech"])
            for (key, count) in [("c", 3), ("a", 7), ("b", 5)] { grove.counts[key] = count }
            grove.notes["x"] = .some(nil)
            grove.notes["y"] = "old"
            return grove
        }
    }

    func testConditionsInStrings() throws {
        let grove = try grove(openRealm())
        XCTAssertEqual(Array(grove.numbers.filter("self > 4")), [5, 9, 5, 7])
        XCTAssertEqual(Array(grove.numbers.filter("SELF BETWEEN {3, 5} AND NOT self == %@", 3)), [5, 5])
        XCTAssertEqual(Array(grove.numbers.filter("self IN %@", [9, 1])), [1, 9])
        XCTAssertEqual(Array(grove.numbers.filter("self > 2.5 AND self < 1e30")), [5, 9, 5, 3, 7])
        XCTAssertEqual(Array(grove.numbers.filter("4 < self && ANY self != 9")), [5, 5, 7])
        XCTAssertEqual(Array(grove.numbers.filter("NONE self == 5")), [1, 9, 3, 7])
        XCTAssertEqual(Array(grove.numbers.filter("(self - 1) * 2 >= self + 5")), [9, 7])
        XCTAssertEqual(Array(grove.numbers.filter("self == self")).count, 6)
        XCTAssertEqual(Array(grove.numbers.filter("TRUEPREDICATE")).count, 6)
        XCTAssertEqual(Array(grove.gaps.filter("self == nil")), [nil, nil])
        XCTAssertEqual(Array(grove.gaps.filter("self != 5")), [nil, 9, nil, 3])
        XCTAssertEqual(Array(grove.gaps.filter("self + 1 > 5")), [5, 9])
        XCTAssertEqual(Array(grove.small.filter("self >= 4")), [4, 100])
        XCTAssertEqual(Array(grove.weights.filter("self >= -1")), [0.5, 2.5, -1])
        XCTAssertEqual(Array(grove.words.filter("self BEGINSWITH 'a'")), ["apple", "ash"])
        XCTAssertEqual(Array(grove.words.filter("SELF BEGINSWITH[c] 'b'")), ["Beech", "birch"])
        XCTAssertEqual(Array(grove.words.filter("self ==[d] 'ete'")), ["été"])
        XCTAssertEqual(Array(grove.words.filter("self LIKE '*c?'")), ["Beech", "birch"])
        XCTAssertEqual(Array(grove.words.filter("self MATCHES '[a-b].*h'")), ["ash", "birch"])
        XCTAssertEqual(Array(grove.maybeWords.filter("self CONTAINS 's' OR self == nil")), [nil, "ash"])
        XCTAssertEqual(Array(grove.dates.filter("self > %@", grove.dates[1])), Array(grove.dates[2...]))
        XCTAssertEqual(
            Array(grove.blobs.filter("self BEGINSWITH %@", Data([1]))), [Data([1, 2]), Data([1])])
        XCTAssertEqual(Array(grove.flags.filter("self == true")), [true, true])
        XCTAssertEqual(Array(grove.prices.filter("self > 1.5")), [2, 3])
        XCTAssertEqual(Array(grove.ids.filter("self == %@", grove.ids[1])), [grove.ids[1]])
        XCTAssertEqual(Array(grove.seasons.filter("self == %@", GroveSeason.spring)), [.spring, .spring])
        XCTAssertEqual(Array(grove.seasons.filter("self BEGINSWITH 'a'")), [.autumn])
        XCTAssertEqual(Array(grove.numberSet.filter("self > 15")), [16, 23, 42])
        XCTAssertEqual(Set(grove.wordSet.filter("self ENDSWITH 'h'")), ["ash", "Beech"])
        XCTAssertEqual(Array(grove.counts.filter("self >= 5")), [7, 5])
        XCTAssertEqual(Array(grove.notes.filter("self == nil")), [nil])
        XCTAssertEqual(Array(grove.notes.filter("self == 'old'")), ["old"])
    }

    func testTypedConditions() throws {
        let grove = try grove(openRealm())
        XCTAssertEqual(Array(grove.numbers.where { $0 > 4 }), [5, 9, 5, 7])
        XCTAssertEqual(Array(grove.numbers.where { $0.contains(3...5) && $0 != 3 }), [5, 5])
        XCTAssertEqual(Array(grove.numbers.where { $0.in([9, 1]) }), [1, 9])
        XCTAssertEqual(Array(grove.numbers.where { ($0 - 1) * 2 >= $0 + 5 }), [9, 7])
        XCTAssertEqual(Array(grove.gaps.where { $0 == nil }), [nil, nil])
        XCTAssertEqual(Array(grove.gaps.where { $0 != 5 }), [nil, 9, nil, 3])
        XCTAssertEqual(Array(grove.gaps.where { !($0 > 4) }), [nil, nil, 3])
        XCTAssertEqual(Array(grove.small.where { $0 >= 4 }), [4, 100])
        XCTAssertEqual(Array(grove.words.where { $0.starts(with: "a") }), ["apple", "ash"])
        XCTAssertEqual(
            Array(
                grove.words.where { $0.contains("ET", options: [.caseInsensitive, .diacriticInsensitive]) }),
            ["été"])
        XCTAssertEqual(Array(grove.words.where { $0.matches("[a-b].*h") }), ["ash", "birch"])
        XCTAssertEqual(Array(grove.maybeWords.where { $0 == nil || $0.like("a?h") }), [nil, "ash"])
        XCTAssertEqual(Array(grove.dates.where { $0 < Date(timeIntervalSince1970: 100) }).count, 1)
        XCTAssertEqual(Array(grove.blobs.where { $0.ends(with: Data([2])) }), [Data([1, 2]), Data([2])])
        XCTAssertEqual(Array(grove.flags.where { $0 }), [true, true])
        XCTAssertEqual(Array(grove.prices.where { $0 * 2 > 3 }), [2, 3])
        XCTAssertEqual(Array(grove.seasons.where { $0 == .spring }), [.spring, .spring])
        XCTAssertEqual(Array(grove.seasons.where { $0.rawValue.contains("u") }), [.autumn])
        XCTAssertEqual(Array(grove.numberSet.where { $0 > 15 }), [16, 23, 42])
        XCTAssertEqual(Array(grove.counts.where { $0 >= 5 }), [7, 5])
        XCTAssertEqual(Array(grove.notes.where { $0 == nil }), [nil])
    }

    func testChains() throws {
        let grove = try grove(openRealm())
        let large = grove.numbers.where { $0 > 2 }
        XCTAssertEqual(Array(large.sorted(ascending: false).filter("self < 9")), [7, 5, 5, 3])
        XCTAssertEqual(Array(large.distinct().sorted()), [3, 5, 7, 9])
        XCTAssertEqual(Array(grove.blobs.sorted()), [Data([1]), Data([1, 2]), Data([2])])
        XCTAssertEqual(large.distinct().count, 4)
        XCTAssertEqual(large.first, 5)
        XCTAssertEqual(large.last, 7)
        XCTAssertEqual(large[1], 9)
        XCTAssertFalse(large.isEmpty)
        XCTAssertTrue(grove.numbers.where { $0 > 100 }.isEmpty)
        XCTAssertNil(grove.numbers.where { $0 > 100 }.first)
        XCTAssertEqual(large.index(of: 3), 3)
        XCTAssertNil(large.index(of: 1))
        XCTAssertEqual(large.objects(at: [0, 3]), [5, 3])
        XCTAssertEqual([large.min(), large.max(), large.sum()], [3, 9, 29])
        XCTAssertEqual(large.average(), 29.0 / 5)
        XCTAssertEqual(Array(large.freeze()), [5, 9, 5, 3, 7])
        XCTAssertEqual(Array(grove.counts.filter("self > 3").sorted()), [5, 7])
        XCTAssertEqual(grove.counts.where { $0 > 3 }.sum(), 12)
        let words = grove.maybeWords.where { $0 != nil }
        XCTAssertEqual(Array(words.sorted(ascending: false)), ["ash", "apple"])
    }

    func testResultsFollowWrites() throws {
        let realm = try openRealm()
        let grove = try grove(realm)
        let large = grove.numbers.where { $0 > 4 }
        XCTAssertEqual(large.count, 4)
        try realm.write {
            grove.numbers.append(6)
            XCTAssertEqual(Array(large), [5, 9, 5, 7, 6])
            grove.numbers[0] = 0
            XCTAssertEqual(large.first, 9)
            realm.delete(grove)
            XCTAssertEqual(large.count, 0)
        }
        XCTAssertTrue(large.isInvalidated)
        XCTAssertNil(large.index(matching: { $0 > 0 }))
    }

    func testPositionsOfTheFirst() throws {
        let realm = try openRealm()
        let managed = try grove(realm)
        let unmanaged = Grove(value: managed)
        XCTAssertNil(unmanaged.realm)
        for grove in [managed, unmanaged] {
            XCTAssertEqual(grove.numbers.index(matching: { $0 > 5 }), 2)
            XCTAssertEqual(grove.numbers.index(matching: "self > %@", 5), 2)
            XCTAssertEqual(grove.numbers.index(matching: "self * 2 == 2"), 1)
            XCTAssertNil(grove.numbers.index(matching: { $0 > 9 }))
            XCTAssertEqual(grove.gaps.index(matching: { $0 == nil }), 1)
            XCTAssertEqual(
                grove.words.index(matching: { $0.starts(with: "b", options: .caseInsensitive) }), 1)
            XCTAssertEqual(grove.words.index(matching: "self MATCHES 'a.h'"), 2)
            XCTAssertEqual(grove.seasons.index(matching: { $0 == .autumn }), 1)
            XCTAssertEqual(grove.blobs.index(matching: "self == %@", Data([1])), 2)
            XCTAssertEqual(grove.words.index(of: "ash"), 2)
            XCTAssertEqual(grove.words.objects(at: [1, 4]), ["Beech", "birch"])
            XCTAssertEqual(grove.words.objects(at: []), [])
        }
        XCTAssertEqual(managed.numbers.sorted().index(matching: { $0 > 5 }), 4)
        XCTAssertEqual(managed.numberSet.index(matching: { $0 > 15 }), 3)
    }

    func testObserversAreToldOfThoseThatSatisfyTheCondition() throws {
        let realm = try openRealm()
        let grove = try grove(realm)
        let large = grove.numbers.where { $0 > 4 }
        let told = Box<[String]>([])
        let token = large.observe { told.value.append(self.text($0) + " \(Array(large))") }
        realm.refresh()
        func tell(_ edit: () -> Void) throws -> [String] {
            told.value = []
            try realm.write { edit() }
            realm.refresh()
            return told.value
        }
        // 5, 1, 9, 5, 3, 7
        XCTAssertEqual(try tell { grove.numbers.append(8) }, ["-[] +[4] ~[] [5, 9, 5, 7, 8]"])
        XCTAssertEqual(try tell { grove.numbers.append(2) }, [])
        XCTAssertEqual(try tell { grove.numbers[1] = 6 }, ["-[] +[1] ~[] [5, 6, 9, 5, 7, 8]"])
        XCTAssertEqual(try tell { grove.numbers[2] = 0 }, ["-[2] +[] ~[] [5, 6, 5, 7, 8]"])
        XCTAssertEqual(try tell { grove.numbers[0] = 10 }, ["-[] +[] ~[0] [10, 6, 5, 7, 8]"])
        XCTAssertEqual(try tell { grove.numbers[2] = 1 }, [])
        XCTAssertEqual(try tell { grove.numbers.remove(at: 4) }, [])
        XCTAssertEqual(try tell { grove.numbers.remove(at: 1) }, ["-[1] +[] ~[] [10, 5, 7, 8]"])
        XCTAssertEqual(try tell { grove.numbers.removeAll() }, ["-[0, 1, 2, 3] +[] ~[] []"])
        try writeElsewhere { realm in
            realm.objects(Grove.self)[0].numbers.append(objectsIn: (0..<300).map { $0 % 10 })
        }
        told.value = []
        realm.refresh()
        XCTAssertEqual(told.value.count, 1)
        XCTAssertEqual(large.count, 150)
        token.invalidate()
    }

    func testObserversOfMapsValues() throws {
        let realm = try openRealm()
        let grove = try grove(realm)
        let large = grove.counts.filter("self > 4")
        let told = Box<[String]>([])
        let token = large.observe { told.value.append(self.text($0) + " \(Array(large))") }
        realm.refresh()
        func tell(_ edit: () -> Void) throws -> [String] {
            told.value = []
            try realm.write { edit() }
            realm.refresh()
            return told.value
        }
        // a 7, b 5, c 3
        XCTAssertEqual(try tell { grove.counts["aa"] = 6 }, ["-[] +[1] ~[] [7, 6, 5]"])
        XCTAssertEqual(try tell { grove.counts["d"] = 1 }, [])
        XCTAssertEqual(try tell { grove.counts["c"] = 9 }, ["-[] +[3] ~[] [7, 6, 5, 9]"])
        XCTAssertEqual(try tell { grove.counts["a"] = nil }, ["-[0] +[] ~[] [6, 5, 9]"])
        XCTAssertEqual(try tell { grove.counts["b"] = 0 }, ["-[1] +[] ~[] [6, 9]"])
        token.invalidate()
    }
}
