import Foundation
import Kivo
import XCTest

/// Values of any type in typed and string queries, sorted, distinct and added up.
final class AnyQueryTests: RealmTestCase {
    private var realm: Realm!
    private var target = AnyTarget()

    override func setUpWithError() throws {
        realm = try openRealm()
        target = AnyTarget(value: ["name": "t"])
        let contents: [AnyRealmValue] = [
            .int(1), .double(1), .decimal128(1), .bool(true), .string("1"), .data(Data("1".utf8)), .none,
            .float(2.5),
            .int(3), .string("Foo"), .date(Date(timeIntervalSinceReferenceDate: 1)), .object(target),
            .double(.nan),
            .fromArray([.int(7), .string("x"), .fromDictionary(["k": .int(8)])]),
            .fromDictionary(["k": .fromArray([.int(9)]), "name": .string("n")]),
        ]
        try realm.write {
            for (id, content) in contents.enumerated() {
                let note = AnyNote(value: ["id": id, "number": id % 4])
                note.content = content
                note.list.append(content)
                note.map["m"] = content
                if !(content.listValue != nil || content.dictionaryValue != nil) { note.set.insert(content) }
                realm.add(note)
            }
        }
    }

    override func tearDown() { realm = nil }

    private func ids(_ condition: (Query<AnyNote>) -> Query<Bool>) -> [Int] {
        realm.objects(AnyNote.self).where(condition).map { $0.id }
    }

    private func ids(_ format: String, _ value: Any) -> [Int] {
        realm.objects(AnyNote.self).filter(format, value).map(\.id)
    }

    private func both(
        _ format: String, _ value: AnyRealmValue, _ expected: [Int], file: StaticString = #filePath,
        line: UInt = #line,
        _ condition: (Query<AnyNote>) -> Query<Bool>
    ) {
        XCTAssertEqual(ids(condition), expected, "typed", file: file, line: line)
        XCTAssertEqual(ids(format, value), expected, format, file: file, line: line)
    }

    /// The two zeros are one date, also in an index.
    func testIndexedDatesThatAreEqual() throws {
        let realm = try openRealm()
        try realm.write {
            for (id, time) in [0.0, -0.0, 1].enumerated() {
                let note = AnyNote(value: ["id": 900 + id])
                note.label = .date(Date(timeIntervalSinceReferenceDate: time))
                realm.add(note)
            }
        }
        for zero in [0.0, -0.0] {
            let value = AnyRealmValue.date(Date(timeIntervalSinceReferenceDate: zero))
            let found = realm.objects(AnyNote.self).where { $0.label == value }
            XCTAssertEqual(found.map(\.id).sorted(), [900, 901])
        }
    }

    func testNumbersEqualNumbers() {
        both("content == %@", .int(1), [0, 1, 2]) { $0.content == .int(1) }
        both("content == %@", .double(1), [0, 1, 2]) { $0.content == .double(1) }
        both("content == %@", .decimal128(2.5), [7]) { $0.content == .decimal128(2.5) }
        XCTAssertEqual(realm.objects(AnyNote.self).filter("content == 1").map(\.id), [0, 1, 2])
        XCTAssertEqual(realm.objects(AnyNote.self).filter("content == 2.5").map(\.id), [7])
    }

    func testOtherTypesEqualTheirOwn() {
        both("content == %@", .bool(true), [3]) { $0.content == .bool(true) }
        both("content == %@", .string("1"), [4]) { $0.content == .string("1") }
        both("content == %@", .data(Data("1".utf8)), [5]) { $0.content == .data(Data("1".utf8)) }
        both("content == %@", .none, [6]) { $0.content == .none }
        both("content == %@", .date(Date(timeIntervalSinceReferenceDate: 1)), [10]) {
            $0.content == .date(Date(timeIntervalSinceReferenceDate: 1))
        }
        XCTAssertEqual(ids { $0.content == .object(self.target) }, [11])
        XCTAssertEqual(ids("content == %@", target), [11])
        XCTAssertEqual(ids { $0.content == .object(AnyTarget()) }, [])
        both("content == %@", .double(.nan), []) { $0.content == .double(.nan) }
        XCTAssertEqual(realm.objects(AnyNote.self).filter("content == nil").map(\.id), [6])
        XCTAssertEqual(realm.objects(AnyNote.self).filter("content == '1'").map(\.id), [4])
        XCTAssertEqual(realm.objects(AnyNote.self).filter("content == true").map(\.id), [3])
    }

    func testWhatDiffersIsNotEqual() {
        let all = Array(0..<15)
        both("content != %@", .int(1), Array(3..<15)) { $0.content != .int(1) }
        both("content != %@", .none, all.filter { $0 != 6 }) { $0.content != .none }
    }

