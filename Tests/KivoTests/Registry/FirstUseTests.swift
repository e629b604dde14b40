import Kivo
import Synchronization
import XCTest

/// A class that counts the mirrors by which its properties are found, beside values that look like the fields of wrappers.
class MirroredModel: Object, CustomReflectable {
    static let mirrors = Atomic<Int>(0)

    @Persisted var a = 1
    @Persisted var b = "b"
    @Persisted(indexed: true) var c = "c"
    @Persisted var d: List<Int>
    @Persisted var e: MirroredModel?
    @Persisted var f = 6
    @Persisted var g = 7
    @Persisted var h = 8
    let numbers = List<String>()

    var customMirror: Mirror {
        Self.mirrors.add(1, ordering: .relaxed)
        let children: KeyValuePairs<String, Any> = [
            "_a": _a, "_b": _b, "_c": _c, "_d": _d, "_e": _e, "_f": _f, "_g": _g, "_h": _h,
            "numbers": numbers,
        ]
        return Mirror(self, children: children)
    }
}

/// A class whose other stored properties have the values by which wrappers are found.
class DecoyModel: Object {
    var first: UInt32 = 0x6B69_7600
    var second: UInt64 = 0x6B69_7601_6B69_7602
    @Persisted var number = 0x6B69_7600
    var third: UInt32 = 0x6B69_7603
    @Persisted var wide = 0x6B69_7600_6B69_7600
    @Persisted(primaryKey: true) var key = ""
    var fourth: (UInt32, UInt32) = (0x6B69_7600, 0x6B69_7600)
    let words = List<String>()
    @Persisted var last = 0x6B69_76FF
}

/// The first use of a class, in which its properties are found.
final class FirstUseTests: RealmTestCase {
    func testTwoMirrorsFindAllProperties() throws {
        let realm = try openRealm()
        try realm.write {
            realm.create(
                MirroredModel.self,
                value: ["a": 11, "b": "bb", "d": [4], "g": 77, "numbers": ["n"]] as [String: Any])
        }
        XCTAssertEqual(MirroredModel.mirrors.load(ordering: .relaxed), 2)
        let model = realm.objects(MirroredModel.self)[0]
        XCTAssertEqual([model.a, model.f, model.g, model.h], [11, 6, 77, 8])
        XCTAssertEqual(model.b, "bb")
        XCTAssertEqual(Array(model.d), [4])
        XCTAssertEqual(Array(model.numbers), ["n"])
        XCTAssertEqual(MirroredModel.sharedSchema()?.properties.count, 9)
        XCTAssertEqual(MirroredModel.indexedProperties(), ["c"])
    }

    func testValuesThatLookLikeFieldsOfWrappers() throws {
        let realm = try openRealm()
        let model = DecoyModel()
        model.key = "k"
        model.words.append("w")
        try realm.write { realm.add(model) }
        let stored = try XCTUnwrap(realm.object(ofType: DecoyModel.self, forPrimaryKey: "k"))
        XCTAssertEqual(
            [stored.number, stored.wide, stored.last], [0x6B69_7600, 0x6B69_7600_6B69_7600, 0x6B69_76FF])
        XCTAssertEqual(Array(stored.words), ["w"])
        XCTAssertEqual(
            [stored.first, stored.third, stored.fourth.0], [0x6B69_7600, 0x6B69_7603, 0x6B69_7600])
        XCTAssertEqual(stored.second, 0x6B69_7601_6B69_7602)
        try realm.write { stored.last = 1 }
        XCTAssertEqual(
            realm.objects(DecoyModel.self).where { $0.last == 1 && $0.number == 0x6B69_7600 }.count, 1)
    }
}
