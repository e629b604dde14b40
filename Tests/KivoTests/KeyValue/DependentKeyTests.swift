import Foundation
import Kivo
import XCTest

/// Keys whose values depend on other keys.
final class DependentKeyTests: RealmTestCase {
    // MARK: Rules by name

    func testAKeyThatDependsOnTwo() throws {
        try onBothKinds({ Sum(value: ["first": 1, "second": 2]) }) { sum in
            let recorder = observe(sum, "total", [.initial, .prior, .old, .new])
            XCTAssertEqual(told(recorder), ["total 1 new 3"])
            sum.first = 5
            XCTAssertEqual(told(recorder), ["total 1 old 3 prior", "total 1 old 3 new 7"])
            sum.second = 2
            XCTAssertEqual(told(recorder), ["total 1 old 7 prior", "total 1 old 7 new 7"])
            sum.next = Sum()
            XCTAssertEqual(told(recorder), [])
            sum.removeObserver(recorder, forKeyPath: "total")
            sum.first = 6
            XCTAssertEqual(told(recorder), [])
        }
    }

    func testDerivedOfDerivedAndDiamonds() throws {
        try onBothKinds({ Sum(value: ["first": 1]) }) { sum in
            let (double, mixture) = (observe(sum, "double"), observe(sum, "mixture"))
            sum.first = 2
            XCTAssertEqual(told(double), ["double 1 old 2 new 4"])
            XCTAssertEqual(told(mixture), ["mixture 1 old 3 new 6"], "once, by however many ways")
            sum.removeObserver(double, forKeyPath: "double")
            sum.removeObserver(mixture, forKeyPath: "mixture")
        }
    }

    func testNamedComputedPropertiesByTypedKeyPath() throws {
        try onBothKinds({ Sum(value: ["first": 1]) }) { sum in
            var values: [(Int?, Int?)] = []
            let token = sum.observe(\.double, options: [.old, .new]) { _, change in
                values.append((change.oldValue, change.newValue))
            }
            sum.second = 3
            XCTAssertEqual(values.map(\.0), [2])
            XCTAssertEqual(values.map(\.1), [8])
            token.invalidate()
        }
    }

    func testDependenciesThroughALink() throws {
        try onBothKinds({ Sum() }) { sum in
            let recorder = observe(sum, "nextTotal")
            sum.next = Sum(value: ["first": 1])
            XCTAssertEqual(told(recorder), ["nextTotal 1 old -1 new 1"])
            let first = try XCTUnwrap(sum.next)
            first.second = 2
            XCTAssertEqual(told(recorder), ["nextTotal 1 old 1 new 3"])
            sum.next = nil
            XCTAssertEqual(told(recorder), ["nextTotal 1 old 3 new -1"])
            first.second = 3
            XCTAssertEqual(told(recorder), [])
            sum.removeObserver(recorder, forKeyPath: "nextTotal")
        }
    }

    func testPathsToDerivedKeys() throws {
        try onBothKinds({ Sum(value: ["next": ["first": 1]]) }) { sum in
            let recorder = observe(sum, "next.double")
            sum.next?.first = 2
            XCTAssertEqual(told(recorder), ["next.double 1 old 2 new 4"])
            sum.next = Sum(value: ["second": 5])
            XCTAssertEqual(told(recorder), ["next.double 1 old 4 new 10"])
            sum.next?.second = 6
            XCTAssertEqual(told(recorder), ["next.double 1 old 10 new 12"])
            sum.removeObserver(recorder, forKeyPath: "next.double")
        }
    }

    func testAKeyThatDependsOnAList() throws {
        try onBothKinds({ Sum() }) { sum in
            let recorder = observe(sum, "partCount")
            sum.parts.append(objectsIn: [Sum(), Sum()])
            XCTAssertEqual(told(recorder), ["partCount 1 old 0 new 2"])
            sum.parts.remove(at: 0)
            XCTAssertEqual(told(recorder), ["partCount 1 old 2 new 1"])
            sum.removeObserver(recorder, forKeyPath: "partCount")
        }
    }

