import Foundation
import Kivo
import KivoEngine
import XCTest

/// Commits that no reader would accept, which only code inside of the library can make: they are refused when they are written.
final class RefusedCommitTests: FileTestCase {
    private func assertRefused(
        _ realm: Realm, _ reason: String = "have one primary key", line: UInt = #line,
        _ edit: (WriteTransaction) -> Void
    ) {
        realm.beginWrite()
        edit(realm.inspectedTransaction)
        XCTAssertThrowsError(try realm.commitWrite()) {
            XCTAssertTrue("\($0)".contains(reason), "\($0)", line: line)
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

extension RefusedCommitTests {
    func testEmbeddedObjectsWithTwoPlaces() throws {
        var configuration = configuration
        configuration.objectTypes = [RefusedOwner.self, RefusedPart.self]
        try withRealm(configuration) { realm in
            try realm.write {
                for id in 1...2 {
                    realm.create(
                        RefusedOwner.self,
                        value: ["id": id, "part": ["inner": [:]], "parts": [[:], [:]]])
                }
            }
            func edit(
                _ flaw: String = "has two places",
                _ body: @escaping (WriteTransaction, _ owner: TableID, _ part: TableID) -> Void
            ) {
                assertRefused(realm, "an embedded object of 'RefusedPart' \(flaw)") { transaction in
                    let catalog = transaction.catalog
                    body(
                        transaction, catalog.table(named: "RefusedOwner")!,
                        catalog.table(named: "RefusedPart")!)
                }
            }
            func column(_ name: String, _ transaction: WriteTransaction, _ table: TableID) -> Int {
                transaction.catalog.tables[table].columns.firstIndex { $0.name == name }!
            }
            func part(_ owner: ObjectKey, _ transaction: WriteTransaction, _ table: TableID) -> ObjectKey {
                transaction.snapshot.table(table).cell(owner, column("part", transaction, table), .link)
                    .linkKey
            }
            // A part of another object, in a property and in a list.
            edit { transaction, owner, _ in
                transaction.set(
                    .link(part(1, transaction, owner)), owner, 2, column("part", transaction, owner))
            }
            edit { transaction, owner, _ in
                let id = CollectionID(table: owner, column: column("parts", transaction, owner), key: 2)
                transaction.insertElements([.link(part(1, transaction, owner))], at: 1, into: id)
            }
            // A new part in two places of one object.
            edit { transaction, owner, table in
                let new = transaction.insert(into: table)
                let id = CollectionID(table: owner, column: column("parts", transaction, owner), key: 1)
                transaction.insertElements([.link(new), .link(new)], at: 0, into: id)
            }
            // A part that is its own.
            edit("is within itself") { transaction, owner, table in
                let new = transaction.insert(into: table)
                transaction.set(.link(new), table, new, column("inner", transaction, table))
            }
            // A part in another one that is its own.
            edit("is within itself") { transaction, owner, table in
                let (outer, inner) = (transaction.insert(into: table), transaction.insert(into: table))
                transaction.set(.link(outer), table, outer, column("inner", transaction, table))
                transaction.set(.link(inner), table, outer, column("other", transaction, table))
            }
            // Parts may change their places.
            try realm.write {
                let owners = realm.objects(RefusedOwner.self)
                owners[0].parts.move(from: 0, to: 1)
                owners[1].part = RefusedPart()
                realm.delete(owners[0].parts[0])
            }
        }
        try waitUntilClosed()
        XCTAssertTrue(try Realm.verify(fileURL: file).isIntact)
        try withRealm(configuration) { realm in
            XCTAssertEqual(realm.objects(RefusedOwner.self).map(\.parts.count), [1, 2])
        }
    }
}

final class RefusedOwner: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var part: RefusedPart?
    @Persisted var parts: List<RefusedPart>
}

final class RefusedPart: EmbeddedObject {
    @Persisted var other: RefusedPart?
    @Persisted var inner: RefusedPart?
}

final class RefusedNumber: Object {
    @Persisted(primaryKey: true) var id: Int
}

final class RefusedText: Object {
    @Persisted(primaryKey: true) var id: String
}
