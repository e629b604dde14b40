import Foundation
import Kivo
import KivoRealmFiles
import KivoRealmImport
import TestRandomness
import XCTest

/// Imports and their transactions, their effect on existing objects, and their failures.
final class ImportTransactionTests: ImportTestCase {
    private let options = RealmFileImport.Options(classes: .types([PersonModels.Person.self]))

    private struct Stop: Error {}

    func testExistingObjectsAreAnErrorUnlessSaid() throws {
        let realm = try makeRealm()
        let pet = try realm.write {
            realm.create(PersonModels.Pet.self, value: ["tag": try tags()[1]])
        }
        XCTAssertThrowsError(
            try realm.importObjects(fromRealmFile: ImportFixtures.url("links-1"), options: options)
        ) {
            XCTAssertEqual(($0 as? Realm.Error)?.code, .invalidInput)
            XCTAssert("\($0)".contains(pet.tag) && "\($0)".contains("existingObjects"), "\($0)")
        }
        XCTAssertEqual(realm.objects(PersonModels.Pet.self).count, 1)
        XCTAssert(realm.objects(PersonModels.Person.self).isEmpty)
        XCTAssertFalse(realm.isInWriteTransaction)
    }

    func testExistingObjectsAreKept() throws {
        let realm = try makeRealm()
        let tag = try tags()[1]
        let pet = try realm.write { () -> PersonModels.Pet in
            let owner = realm.create(PersonModels.Person.self, value: ["id": 4711])
            return realm.create(PersonModels.Pet.self, value: ["tag": tag, "owner": owner])
        }
        var options = options
        options.existingObjects = .keep
        let report = try realm.importObjects(fromRealmFile: ImportFixtures.url("links-1"), options: options)
        XCTAssertEqual(report["Pet"]?.kept, 1)
        XCTAssertEqual(report["Pet"]?.inserted, try tags().count - 1)
        XCTAssertEqual(pet.owner?.id, 4711)
        // Links of others lead to it.
        XCTAssertGreaterThan(
            realm.objects(PersonModels.Person.self).filter { $0.pets.contains(pet) }.count, 0)
    }

    func testExistingObjectsAreOverwrittenWhereTheyDiffer() throws {
        let realm = try makeRealm()
        try realm.importObjects(fromRealmFile: ImportFixtures.url("links-1"), options: options)
        let people = realm.objects(PersonModels.Person.self)
        func words(_ people: some Sequence<PersonModels.Person>) -> [String] {
            people.map {
                let words =
                    "\($0.id) \($0.name) \(Array($0.friends.map(\.id))) \($0.byName.keys) \(Array($0.anys))"
                // Collections print where they are in memory, too.
                return words.replacing(/<0x[0-9a-f]+>/, with: "<>")
            }
        }
        let before = words(people)
        var told: [String] = []
        // Without key paths, changes of linked objects would count as well.
        let token = people.observe(keyPaths: ["name"]) { change in
            if case .update(_, let deletions, let insertions, let modifications) = change {
                told.append("\(deletions) \(insertions) \(modifications)")
            }
        }
        realm.refresh()
        try realm.write {
            people[2].name = "another"
            people[3].friends.removeAll()
        }
        try realm.write {}
        told = []
        var options = options
        options.existingObjects = .overwrite
        let report = try realm.importObjects(fromRealmFile: ImportFixtures.url("links-1"), options: options)
        try realm.write {}
        XCTAssertEqual(report["Person"]?.overwritten, people.count)
        XCTAssertEqual(report["Person"]?.inserted, 0)
        XCTAssertEqual(words(people), before)
        XCTAssertEqual(told, ["[] [] [2]"])
        token.invalidate()
    }

    func testOverwrittenObjectsTellKeyValueObservers() throws {
        let realm = try makeRealm()
        try realm.importObjects(fromRealmFile: ImportFixtures.url("links-1"), options: options)
        let person = realm.objects(PersonModels.Person.self)[2]
        let name = person.name
        try realm.write { person.name = "another" }
        var told: [String] = []
        let observation = person.observe(\.name, options: [.old, .new]) { _, change in
            told.append("\(change.oldValue ?? "") \(change.newValue ?? "")")
        }
        var options = options
        options.existingObjects = .overwrite
        try realm.importObjects(fromRealmFile: ImportFixtures.url("links-1"), options: options)
        XCTAssertEqual(told, ["another \(name)"])
        observation.invalidate()
    }

    func testEmbeddedObjectsOfOverwrittenOnesAreMadeAnew() throws {
        let realm = try makeRealm()
        var options = RealmFileImport.Options(classes: .types([OrderModels.Order.self]))
        let first = try realm.importObjects(fromRealmFile: ImportFixtures.url("embedded-1"), options: options)
        options.existingObjects = .overwrite
        let second = try realm.importObjects(
            fromRealmFile: ImportFixtures.url("embedded-1"), options: options)
        XCTAssertEqual(second["Line"]?.inserted, first["Line"]?.inserted)
        XCTAssertEqual(realm.dynamicObjects("Line").count, first["Line"]?.inserted)
        XCTAssertEqual(realm.dynamicObjects("Geo").count, first["Geo"]?.inserted)
        XCTAssertEqual(second.issueCount, 0)
    }