    func testOnlyValuesOfATypeAreOrdered() {
        both("content > %@", .int(1), [7, 8]) { $0.content > .int(1) }
        both("content >= %@", .double(1), [0, 1, 2, 7, 8]) { $0.content >= .double(1) }
        both("content < %@", .int(3), [0, 1, 2, 7]) { $0.content < .int(3) }
        both("content > %@", .string("1"), [9]) { $0.content > .string("1") }
        both("content <= %@", .none, [6]) { $0.content <= .none }
        both("content < %@", .none, []) { $0.content < .none }
        both("content < %@", .date(.distantFuture), [10]) { $0.content < .date(.distantFuture) }
        XCTAssertEqual(
            realm.objects(AnyNote.self).filter("content BETWEEN {1, 2.5}").map(\.id), [0, 1, 2, 7])
    }

    func testMembership() {
        XCTAssertEqual(ids { $0.content.in([.int(1), .string("Foo"), .none]) }, [0, 1, 2, 6, 9])
        XCTAssertEqual(ids("content IN %@", [1, "Foo", NSNull()] as [Any]), [0, 1, 2, 6, 9])
        XCTAssertEqual(ids { $0.list.contains(.int(1)) }, [0, 1, 2])
        XCTAssertEqual(ids { $0.map["m"] == .string("Foo") }, [9])
        XCTAssertEqual(ids { $0.set.contains(.double(3)) }, [8])
        XCTAssertEqual(ids("ANY list == %@", AnyRealmValue.string("1")), [4])
        XCTAssertEqual(ids("%@ IN list", AnyRealmValue.int(1)), [0, 1, 2])
    }

    func testText() {
        both("content CONTAINS %@", .string("oo"), [9]) { $0.content.contains(.string("oo")) }
        both("content BEGINSWITH[c] %@", .string("fo"), [9]) {
            $0.content.starts(with: .string("fo"), options: .caseInsensitive)
        }
        both("content ENDSWITH %@", .string("1"), [4]) { $0.content.ends(with: .string("1")) }
        both("content LIKE %@", .string("F?o"), [9]) { $0.content.like(.string("F?o")) }
        XCTAssertEqual(ids("content CONTAINS %@", Data("1".utf8)), [5])
        XCTAssertEqual(ids("content ==[c] %@", "FOO"), [9])
    }

    func testComparingWithOtherProperties() {
        XCTAssertEqual(ids { $0.content == $0.label }, [6])
        XCTAssertEqual(realm.objects(AnyNote.self).filter("content == number").map(\.id), [1])
        XCTAssertEqual(realm.objects(AnyNote.self).filter("content > number").map(\.id), [0, 8])
        XCTAssertEqual(realm.objects(AnyNote.self).filter("number < content").map(\.id), [0, 8])
    }

    func testInsideOfListsAndDictionaries() {
        both("content[0] == %@", .int(7), [13]) { $0.content[0] == .int(7) }
        both("content[LAST]['k'] == %@", .double(8), [13]) { $0.content[2]["k"] == .double(8) }
        both("content['k'][0] == %@", .int(9), [14]) { $0.content["k"][0] == .int(9) }
        both("content[*] == %@", .string("x"), [13]) { $0.content.any == .string("x") }
        both("ANY content[*] == %@", .string("n"), [14]) { $0.content.any == .string("n") }
        both("content['name'] BEGINSWITH %@", .string("n"), [14]) {
            $0.content["name"].starts(with: .string("n"))
        }
        both("content['k'] != %@", .none, [14]) { $0.content["k"] != .none }
        both("content[5] == %@", .none, Array(0..<15)) { $0.content[5] == .none }
        both("map['m'][1] == %@", .string("x"), [13]) { $0.map["m"][1] == .string("x") }
    }

    func testSortingHasOneOrderOfAllTypes() {
        let sorted = realm.objects(AnyNote.self).sorted(byKeyPath: "content").map(\.id)
        XCTAssertEqual(Array(sorted.prefix(12)), [6, 3, 12, 0, 1, 2, 7, 8, 4, 9, 5, 10])
        XCTAssertEqual(Set(sorted.suffix(3)), [11, 13, 14])
        let note = realm.objects(AnyNote.self)[0]
        expectSuccess {
            try realm.write {
                note.list.append(objectsIn: [.none, .string("a"), .bool(false), .double(0.5)])
            }
        }
        XCTAssertEqual(
            Array(note.list.sorted(byKeyPath: "self")),
            [.none, .bool(false), .double(0.5), .int(1), .string("a")])
        XCTAssertEqual(
            Array(note.list.sorted(byKeyPath: "self", ascending: false).prefix(2)), [.string("a"), .int(1)])
    }

    func testDistinctTakesNumbersOfOneValueForOne() {
        XCTAssertEqual(
            realm.objects(AnyNote.self).where { $0.id < 7 }.distinct(by: ["content"]).map(\.id),
            [0, 3, 4, 5, 6])
    }

