import Kivo
import XCTest

/// Writes are refused while more versions are kept than the configuration allows.
final class VersionLimitTests: RealmTestCase {
    override var configuration: Realm.Configuration {
        var configuration = super.configuration
        configuration.maximumNumberOfActiveVersions = 5
        return configuration
    }

    func testAFrozenRealmIsFound() throws {
        let realm = try openRealm()
        for _ in 0..<20 { try realm.write { realm.add(Dog()) } }
        var frozen: Realm? = realm.freeze()
        XCTAssertThrowsError(
            try { for _ in 0..<20 { try realm.write { realm.add(Dog()) } } }(),
            "the frozen realm stays behind"
        ) { error in
            guard case Realm.Error.fail = error else { return XCTFail("\(error)") }
            XCTAssertTrue("\(error)".contains("allows 5"), "\(error)")
        }
        let count = realm.objects(Dog.self).count
        XCTAssertGreaterThan(count, 20)
        XCTAssertThrowsError(try realm.write { realm.add(Dog()) })
        XCTAssertEqual(realm.objects(Dog.self).count, count, "nothing of a refused write is kept")
        XCTAssertEqual(frozen?.objects(Dog.self).count, 20)
        frozen = nil
        try realm.write { realm.add(Dog()) }
        XCTAssertEqual(realm.objects(Dog.self).count, count + 1)
    }
}
