import Foundation
import Kivo
import KivoEngine
import XCTest

/// Commits that no reader would accept, which only code inside of the library can make: they are refused when they are written.
final class RefusedCommitTests: FileTestCase {
    private func assertRefused(_ realm: Realm, _ edit: (WriteTransaction) -> Void) {
        realm.beginWrite()
        edit(realm.inspectedTransaction)
        XCTAssertThrowsError(try realm.commitWrite()) {
            XCTAssertTrue("\($0)".contains("have one primary key"), "\($0)")
        }
        if realm.isInWriteTransaction { realm.cancelWrite() }
    }

    /// Inserts a row, or takes a given one, and assigns its first column.
    private func assign(_ cell: Cell, to name: String, key: ObjectKey? = nil, _ transaction: WriteTransaction)
    {
        let table = transaction.catalog.table(named: name)!
        let column = transaction.catalog.tables[table].columns.firstIndex(where: \.isPrimaryKey)!
        transaction.set(cell, table, key ?? transaction.insert(into: table), column)
    }

    func testTwoRowsOfOnePrimaryKey() throws {
        var configuration = configuration
        configuration.objectTypes = [RefusedNumber.self, RefusedText.self]
        try withRealm(configuration) { realm in
            try realm.write {
                // Keys that ascend are found without an index, others by one.
                for id in [1, 2, 3, 9, 5] { realm.create(RefusedNumber.self, value: [id]) }
                for id in ["b", "a"] { realm.create(RefusedText.self, value: [id]) }
            }
            for id in [1, 3, 9, 5] as [UInt64] {
                assertRefused(realm) { assign(.word(id), to: "RefusedNumber", $0) }
                if id != 3 { assertRefused(realm) { assign(.word(id), to: "RefusedNumber", key: 3, $0) } }
            }
            assertRefused(realm) { transaction in
                for _ in 0..<2 { assign(.word(7), to: "RefusedNumber", transaction) }
            }
            assertRefused(realm) { assign(.string("a"), to: "RefusedText", $0) }
            assertRefused(realm) { assign(.string("b"), to: "RefusedText", key: 2, $0) }
            try realm.write {
                assign(.word(4), to: "RefusedNumber", key: 3, realm.inspectedTransaction)
                assign(.string("c"), to: "RefusedText", realm.inspectedTransaction)
            }
        }
        try waitUntilClosed()
        XCTAssertTrue(try Realm.verify(fileURL: file).isIntact)
        try withRealm(configuration) { realm in
            XCTAssertEqual(realm.objects(RefusedNumber.self).map(\.id), [1, 2, 4, 9, 5])
            XCTAssertEqual(realm.objects(RefusedText.self).map(\.id), ["b", "a", "c"])
        }
    }
}

final class RefusedNumber: Object {
    @Persisted(primaryKey: true) var id: Int
}

final class RefusedText: Object {
    @Persisted(primaryKey: true) var id: String
}