    func testAnAnnouncedChangeOfABaseKey() throws {
        try onBothKinds({ Sum(value: ["first": 1]) }) { sum in
            let recorder = observe(sum, "double")
            sum.willChangeValue(forKey: "total")
            sum.didChangeValue(forKey: "total")
            XCTAssertEqual(told(recorder), ["double 1 old 2 new 2"])
            sum.removeObserver(recorder, forKeyPath: "double")
        }
    }

    // MARK: Circles

    func testKeysThatDependOnEachOther() throws {
        try onBothKinds({ Sum() }) { sum in
            let (yin, yang) = (observe(sum, "yin"), observe(sum, "yang"))
            sum.first = 1
            XCTAssertEqual(told(yin), ["yin 1 old 0 new 1"])
            XCTAssertEqual(told(yang), ["yang 1 old 0 new 0"])
            sum.second = 2
            XCTAssertEqual(told(yin), ["yin 1 old 1 new 1"])
            XCTAssertEqual(told(yang), ["yang 1 old 0 new 2"])
            sum.removeObserver(yin, forKeyPath: "yin")
            sum.removeObserver(yang, forKeyPath: "yang")
        }
    }

    func testADependencyDownAChain() throws {
        try onBothKinds({ Sum(value: ["first": 1, "next": ["first": 2, "next": ["first": 3]]]) }) { sum in
            let recorder = observe(sum, "depth")
            sum.next?.next?.first = 4
            XCTAssertEqual(told(recorder), ["depth 1 old 3 new 3"])
            sum.next?.first = 5
            XCTAssertEqual(told(recorder), ["depth 1 old 3 new 6"])
            sum.removeObserver(recorder, forKeyPath: "depth")
        }
    }

    /// The accessors that links of a managed object answer are many, and the ring is still one.
    func testADependencyAroundARing() throws {
        try onBothKinds({ Sum(value: ["first": 1, "next": ["first": 2]]) }) { sum in
            sum.next?.next = sum
            let recorder = observe(sum, "depth")
            sum.next?.first = 3
            XCTAssertEqual(told(recorder), ["depth 1 old 3 new 4"])
            sum.first = 10
            XCTAssertEqual(told(recorder), ["depth 1 old 4 new 13"])
            sum.next = nil
            XCTAssertEqual(told(recorder), ["depth 1 old 13 new 10"])
            sum.removeObserver(recorder, forKeyPath: "depth")
        }
    }

    func testAnObjectThatLinksToItself() throws {
        try onBothKinds({ Sum(value: ["first": 1]) }) { sum in
            let recorder = observe(sum, "depth")
            sum.next = sum
            XCTAssertEqual(told(recorder), ["depth 1 old 1 new 2"])
            sum.first = 2
            XCTAssertEqual(told(recorder), ["depth 1 old 2 new 4"])
            sum.removeObserver(recorder, forKeyPath: "depth")
            // An unmanaged object that holds itself never goes.
            sum.next = nil
        }
    }

    // MARK: Typed rules

    func testTypedRules() throws {
        try onBothKinds({ Area(value: ["width": 4, "height": 2]) }) { area in
            var sizes: [(Int?, Int?)] = []
            var halves: [(Int?, Int?)] = []
            let tokens = [
                area.observe(\.size, options: [.old, .new]) { sizes.append(($1.oldValue, $1.newValue)) },
                area.observe(\.half, options: [.old, .new]) { halves.append(($1.oldValue, $1.newValue)) },
            ]
            area.width = 6
            area.height = 3
            area.inner = Area()
            XCTAssertEqual(sizes.map(\.0), [8, 12])
            XCTAssertEqual(sizes.map(\.1), [12, 18])
            XCTAssertEqual(halves.map(\.0), [4, 6])
            XCTAssertEqual(halves.map(\.1), [6, 9])
            for token in tokens { token.invalidate() }
            area.width = 1
            XCTAssertEqual(sizes.count, 2)
        }
    }

