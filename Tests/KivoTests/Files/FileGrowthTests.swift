import Foundation
import Kivo
import XCTest

/// How large files become, whatever is written to them.
final class FileGrowthTests: FileTestCase {
    private static let allowance = 1 << 14

    /// Every session ends with a checkpoint.
    private func closing(after tail: Int) -> Realm.Configuration {
        var configuration = configuration
        configuration.checkpoints.allowance = FileGrowthTests.allowance
        configuration.checkpoints.smallestTail = .max
        configuration.checkpoints.smallestTailOfClosing = tail
        return configuration
    }

    private func session(closing tail: Int = 1, _ body: (Realm) -> Void) throws {
        try withRealm(closing(after: tail)) { realm in try realm.write { body(realm) } }
        try waitUntilClosed()
    }

    /// The end of the last record.
    private var end: Int { get throws { try XCTUnwrap(try Data(contentsOf: file).recordBounds.last) } }

    private func addDogs(_ realm: Realm) {
        for age in 0..<6000 { realm.add(Dog(value: ["age": age, "name": "a dog with a long name \(age)"])) }
    }

    /// One that writes all pages again, behind one that wrote few: what the last has added says nothing.
    func testACheckpointThatIsLargerThanTheLast() throws {
        try session { addDogs($0) }
        let live = try end
        try session { realm in
            let dogs = realm.objects(Dog.self)
            for index in 0..<3600 { dogs[index].age += 1 }
        }
        XCTAssertGreaterThan(try end, live * 3 / 2, "nearly all pages were written again")
        let before = try end
        try session { realm in for dog in realm.objects(Dog.self) { dog.age += 1 } }
        XCTAssertLessThan(try end, live * 5 / 2 + FileGrowthTests.allowance)
        XCTAssertLessThan(try end, before, "it is a new file")
        try withRealm { realm in
            XCTAssertEqual(
                realm.objects(Dog.self).map(\.age), (0..<6000).map { $0 < 3600 ? $0 + 2 : $0 + 1 })
        }
    }

    /// A commit of few bytes can leave a large file with nothing in it.
    func testWhatIsDeletedIsGivenBackWhenTheFileIsClosed() throws {
        try session { addDogs($0) }
        let live = try end
        try session(closing: .max) { realm in realm.delete(realm.objects(Dog.self).where { $0.age >= 3000 }) }
        XCTAssertGreaterThan(try end, live, "half of it is worth no new file")
        try session(closing: .max) { realm in realm.delete(realm.objects(Dog.self).where { $0.age >= 10 }) }
        XCTAssertLessThan(try end, FileGrowthTests.allowance)
        try withRealm { realm in XCTAssertEqual(realm.objects(Dog.self).map(\.age), Array(0..<10)) }
    }
}
