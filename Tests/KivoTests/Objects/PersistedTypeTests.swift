import Foundation
import XCTest

@testable import Kivo

private enum Grade: Int, PersistableEnum { case good = 1, bad = 5, ugly = 9 }
private enum Letter: String, PersistableEnum { case z, a, m }

private struct Metres: CustomPersistable {
    var count: Double
    init(persistedValue: Double) { count = persistedValue }
    var persistableValue: Double { count }
}

private final class Sheet: Object {
    @Persisted var grade: Grade
    @Persisted var age = 0
    @Persisted var when: Date
    @Persisted var oldAge: Int?
    @Persisted var ints: List<Int>
    @Persisted var gaps: List<Int8?>
    @Persisted var floats: MutableSet<Float>
    @Persisted var decimals: List<Decimal128>
    @Persisted var grades: List<Grade>
    @Persisted var oldGrades: List<Grade?>
    @Persisted var letters: List<Letter>
    @Persisted var ways: List<Metres>
    @Persisted var map: Map<String, Int16>
    @Persisted var sheets: List<Sheet>

    override class func _realmObjectName() -> String? { "PersistedTypeSheet" }
}

/// Code that knows of element types only what they are stored as.
final class PersistedTypeTests: RealmTestCase {
    private func extremes<C: RealmCollection>(_ collection: C) -> [C.Element?]
    where C.Element.PersistedType: MinMaxType {
        [collection.min(), collection.max()]
    }

    private func sum<C: RealmCollection>(_ collection: C) -> C.Element
    where C.Element.PersistedType: AddableType { collection.sum() }

    private func average<C: RealmCollection, Number: RealmCollectionValue>(_ collection: C, as: Number.Type)
        -> Number?
    where C.Element.PersistedType: AddableType, Number.PersistedType: AddableType { collection.average() }

    private func sorted<C: RealmCollection>(_ collection: C) -> [C.Element]
    where C.Element.PersistedType: SortableType {
        XCTAssertEqual(collection.distinct().count, Set(collection).count)
        return Array(collection.sorted(ascending: false))
    }

    private func fill(_ sheet: Sheet) {
        sheet.ints.append(objectsIn: [3, 1, 4])
        sheet.gaps.append(objectsIn: [nil, 7, -2])
        sheet.floats.insert(objectsIn: [0.5, 2])
        sheet.decimals.append(objectsIn: [1, 4])
        sheet.grades.append(objectsIn: [.bad, .good, .ugly, .bad])
        sheet.oldGrades.append(objectsIn: [nil, .ugly, .bad])
        sheet.letters.append(objectsIn: [.z, .a])
        sheet.ways.append(objectsIn: [Metres(persistedValue: 2), Metres(persistedValue: 0.5)])
        for (key, value) in ["a": 5, "b": 6] as [String: Int16] { sheet.map[key] = value }
    }

    private func check(_ sheet: Sheet) {
        XCTAssertEqual(extremes(sheet.ints), [1, 4])
        XCTAssertEqual(extremes(sheet.gaps), [-2, 7])
        XCTAssertEqual(extremes(sheet.grades), [.good, .ugly])
        XCTAssertEqual(extremes(sheet.oldGrades), [.bad, .ugly])
        XCTAssertEqual(extremes(sheet.ways), [Metres(persistedValue: 0.5), Metres(persistedValue: 2)])
        XCTAssertEqual(extremes(List<Int>()), [nil, nil])
        XCTAssertEqual(sum(sheet.ints), 8)
        XCTAssertEqual(sum(sheet.gaps), 5)
        XCTAssertEqual(sum(sheet.floats), 2.5)
        XCTAssertEqual(sum(sheet.ways), Metres(persistedValue: 2.5))
        XCTAssertEqual(sum(List<Decimal128?>()), 0)
        XCTAssertEqual(average(sheet.ints, as: Int.self), 2, "rounded towards 0")
        XCTAssertEqual(average(sheet.ints, as: Double.self)!, 8.0 / 3, accuracy: 1e-9)
        XCTAssertEqual(average(sheet.decimals, as: Decimal128.self), 2.5)
        XCTAssertEqual(average(sheet.decimals, as: Double.self), 2.5)
        XCTAssertEqual(average(sheet.ways, as: Metres.self), Metres(persistedValue: 1.25))
        XCTAssertNil(average(List<Int>(), as: Int?.self) ?? nil)
        // If the types are known, values have their most useful type.
        XCTAssertEqual(sheet.gaps.min().map { $0 + 1 }, -1)
        XCTAssertEqual(sheet.gaps.sum() + 1, 6)
        XCTAssertEqual(sheet.grades.sum() + 1, 21)
        XCTAssertEqual(sheet.grades.average(), 5)
        XCTAssertEqual(sheet.map.max(), 6)
        XCTAssertEqual(sheet.map.average() as Int32?, 5)
    }

    func testAggregatesInGenericCode() throws {
        let sheet = Sheet()
        fill(sheet)
        check(sheet)
        let realm = try openRealm()
        try realm.write { realm.add(sheet) }
        check(sheet)
        XCTAssertEqual(sorted(sheet.grades), [.ugly, .bad, .bad, .good])
        XCTAssertEqual(sorted(sheet.gaps), [7, -2, nil])
        XCTAssertEqual(sorted(sheet.letters), [.z, .a])
    }