    func testTypedRulesThroughALink() throws {
        try onBothKinds({ Area() }) { area in
            var sizes: [(Int?, Int?)] = []
            let token = area.observe(\.innerSize, options: [.old, .new]) { _, change in
                sizes.append((change.oldValue, change.newValue))
            }
            area.inner = Area(value: ["width": 2])
            area.inner?.height = 5
            area.inner = nil
            XCTAssertEqual(sizes.map(\.0), [0, 2, 10])
            XCTAssertEqual(sizes.map(\.1), [2, 10, 0])
            token.invalidate()
        }
    }

    /// A computed property that reads exactly one stored property is not that property.
    func testAComputedPropertyThatReadsOneStoredProperty() throws {
        try onBothKinds({ Area(value: ["width": 2, "inner": ["width": 5]]) }) { area in
            var values: [(Int?, Int?)] = []
            let own = area.observe(\.doubleWidth, options: [.old, .new]) { _, change in
                values.append((change.oldValue, change.newValue))
            }
            area.width = 3
            XCTAssertEqual(values.map(\.0), [4])
            XCTAssertEqual(values.map(\.1), [6])
            own.invalidate()
            values = []
            let linked = area.observe(\.doubleInnerWidth, options: [.old, .new]) { _, change in
                values.append((change.oldValue, change.newValue))
            }
            area.inner?.width = 6
            area.inner = nil
            XCTAssertEqual(values.map(\.0), [10, 12])
            XCTAssertEqual(values.map(\.1), [12, 0])
            linked.invalidate()
        }
    }

    // MARK: Declared at run time

    /// Getters that fail with most values run only with those that the object has.
    func testComputedPropertiesThatTakeFewValues() throws {
        try onBothKinds({ Storage() }) { storage in
            var told: [[Int]] = []
            let tokens = [
                storage.observe(\.bytes, options: [.old, .new]) {
                    told.append([$1.oldValue!, $1.newValue!])
                },
                storage.observe(\.offset, options: [.old, .new]) {
                    told.append([$1.oldValue!, $1.newValue!])
                },
            ]
            storage.megabytes = 2
            storage.page = 1
            XCTAssertEqual(told, [[0, 2 << 20], [0, 10]])
            let sizes = StorageSizes(projecting: storage)
            XCTAssertEqual([sizes.bytes, sizes.offset, sizes.megabytes], [2 << 20, 10, 2])
            sizes.bytes = 3 << 20
            XCTAssertEqual([sizes.bytes, sizes.megabytes], [3 << 20, 3])
            for token in tokens { token.invalidate() }
        }
    }

    func testDeclarationsAtRunTime() throws {
        Declared.setKeys(["first"], triggerChangeNotificationsForDependentKey: "sum")
        let declared = Declared()
        let recorder = observe(declared, "sum")
        declared.first = 1
        declared.second = 1
        XCTAssertEqual(told(recorder), ["sum 1 old 0 new 1"])
        declared.removeObserver(recorder, forKeyPath: "sum")
        Declared.setKeys(["second"], triggerChangeNotificationsForDependentKey: "sum")
        declared.addObserver(recorder, forKeyPath: "sum", options: [.old, .new])
        declared.first = 2
        declared.second = 2
        XCTAssertEqual(told(recorder), ["sum 1 old 3 new 4"], "the last declaration is the one that counts")
        declared.removeObserver(recorder, forKeyPath: "sum")
        let derived = DerivedDeclared()
        let inherited = observe(derived, "sum", [])
        derived.second = 1
        derived.first = 1
        XCTAssertEqual(told(inherited), ["sum 1"])
        derived.removeObserver(inherited, forKeyPath: "sum")
    }

