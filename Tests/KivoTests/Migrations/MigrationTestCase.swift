import Foundation
import Kivo
import XCTest

/// A test that writes a file with some classes, and opens it with others of the same names.
class MigrationTestCase: FileTestCase {
    /// Whether what a migration finds is in pages of a checkpoint, and not only in commits.
    var makesCheckpoints = false

    func configuration(
        _ types: [ObjectBase.Type]?, version: UInt64, _ block: MigrationBlock? = nil
    ) -> Realm.Configuration {
        var configuration = Realm.Configuration(
            fileURL: file, schemaVersion: version, migrationBlock: block, objectTypes: types)
        if makesCheckpoints {
            configuration.checkpoints.smallestTail = 1 << 10
            configuration.checkpoints.smallestTailOfClosing = 1 << 7
            configuration.checkpoints.allowance = 1 << 15
        }
        return configuration
    }

    /// Writes to the file with classes of version 0, or another.
    func write(_ types: [ObjectBase.Type], version: UInt64 = 0, _ body: (Realm) -> Void) throws {
        try withRealm(configuration(types, version: version)) { realm in try realm.write { body(realm) } }
    }

    /// Opens the file with classes of a higher version, and looks at it twice: right after the migration, and again once the
    /// file was closed.
    func migrate(
        _ types: [ObjectBase.Type], version: UInt64 = 1, _ block: MigrationBlock? = nil,
        check: (Realm) throws -> Void
    ) throws {
        try withRealm(configuration(types, version: version, block), check)
        let unexpected: MigrationBlock = { _, version in XCTFail("migrated again, from \(version)") }
        try withRealm(configuration(types, version: version, unexpected), check)
    }

    /// Asserts that opening with other classes fails and leaves the file as it is.
    func assertRefused(
        _ code: Realm.Error.Code, _ types: [ObjectBase.Type], version: UInt64, says words: [String],
        line: UInt = #line, _ block: MigrationBlock? = nil
    ) throws {
        try waitUntilClosed()
        let before = try Data(contentsOf: file)
        assertError(code, says: words, line: line) {
            try withRealm(configuration(types, version: version, block)) { _ in }
        }
        XCTAssertEqual(try Data(contentsOf: file), before, line: line)
    }
}

/// A test whose migrations find pages of a checkpoint in some runs, and in others only commits.
class EitherWayMigrationTestCase: MigrationTestCase {
    override func setUpWithError() throws {
        try super.setUpWithError()
        var random = RandomSource(name)
        makesCheckpoints = random.chance(50)
    }
}
