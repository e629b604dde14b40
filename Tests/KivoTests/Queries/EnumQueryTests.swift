import Kivo
import XCTest

enum CrateSize: Int, PersistableEnum { case small = 1, medium = 5, large = 9 }

enum CrateLabel: String, PersistableEnum { case fragile, heavy, frozenFood = "frozen food" }

/// A class with enums in all places that they can be in.
final class Crate: Object {
    @Persisted var size = CrateSize.small
    @Persisted var oldSize: CrateSize?
    @Persisted var label = CrateLabel.fragile
    @Persisted var oldLabel: CrateLabel?
    @Persisted var sizes: List<CrateSize>
    @Persisted var gaps: List<CrateSize?>
    @Persisted var sizeSet: MutableSet<CrateSize>
    @Persisted var sizeMap: Map<String, CrateSize>
    @Persisted var labels: List<CrateLabel>
    @Persisted var crates: List<Crate>
}

final class EnumQueryTests: RealmTestCase {
    private func fill(_ crate: Crate) {
        crate.sizes.append(objectsIn: [.medium, .large, .small, .medium])
        crate.gaps.append(objectsIn: [nil, .large, .medium])
        crate.sizeSet.insert(objectsIn: [.medium, .large])
        crate.sizeMap["a"] = .large
        crate.sizeMap["b"] = .small
        for (size, old) in [(CrateSize.medium, CrateSize?.none), (.small, .large), (.large, nil)] {
            let inner = Crate()
            (inner.size, inner.oldSize) = (size, old)
            crate.crates.append(inner)
        }
    }

    private func check(_ crate: Crate) {
        XCTAssertEqual(crate.sizes.min(), .small)
        XCTAssertEqual(crate.sizes.max(), .large)
        XCTAssertEqual(crate.sizes.sum(), 20)
        XCTAssertEqual(crate.sizes.average(), 5)
        XCTAssertEqual(crate.gaps.min(), .medium)
        XCTAssertEqual(crate.gaps.max(), .large)
        XCTAssertEqual(crate.gaps.sum(), 14)
        XCTAssertEqual(crate.gaps.average(), 7)
        XCTAssertEqual(crate.sizeSet.max(), .large)
        XCTAssertEqual(crate.sizeSet.sum(), 14)
        XCTAssertEqual(crate.sizeMap.min(), .small)
        XCTAssertEqual(crate.sizeMap.max(), .large)
        XCTAssertEqual(crate.sizeMap.sum(), 10)
        XCTAssertEqual(crate.sizeMap.average(), 5)
        XCTAssertEqual(crate.crates.min(of: \.size), .small)
        XCTAssertEqual(crate.crates.max(of: \.size), .large)
        XCTAssertEqual(crate.crates.sum(of: \.size), 15)
        XCTAssertEqual(crate.crates.average(of: \.size), 5)
        XCTAssertEqual(crate.crates.max(of: \.oldSize), .large)
        XCTAssertEqual(crate.crates.sum(of: \.oldSize), 9)
        XCTAssertEqual(crate.crates.min(ofProperty: "size") as Int?, 1)
        XCTAssertEqual(crate.sizes.value(forKeyPath: "@sum.self") as? Int, 20)
        let empty = Crate()
        XCTAssertNil(empty.sizes.min())
        XCTAssertNil(empty.sizes.average())
        XCTAssertEqual(empty.gaps.sum(), 0)
    }

    func testAggregates() throws {
        let crate = Crate()
        fill(crate)
        check(crate)
        let realm = try openRealm()
        try realm.write { realm.add(crate) }
        check(crate)
        XCTAssertEqual(realm.objects(Crate.self).max(of: \.size), .large)
        XCTAssertEqual(crate.sizes.sorted().map(\.rawValue), [1, 5, 5, 9])
    }

    func testAggregatesInQueries() throws {
        let realm = try openRealm()
        let crate = try realm.write { realm.create(Crate.self) }
        try realm.write { fill(crate) }
        let crates = realm.objects(Crate.self)
        XCTAssertEqual(crates.where { $0.sizes.min == .small }.count, 1)
        XCTAssertEqual(crates.where { $0.sizes.max > .medium && $0.sizes.sum == 20 }.count, 1)
        XCTAssertEqual(crates.where { $0.gaps.max == .large && $0.gaps.sum == 14 }.count, 1)
        XCTAssertEqual(crates.where { $0.sizeMap.max == .large && $0.sizeMap.sum == 10 }.count, 1)
        XCTAssertEqual(crates.where { $0.crates.size.max == .large && $0.crates.size.sum > 14 }.count, 1)
    }

    func testTextOperators() throws {
        let realm = try openRealm()
        try realm.write {
            for (label, old) in [
                (CrateLabel.fragile, CrateLabel?.none), (.heavy, .frozenFood), (.frozenFood, .heavy),
            ] {
                let crate = realm.create(Crate.self)
                (crate.label, crate.oldLabel) = (label, old)
                crate.labels.append(label)
            }
        }
        let crates = realm.objects(Crate.self)
        func count(_ condition: (Query<Crate>) -> Query<Bool>) -> Int { crates.where(condition).count }
        XCTAssertEqual(count { $0.label.contains("a") }, 2)
        XCTAssertEqual(count { $0.label.contains(.heavy) }, 1)
        XCTAssertEqual(count { $0.label.contains("A", options: .caseInsensitive) }, 2)
        XCTAssertEqual(count { $0.label.starts(with: "fr") }, 2)
        XCTAssertEqual(count { $0.label.starts(with: .fragile) }, 1)
        XCTAssertEqual(count { $0.label.ends(with: "y") || $0.label.ends(with: .frozenFood) }, 2)
        XCTAssertEqual(count { $0.label.like("f*e") }, 1)
        XCTAssertEqual(count { $0.label.like("F*", caseInsensitive: true) }, 2)
        XCTAssertEqual(count { $0.label.equals(.heavy, options: .caseInsensitive) }, 1)
        XCTAssertEqual(count { $0.label.notEquals(.heavy, options: .diacriticInsensitive) }, 2)
        XCTAssertEqual(count { $0.oldLabel.contains("o") }, 1)
        XCTAssertEqual(count { $0.oldLabel.starts(with: .heavy) }, 1)
        XCTAssertEqual(count { $0.oldLabel.ends(with: "y") && $0.oldLabel.like("h?avy") }, 1)
        XCTAssertEqual(count { $0.oldLabel.equals(nil) }, 1)
        XCTAssertEqual(count { $0.oldLabel.notEquals(nil, options: .caseInsensitive) }, 2)
        XCTAssertEqual(count { $0.oldLabel.contains($0.oldLabel) }, 2)
        XCTAssertEqual(count { $0.label.starts(with: $0.label) }, 3)
        XCTAssertEqual(count { $0.labels.rawValue.contains("heavy") }, 1)
    }
}
