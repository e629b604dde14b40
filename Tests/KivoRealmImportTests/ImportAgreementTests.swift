import Foundation
import Kivo
import KivoRealmFiles
import KivoRealmImport
import TestRandomness
import XCTest

/// A realm after an import without classes contains the values that the engine that wrote the file reads from it.
final class ImportAgreementTests: ImportTestCase {
    func testAllFilesAgree() throws {
        var count = 0
        for name in TestEffort.cases(try ImportFixtures.names(), within: 0.36) {
            let json = try ImportFixtures.expected(name)
            if json["expectError"] != nil {
                let realm = try makeRealm(name)
                XCTAssertThrowsError(
                    try realm.importObjects(
                        fromRealmFile: ImportFixtures.url(name),
                        options: RealmFileImport.Options(classes: .all)), name
                ) { XCTAssert($0 is RealmFileError, "\(name): \($0)") }
                XCTAssert(realm.isEmpty && !realm.isInWriteTransaction, name)
                continue
            }
            let file = try ImportFixtures.file(name)
            let expected = ExpectedValues(json)
            let url = folder.appendingPathComponent(name + ".kivo")
            let configuration = Realm.Configuration(fileURL: url)
            try autoclosed {
                let realm = try Realm(configuration: configuration)
                try realm.storeClasses(of: file)
                let report = try realm.importObjects(
                    fromRealmFile: file, options: RealmFileImport.Options(classes: .all))
                try compare(realm, expected, report, name)
            }
            try autoclosed {
                let realm = try Realm(configuration: configuration)
                try compare(realm, expected, nil, name + ", reopened")
            }
            count += 1
        }
        XCTAssertGreaterThan(count, TestEffort.expected(60))
    }

    func testBatchesGiveTheSame() throws {
        for name in ["links-1", "embedded-3", "mixed-nested-1", "gaps-1", "primary-keys-3"] {
            let file = try ImportFixtures.file(name)
            let realm = try makeRealm(name)
            try realm.storeClasses(of: file)
            let report = try realm.importObjects(
                fromRealmFile: file,
                options: RealmFileImport.Options(classes: .all, transactions: .batches(of: 3)))
            try compare(realm, ExpectedValues(try ImportFixtures.expected(name)), report, name)
        }
    }

    private func autoclosed(_ body: () throws -> Void) rethrows { try body() }

    private func compare(
        _ realm: Realm, _ expected: ExpectedValues, _ report: RealmFileImport.Report?, _ name: String
    ) throws {
        var malformed = 0
        for table in expected.tables {
            // A class without objects is not in a file.
            guard realm.schema[table.name] != nil else {
                XCTAssert(table.objects.isEmpty, "\(name): \(table.name)")
                continue
            }
            let objects = realm.dynamicObjects(table.name)
            XCTAssertEqual(objects.count, table.objects.count, "\(name): \(table.name)")
            if let report {
                XCTAssertEqual(report[table.name]?.inserted, table.objects.count, "\(name): \(table.name)")
            }
            if table.isEmbedded || objects.count != table.objects.count { continue }
            // Long tables are compared in part, because this takes long.
            let step = max(1, objects.count / 2500)
            for (place, object) in objects.enumerated() where place % step == 0 {
                let words = (
                    expected.words(of: object, table, realm), expected.words(of: table.objects[place], table)
                )
                if words.0 == words.1 { continue }
                let shared = zip(words.0, words.1).prefix { $0 == $1 }.count
                let parts = [words.0, words.1].map { $0.dropFirst(max(0, shared - 40)).prefix(100) }
                XCTFail("\(name): \(table.name) \(place): …\(parts[0])… instead of …\(parts[1])…")
                break
            }
            malformed += "\(table.objects)".components(separatedBy: "invalidUTF8").count - 1
        }
        if let report {
            XCTAssertEqual(report.issueCount, malformed, "\(name): \(report)")
            XCTAssertEqual(report.skippedClasses, [], name)
            XCTAssertEqual(report.unusedProperties, [], name)
            XCTAssertEqual(report.missingProperties, [], name)
        }
    }
}