    func testProgressAndBatches() throws {
        let realm = try makeRealm()
        var commits = 0
        let token = realm.observe { _, _ in commits += 1 }
        var steps: [RealmFileImport.Progress] = []
        var options = RealmFileImport.Options(classes: .types([PersonModels.Person.self]))
        options.transactions = .batches(of: 5)
        try realm.importObjects(
            fromRealmFile: ImportFixtures.url("links-1"), options: options, progress: { steps.append($0) })
        // 12 people and 6 pets, each once without links and once with them.
        XCTAssertEqual(steps.map(\.completedSteps), [5, 10, 15, 20, 25, 30, 35, 36])
        XCTAssertEqual(Set(steps.map(\.totalSteps)), [36])
        XCTAssertEqual(steps.last?.fractionCompleted, 1)
        XCTAssertEqual(commits, 8)
        token.invalidate()
    }

    func testProgressOfOneTransaction() throws {
        let realm = try makeRealm()
        let file = try ImportFixtures.file("rows-65597")
        try realm.storeClasses(of: file)
        var counts: [Int] = []
        try realm.importObjects(
            fromRealmFile: file, options: .init(classes: .all),
            progress: { progress in
                counts.append(realm.dynamicObjects("Big").count)
                XCTAssertEqual(realm.isInWriteTransaction, progress.fractionCompleted < 1)
            })
        XCTAssertEqual(counts, [10_000, 20_000, 30_000, 40_000, 50_000, 60_000, 65_597])
    }

    func testStoppingFromTheProgressBlock() throws {
        let file = try ImportFixtures.file("rows-65597")
        for (transactions, left) in [(RealmFileImport.Transactions.one, 0), (.batches(of: 10_000), 20_000)] {
            let realm = try makeRealm("\(transactions)")
            try realm.storeClasses(of: file)
            XCTAssertThrowsError(
                try realm.importObjects(
                    fromRealmFile: file, options: .init(classes: .all, transactions: transactions),
                    progress: { if $0.completedSteps == 20_000 { throw Stop() } })
            ) { XCTAssert($0 is Stop) }
            XCTAssertEqual(realm.dynamicObjects("Big").count, left)
            XCTAssertFalse(realm.isInWriteTransaction)
        }
    }

    func testAnErrorOfTheConvertingBlockEndsTheImport() throws {
        let realm = try makeRealm()
        let options = RealmFileImport.Options(classes: .types([NumberModels.All.self]))
        let url = ImportFixtures.url("scalars-required-1")
        XCTAssertThrowsError(
            try realm.importObjects(fromRealmFile: url, options: options, convert: { _ in throw Stop() })
        ) { XCTAssert($0 is Stop) }
        XCTAssert(realm.isEmpty)
        // The converted value has to fit.
        XCTAssertThrowsError(
            try realm.importObjects(fromRealmFile: url, options: options, convert: { _ in "no number" })
        ) {
            XCTAssertEqual(($0 as? Realm.Error)?.code, .invalidInput)
            XCTAssert("\($0)".contains("'no number'") && "\($0)".contains("'All."), "\($0)")
        }
        XCTAssert(realm.isEmpty)
    }

    func testWithinAWriteTransaction() throws {
        let realm = try makeRealm()
        try realm.write {
            try realm.importObjects(fromRealmFile: ImportFixtures.url("links-1"), options: options)
            XCTAssert(realm.isInWriteTransaction)
            XCTAssertEqual(realm.objects(PersonModels.Person.self).count, 12)
            realm.cancelWrite()
        }
        XCTAssert(realm.isEmpty)
    }

    /// A link to an object of another class would be one to an object of the right class with the same key.
    func testALinkToAnotherClassIsLeftOut() throws {
        var bytes = Array(try Data(contentsOf: ImportFixtures.url("embedded-3")))
        // The first value of a map leads to the first address instead of a line.
        bytes[3136] = 5
        let realm = try makeRealm()
        let report = try realm.importObjects(
            fromRealmFile: try RealmFile(bytes: bytes), options: .init(classes: .all))
        let issue = try XCTUnwrap(report.issues.first)
        XCTAssertEqual(report.issues.count, 1)
        XCTAssertEqual(issue.reason, .otherType("an object"))
    }

    /// Whatever a damaged file holds, all of it or nothing is in the realm.
    func testDamagedFilesLeaveNothingHalfDone() throws {
        let seed = RandomSource.seed()
        var random = RandomSource(seed: seed)
        print("import: seed \(seed)")
        var refused = 0
        for name in [
            "links-1", "embedded-3", "mixed-nested-1", "dictionaries-3", "mapped-names-1", "sets-3",
            "primary-keys-1",
        ] {
            let intact = Array(try Data(contentsOf: ImportFixtures.url(name)))
            for round in 0..<TestEffort.count(8, full: 150) {
                var bytes = intact
                for _ in 0...(round % 3) {
                    bytes[Int.random(in: 24..<bytes.count, using: &random)] ^=
                        1 << UInt8.random(in: 0..<8, using: &random)
                }
                let realm = try makeRealm("\(name) \(round)")
                do {
                    let file = try RealmFile(bytes: bytes)
                    let report = try realm.importObjects(fromRealmFile: file, options: .init(classes: .all))
                    for count in report.classes {
                        let stored =
                            realm.schema[count.className] == nil
                            ? 0 : realm.dynamicObjects(count.className).count
                        XCTAssertEqual(stored, count.inserted, "seed \(seed), \(name) \(round)")
                    }
                } catch {
                    refused += 1
                    XCTAssert(realm.isEmpty, "seed \(seed), \(name) \(round): \(error)")
                }
                XCTAssertFalse(realm.isInWriteTransaction)
            }
        }
        XCTAssertGreaterThan(refused, TestEffort.expected(20))
    }

    private func tags() throws -> [String] {
        ExpectedValues(try ImportFixtures.expected("links-1")).table("Pet").objects
            .map { ($0["values"] as! [String: Any])["tag"] as! String }
    }
}