    func testSumsAreOfTheNumbersAndTheGreatestIsOfAllPlainValues() throws {
        let notes = realm.objects(AnyNote.self).where { $0.id != 12 }
        XCTAssertEqual(notes.max(of: \.content), .date(Date(timeIntervalSinceReferenceDate: 1)))
        XCTAssertEqual(notes.min(ofProperty: "content"), .bool(true))
        XCTAssertEqual(notes.sum(of: \.content), .decimal128(8.5))
        XCTAssertEqual(notes.average(of: \.content), 1.7)
        let note = realm.objects(AnyNote.self)[0]
        try realm.write { note.list.append(objectsIn: [.string("a"), .double(2.5), .none]) }
        XCTAssertEqual(note.list.sum(), .decimal128(3.5))
        XCTAssertEqual(note.list.max(), .string("a"))
        XCTAssertEqual(note.list.min(), .int(1))
        XCTAssertEqual(note.list.average(), .decimal128(1.75))
        let unmanaged = List<AnyRealmValue>()
        unmanaged.append(objectsIn: [.int(1), .string("a"), .double(2.5)])
        XCTAssertEqual(unmanaged.sum(), .decimal128(3.5))
        XCTAssertEqual(unmanaged.min(), .int(1))
        XCTAssertEqual(unmanaged.max(), .string("a"))
        try realm.write { note.map.removeAll() }
        for (first, second) in [(1.0, 2.0), (2, 1)] {
            let dates = [first, second].map { AnyRealmValue.date(Date(timeIntervalSinceReferenceDate: $0)) }
            for list in [note.list, unmanaged] {
                try realm.write {
                    list.removeAll()
                    list.append(objectsIn: dates + [.object(target)])
                }
                XCTAssertEqual(list.min(), .date(Date(timeIntervalSinceReferenceDate: 1)))
                XCTAssertEqual(list.max(), .date(Date(timeIntervalSinceReferenceDate: 2)))
                XCTAssertNil(list.average() as AnyRealmValue?)
            }
        }
    }

    func testTheSumOfNothingAtAll() throws {
        let note = realm.objects(AnyNote.self)[0]
        try realm.write {
            note.list.removeAll()
            note.map.removeAll()
        }
        XCTAssertEqual(note.list.sum(), .decimal128(0))
        XCTAssertEqual(note.map.sum().intValue, 0)
        XCTAssertEqual(List<AnyRealmValue>().sum().intValue, 0)
        XCTAssertEqual(MutableSet<AnyRealmValue>().sum().intValue, 0)
        XCTAssertEqual(Map<String, AnyRealmValue>().sum().intValue, 0)
        XCTAssertNil(note.map.min())
    }

    func testAggregatesInConditions() throws {
        let note = realm.objects(AnyNote.self)[0]
        try realm.write { note.list.append(objectsIn: [.string("a"), .double(2.5), .none]) }
        XCTAssertEqual(ids { $0.list.sum == .double(3.5) }, [0])
        XCTAssertEqual(ids { $0.list.avg == .double(1.75) }, [0])
        XCTAssertEqual(ids { $0.list.max == .string("a") }, [0])
        XCTAssertEqual(ids { $0.list.max == .float(2.5) }, [7])
        XCTAssertEqual(ids("list.@sum == %@", 3.5), [0])
        XCTAssertEqual(ids { $0.list.count == 4 }, [0])
    }

    func testPlainValuesAreFiltered() throws {
        let note = realm.objects(AnyNote.self)[0]
        try realm.write { note.list.append(objectsIn: [.string("a"), .double(2.5), .none]) }
        XCTAssertEqual(Array(note.list.where { $0 > .int(1) }), [.double(2.5)])
        XCTAssertEqual(Array(note.list.filter("self == %@", AnyRealmValue.string("a"))), [.string("a")])
    }

    func testObservedResultsFollow() throws {
        var told: [String] = []
        let results = realm.objects(AnyNote.self).where { $0.content > .int(0) }.sorted(byKeyPath: "content")
        let nested = realm.objects(AnyNote.self).where { $0.content[0] == .int(7) }
        var nestedTold: [String] = []
        let tokens = [
            results.observe { told.append(self.text($0)) },
            nested.observe { nestedTold.append(self.text($0)) },
        ]
        realm.refresh()
        try realm.write {
            realm.object(ofType: AnyNote.self, forPrimaryKey: 4)?.content = .decimal128(2)
            realm.object(ofType: AnyNote.self, forPrimaryKey: 0)?.content = .string("none any more")
            realm.object(ofType: AnyNote.self, forPrimaryKey: 13)?.content.listValue?[0] = .int(0)
            XCTAssertEqual(results.map(\.id), [1, 2, 4, 7, 8])
            XCTAssertEqual(nested.count, 0)
        }
        realm.refresh()
        XCTAssertEqual(told, ["initial", "-[0] +[2] ~[]"])
        XCTAssertEqual(nestedTold, ["initial", "-[0] +[] ~[]"])
        tokens.forEach { $0.invalidate() }
    }

    func testUnmanagedCollectionsAreFilteredAlike() {
        let list = List<AnyNote>()
        for value in [AnyRealmValue.int(1), .double(1), .string("1"), .fromArray([.int(7)])] {
            let note = AnyNote(value: ["id": list.count])
            note.content = value
            list.append(note)
        }
        XCTAssertEqual(list.index(matching: { $0.content == .decimal128(1) }), 0)
        XCTAssertEqual(list.index(matching: { $0.content == .string("1") }), 2)
        XCTAssertEqual(list.index(matching: { $0.content[0] == .int(7) }), 3)
    }
}