    func testARuleOfTheClassBeatsADeclaration() throws {
        Sum.setKeys(["next"], triggerChangeNotificationsForDependentKey: "total")
        let sum = Sum()
        let recorder = observe(sum, "total", [])
        sum.next = Sum()
        XCTAssertEqual(told(recorder), [])
        sum.first = 1
        XCTAssertEqual(told(recorder), ["total 1"])
        sum.removeObserver(recorder, forKeyPath: "total")
    }

    // MARK: Links that come and go

    func testTyingAgainDoesNotPileUp() throws {
        try onBothKinds({ Sum(value: ["first": 1]) }) { sum in
            let (path, derived) = (observe(sum, "next.total"), observe(sum, "nextTotal"))
            let ends = [Sum(value: ["first": 1]), Sum(value: ["first": 2])]
            for round in 0..<100 {
                sum.next = ends[round % 2]
                if round % 3 == 0 { sum.next = nil }
            }
            sum.next = ends[0]
            XCTAssertEqual(path.calls.count, 135)
            XCTAssertEqual(derived.calls.count, 135)
            (path.calls, derived.calls) = ([], [])
            ends[0].first = 5
            XCTAssertEqual(told(path), ["next.total 1 old 1 new 5"])
            XCTAssertEqual(told(derived), ["nextTotal 1 old 1 new 5"])
            ends[1].first = 6
            XCTAssertEqual(told(path), [])
            XCTAssertEqual(told(derived), [])
            sum.removeObserver(path, forKeyPath: "next.total")
            sum.removeObserver(derived, forKeyPath: "nextTotal")
        }
    }

    // MARK: Refreshing

    func testDependentKeysFollowARefresh() throws {
        let realm = try openRealm()
        let sum = Sum(value: ["first": 1, "next": ["first": 10]])
        try realm.write { realm.add(sum) }
        let keys = ["total", "mixture", "nextTotal", "partCount"]
        let recorders = keys.map { observe(sum, $0) }
        try writeElsewhere { realm in
            let sum = try XCTUnwrap(realm.objects(Sum.self).first { $0.next != nil })
            sum.first = 2
            sum.second = 3
            sum.next?.second = 5
            sum.next = Sum(value: ["first": 100])
            sum.parts.append(Sum())
        }
        realm.refresh()
        XCTAssertEqual(
            recorders.map { told($0) },
            [
                ["total 1 old 1 new 5"], ["mixture 1 old 3 new 15"], ["nextTotal 1 old 10 new 100"],
                ["partCount 1 old 0 new 1"],
            ])
        try writeElsewhere { realm in realm.objects(Sum.self).first { $0.first == 10 }?.first = 11 }
        realm.refresh()
        XCTAssertEqual(recorders.map { told($0) }, [[], [], [], []])
        realm.beginWrite()
        sum.next?.first = 101
        sum.first = 7
        for recorder in recorders { recorder.calls = [] }
        realm.cancelWrite()
        XCTAssertEqual(told(recorders[0]), ["total 1 old 10 new 5"])
        XCTAssertEqual(told(recorders[2]), ["nextTotal 1 old 101 new 100"])
        for (key, recorder) in zip(keys, recorders) { sum.removeObserver(recorder, forKeyPath: key) }
    }
}

/// A model whose computed properties fail with most values of the properties that they read.
private final class Storage: Object {
    @Persisted var megabytes = 0
    @Persisted var page = 0
    let starts = [0, 10, 20]

    var bytes: Int {
        get { megabytes * 1_048_576 }
        set { megabytes = newValue / 1_048_576 }
    }
    var offset: Int {
        get { starts[page] }
        set { page = starts.firstIndex(of: newValue) ?? 0 }
    }
}

private final class StorageSizes: Projection<Storage> {
    @Projected(\Storage.megabytes) var megabytes
    @Projected(\Storage.bytes) var bytes
    @Projected(\Storage.offset) var offset
}
