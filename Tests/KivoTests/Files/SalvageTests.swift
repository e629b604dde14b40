import Foundation
import Kivo
import TestRandomness
import XCTest

/// Damaged files, of which everything that is intact is copied.
final class SalvageTests: FileTestCase {
    private func damage(_ record: Int) throws {
        var data = try Data(contentsOf: file)
        data[data.recordBounds[record - 1] + 36] ^= 1
        try data.write(to: file)
    }

    func testAnIntactFileIsCopiedWhole() throws {
        var versioned = configuration
        versioned.schemaVersion = 3
        try withRealm(versioned) { realm in
            try realm.write {
                let person = Person(value: ["name": "Ann", "dogs": [["name": "Rex"], ["name": "Max"]]])
                realm.add(person)
                person.favourite = person.dogs[1]
            }
            try realm.write { realm.add(Dog(value: ["name": "gone"])) }
            try realm.write { realm.delete(realm.objects(Dog.self).last!) }
        }
        let before = try Data(contentsOf: file)
        let report = try rescue()
        XCTAssertTrue(report.isComplete, "\(report)")
        XCTAssertEqual(report.objectCounts, ["Person": 1, "Dog": 2])
        XCTAssertEqual(try Data(contentsOf: file), before)
        assertError(.schemaMismatch) { _ = try Realm(configuration: Realm.Configuration(fileURL: rescued)) }
        versioned.fileURL = rescued
        try withRealm(versioned) { realm in
            let person = try XCTUnwrap(realm.objects(Person.self).first)
            XCTAssertEqual(person.dogs.map(\.name), ["Rex", "Max"])
            XCTAssertEqual(person.favourite?.holders.map(\.name), ["Ann"])
            // Keys are not given out again.
            try realm.write { realm.add(Dog(value: ["name": "new"])) }
            XCTAssertEqual(realm.objects(Dog.self).last?.name, "new")
        }
    }

    /// It opens at once: what was rescued is not one long commit.
    func testWhatIsRescuedIsWrittenAsACopyIs() throws {
        let copy = folder.appendingPathComponent("copy.kivo")
        try withRealm { realm in
            for round in 0..<3 {
                try realm.write {
                    for place in 0..<500 { realm.add(Dog(value: ["name": "dog \(place * round)"])) }
                }
            }
            try realm.writeCopy(toFile: copy)
        }
        XCTAssertTrue(try rescue().isComplete)
        let (found, wanted) = (try Realm.verify(fileURL: rescued), try Realm.verify(fileURL: copy))
        XCTAssertTrue(found.isIntact)
        XCTAssertNotNil(found.checkpointOffset)
        XCTAssertEqual(found.commitCount, 0)
        XCTAssertEqual([found.pageCount, found.objectCount], [wanted.pageCount, wanted.objectCount])
    }

    func testCommitsBeforeAndAfterDamage() throws {
        try commit(["a", "b", "c", "d", "e"])
        let bounds = try Data(contentsOf: file).recordBounds
        try damage(3)
        assertError(.invalidDatabase) { _ = try Realm(configuration: configuration) }
        let report = try rescue()
        XCTAssertEqual(report.recordCount, 4)
        XCTAssertEqual(report.missingRecordCount, 1)
        XCTAssertEqual(report.gaps, [.init(bytes: bounds[2]..<bounds[3], records: 3...3)])
        XCTAssertEqual(report.losses, [])
        XCTAssertFalse(report.isComplete)
        XCTAssert(report.description.contains("commit 3 is missing"), "\(report)")
        XCTAssertEqual(try names(Realm.Configuration(fileURL: rescued)), ["a", "b", "d", "e"])
    }

    func testWhatIsMissingAtTheEndIsCounted() throws {
        try commit(["a", "b", "c", "d", "e"])
        var data = try Data(contentsOf: file)
        let bounds = data.recordBounds
        data.resetBytes(in: bounds[2]..<bounds[5])
        try data.write(to: file)
        let report = try rescue()
        XCTAssertEqual(report.missingRecordCount, 3)
        XCTAssertEqual(report.gaps.map(\.records), [3...5])
        XCTAssertEqual(try names(Realm.Configuration(fileURL: rescued)), ["a", "b"])
    }

