import Foundation
import Kivo
import KivoRealmImport
import XCTest

/// The errors for a file that is passed to the wrong call, or imported without classes.
final class ImportOpeningTests: ImportTestCase {
    func testOpeningAFileOfTheEngineNamesTheImport() throws {
        for name in ["links-1", "write-copy-1", "group-write-1", "too-new-v99"] {
            let url = folder.appendingPathComponent(name + ".realm")
            try FileManager.default.copyItem(at: ImportFixtures.url(name), to: url)
            let before = try Data(contentsOf: url)
            XCTAssertThrowsError(try Realm(configuration: Realm.Configuration(fileURL: url)), name) { error in
                XCTAssertEqual((error as? Realm.Error)?.code, .invalidDatabase)
                XCTAssert("\(error)".contains("importObjects(fromRealmFile:)"), "\(error)")
                XCTAssert("\(error)".contains("kivo realm import"), "\(error)")
            }
            XCTAssertEqual(try Data(contentsOf: url), before)
        }
    }

    func testOtherForeignFilesDoNot() throws {
        let url = folder.appendingPathComponent("not-a-realm.realm")
        try FileManager.default.copyItem(at: ImportFixtures.url("not-a-realm"), to: url)
        XCTAssertThrowsError(try Realm(configuration: Realm.Configuration(fileURL: url))) { error in
            XCTAssertFalse("\(error)".contains("importObjects"), "\(error)")
        }
    }

    func testNoKnownClassIsAnError() throws {
        let realm = try makeRealm("", [SetModels.CollS.self])
        XCTAssertThrowsError(try realm.importObjects(fromRealmFile: ImportFixtures.url("string-enum-1"))) {
            error in
            XCTAssertEqual((error as? Realm.Error)?.code, .invalidInput)
            XCTAssert("\(error)".contains("objectTypes"), "\(error)")
        }
    }

    func testTheClassesOfTheConfigurationAreKnown() throws {
        let realm = try makeRealm("", [PersonModels.Person.self, PersonModels.Pet.self])
        let report = try realm.importObjects(fromRealmFile: ImportFixtures.url("links-1"))
        XCTAssertEqual(report.insertedCount, 18)
        XCTAssertEqual(realm.objects(PersonModels.Pet.self).count, 6)
    }

    func testAClassThatIsNotInTheConfigurationIsAnError() throws {
        let realm = try makeRealm("", [PersonModels.Person.self, PersonModels.Pet.self])
        XCTAssertThrowsError(
            try realm.importObjects(
                fromRealmFile: ImportFixtures.url("embedded-1"),
                options: .init(classes: .types([OrderModels.Order.self])))
        ) { XCTAssert("\($0)".contains("objectTypes"), "\($0)") }
    }

    /// A file that was filled without classes opens with them, values of any type that lead to objects included.
    func testClassesOpenWhatCameWithoutThem() throws {
        let url = folder.appendingPathComponent("people.kivo")
        let file = try ImportFixtures.file("links-1")
        func fill() throws {
            let realm = try Realm(configuration: Realm.Configuration(fileURL: url))
            try realm.storeClasses(of: file)
            try realm.importObjects(fromRealmFile: file, options: .init(classes: .all))
        }
        try fill()
        let realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: url, objectTypes: [PersonModels.Person.self, PersonModels.Pet.self]))
        let people = realm.objects(PersonModels.Person.self)
        XCTAssertEqual(people.count, 12)
        XCTAssertGreaterThan(people.filter { $0.any.object(PersonModels.Pet.self) != nil }.count, 0)
    }
}