    func testNumbersOfFoundationCanBeAskedFor() throws {
        let realm = try openRealm()
        try realm.write {
            for age in [3, 4] {
                realm.create(
                    Sheet.self,
                    value: [
                        "age": age, "oldAge": age == 3 ? 7 : NSNull(), "grade": age == 3 ? 5 : 9,
                        "when": Date(timeIntervalSince1970: Double(age)),
                    ])
            }
        }
        let sheets = realm.objects(Sheet.self)
        XCTAssertEqual(sheets.max(ofProperty: "age"), NSNumber(value: 4))
        XCTAssertEqual(sheets.sum(ofProperty: "age") as NSNumber, 7)
        XCTAssertEqual(sheets.average(ofProperty: "age") as NSNumber?, 3.5)
        XCTAssertEqual(sheets.min(ofProperty: "when") as NSDate?, NSDate(timeIntervalSince1970: 3))
        XCTAssertEqual(sheets.max(ofProperty: "grade") as Grade?, .ugly)
        XCTAssertEqual(sheets.max(of: \.grade), .ugly)
        XCTAssertEqual(sheets.sum(of: \.grade), 14)
        XCTAssertEqual(sheets.min(of: \.oldAge), 7)
        XCTAssertEqual(sheets.average(of: \.age), 3.5)
        XCTAssertEqual(sheets.average(of: \.age) as Int?, 3)
        XCTAssertNil(sheets.where { $0.age > 9 }.max(ofProperty: "age") as NSNumber?)
    }

    func testEnumsHaveTheOrderOfTheirRawValues() {
        XCTAssertEqual([Letter.z, .m, .a].sorted(), [.a, .m, .z])
        XCTAssertTrue(Grade.good < .bad && Grade.ugly > .bad)
        XCTAssertTrue((Grade.good...Grade.bad).contains(.bad))
    }

    func testWhatIsStoredIsWhatQueriesCompare() throws {
        func above<T: _Persistable>(
            _ value: T, _ lhs: (Query<Sheet>) -> Query<T>, _ results: Results<Sheet>
        ) -> Int where T.PersistedType: _QueryNumeric {
            results.where { lhs($0) > value }.count + results.where { lhs($0) <= value }.count
        }
        let realm = try openRealm()
        let sheet = Sheet()
        fill(sheet)
        try realm.write { realm.add(sheet) }
        let sheets = realm.objects(Sheet.self)
        XCTAssertEqual(above(.bad, \Query<Sheet>.grade, sheets), 1)
        XCTAssertEqual(above(3, \Query<Sheet>.age, sheets), 1)
        XCTAssertEqual(sheets.where { $0.grade.contains(.good...(.bad)) }.count, 1)
        XCTAssertEqual(sheets.where { $0.grades.persistableValue.max == 9 }.count, 1)
        XCTAssertEqual(sheets.where { $0.age.persistableValue == 0 }.count, 1)
        XCTAssertEqual(sheets.where { $0.grades.max == .ugly && $0.oldGrades.min == .bad }.count, 1)
        XCTAssertEqual(sheets.where { $0.ways.max > Metres(persistedValue: 1) }.count, 1)
    }

    func testTypesSayWhatTheySchemaCallsThem() {
        XCTAssertEqual([Int8._rlmType, Grade._rlmType, Letter?._rlmType], [.int, .int, .string])
        XCTAssertEqual([Metres._rlmType, Sheet._rlmType, Sheet?._rlmType], [.double, .object, .object])
        XCTAssertEqual([List<UUID>._rlmType, Map<String, Date?>._rlmType], [.UUID, .date])
        XCTAssertTrue(Grade?._rlmOptional && MutableSet<Data?>._rlmOptional)
        XCTAssertFalse(Grade._rlmOptional || AnyRealmValue._rlmOptional)
    }

    func testElementsOfAKeyAreAnArray() throws {
        let sheet = Sheet()
        fill(sheet)
        XCTAssertEqual(sheet.gaps.value(forKey: "self").count, 3)
        XCTAssertEqual((sheet.ints.value(forKey: "self") as [Any]).map { $0 as? Int }, [3, 1, 4])
        XCTAssertEqual(sheet.ints.value(forKey: "self") as? [Int], [3, 1, 4])
    }

    func testEqualityAsMethods() throws {
        let realm = try openRealm()
        let (sheet, other) = (Sheet(), Sheet())
        XCTAssertTrue(sheet.isEqual(sheet))
        XCTAssertFalse(sheet.isEqual(other) || sheet.isEqual(nil) || sheet.isEqual("sheet"))
        XCTAssertEqual(sheet.hash, sheet.hash)
        XCTAssertTrue(sheet.ints.isEqual(other.ints) && sheet.map.isEqual(other.map))
        sheet.ints.append(1)
        XCTAssertFalse(sheet.ints.isEqual(other.ints))
        try realm.write { realm.add(sheet) }
        let frozen = (sheet.freeze(), realm.objects(Sheet.self)[0].freeze())
        XCTAssertTrue(frozen.0.isEqual(frozen.1))
        XCTAssertEqual(frozen.0.hash, frozen.1.hash)
    }

    func testSchemasOfClasses() throws {
        XCTAssertEqual(Sheet.sharedSchema(), Sheet().objectSchema)
        XCTAssertEqual(Sheet.sharedSchema()?.properties.first?.name, "grade")
        for base in [ObjectBase.self, Object.self, EmbeddedObject.self] as [ObjectBase.Type] {
            XCTAssertNil(base.sharedSchema())
        }
        let schema = try XCTUnwrap(Owned.sharedSchema())
        XCTAssertEqual(schema.properties.map(\.name), ["name"], "what is stored")
        XCTAssertEqual(schema["owners"]?.type, .linkingObjects)
        XCTAssertEqual(Owned(value: ["a"]).name, "a")
    }

    private final class Owned: Object {
        @Persisted(originProperty: "owned") var owners: LinkingObjects<Owner>
        @Persisted var name = ""
    }

    private final class Owner: Object { @Persisted var owned: Owned? }
}