    func testWhatBuildsOnAMissingCommitIsSaid() throws {
        try withRealm { realm in
            let person = Person(value: ["name": "Ann", "dogs": [["name": "Rex"]]])
            try realm.write { realm.add(person) }
            let dog = Dog(value: ["name": "lost"])
            let chip = Chip(value: ["code": 7, "label": "old"])
            try realm.write { realm.add(chip) }
            try realm.write {
                realm.add(dog)
                realm.delete(chip)
            }
            try realm.write { dog.name = "renamed" }
            try realm.write { person.favourite = dog }
            try realm.write { person.dogs.append(dog) }
            try realm.write { person.dogs.append(Dog(value: ["name": "Max"])) }
            try realm.write { realm.add(Chip(value: ["code": 7, "label": "new"])) }
            try realm.write { person.name = "Bea" }
        }
        try damage(3)
        let report = try rescue()
        XCTAssertEqual(report.recordCount, 8)
        let losses = report.losses.map { "\($0.className).\($0.propertyName ?? "") \($0.kind) \($0.count)" }
        XCTAssertEqual(
            losses,
            [
                "Chip. objectOfTakenPrimaryKey 1", "Dog.name valueOfMissingObject 1",
                "Person.dogs collectionOfOtherContents 1", "Person.dogs linkToMissingObject 1",
                "Person.favourite linkToMissingObject 1",
            ])
        try withRealm(Realm.Configuration(fileURL: rescued)) { realm in
            let person = try XCTUnwrap(realm.objects(Person.self).first)
            XCTAssertEqual(person.name, "Bea")
            XCTAssertNil(person.favourite)
            XCTAssertEqual(person.dogs.map(\.name), ["Rex"])
            XCTAssertEqual(realm.objects(Dog.self).map(\.name), ["Rex", "Max"])
            XCTAssertEqual(realm.objects(Chip.self).map(\.label), ["new"])
        }
    }

    func testClassesOfAMissingCommitAreMissingAndOthersAreNot() throws {
        try commit(["a"])
        try withRealm { realm in
            try realm.write { realm.add(Chip(value: ["code": 1])) }
            try realm.write { realm.add(City(value: ["name": "Ulm"])) }
            try realm.write { realm.add(Chip(value: ["code": 2])) }
            try realm.write { realm.add(City(value: ["name": "Bonn"])) }
        }
        try damage(2)
        let report = try rescue()
        XCTAssertEqual(report.gaps.map(\.records), [2...2, 4...4])
        XCTAssertEqual(report.objectCounts, ["Dog": 1, "City": 2])
        try withRealm(Realm.Configuration(fileURL: rescued)) { realm in
            XCTAssertEqual(realm.objects(City.self).map(\.name), ["Ulm", "Bonn"])
            XCTAssertTrue(realm.objects(Chip.self).isEmpty)
        }
    }

    func testRandomDamage() throws {
        var random = RandomSource()
        try withRealm { realm in
            try realm.write { realm.add(FuzzHolder()) }
            for _ in 0..<40 {
                try realm.write { for _ in 0..<5 { FuzzEdit.random(&random).make(in: realm) } }
            }
            try realm.write {
                realm.add(
                    House(value: ["address": ["street": "x", "rooms": [["name": "y"]]]] as [String: Any]))
            }
        }
        let whole = try Data(contentsOf: file)
        let bounds = whole.recordBounds
        let (records, end) = (bounds.count - 1, bounds.last!)
        for round in TestEffort.rounds(150, within: 0.3) {
            var data = whole
            for _ in 0...random.below(3) {
                let start = 8192 + random.below(end - 8192)
                let stop = min(start + [1, 8, 512][random.below(3)], end)
                for position in start..<stop {
                    data[position] = random.chance(50) ? 0 : UInt8(random.below(256))
                }
            }
            try data.write(to: file)
            let report = try rescue()
            XCTAssertEqual(report.isComplete, data == whole, "round \(round): \(report)")
            let known = report.recordCount + report.missingRecordCount
            XCTAssertEqual(known, records, "round \(round): \(report)")
            try withRealm(Realm.Configuration(fileURL: rescued)) { realm in
                XCTAssertEqual(realm.objects(FuzzItem.self).count, report.objectCounts["FuzzItem"] ?? 0)
                for item in realm.objects(FuzzItem.self) { _ = (item.link?.value, item.linkedBy.count) }
                for holder in realm.objects(FuzzHolder.self) {
                    XCTAssert(holder.itemSet.allSatisfy { holder.itemSet.contains($0) })
                    _ = (holder.items.map(\.value), holder.numbers.count)
                }
                try realm.write { realm.deleteAll() }
            }
        }
    }

    func testWhatCannotBeSalvaged() throws {
        try Data("a text".utf8).write(to: file)
        assertError(.invalidDatabase) { _ = try rescue() }
        XCTAssertFalse(FileManager.default.fileExists(atPath: rescued.path))
        try FileManager.default.removeItem(at: file)
        assertError(.fileNotFound) { _ = try rescue() }
        try commit(["a"])
        assertError(.fileExists) { try Realm.salvage(contentsOf: file, to: file) }
        XCTAssertEqual(try names(), ["a"])
        try withRealm { _ in assertError(.alreadyOpen) { _ = try rescue() } }
    }
}
