import Foundation
import Kivo
import XCTest

class FiledRecord: Object {
    @Persisted(primaryKey: true) var identifier: String?
    @Persisted var rank = 0

    static func all(in realm: Realm) -> Int { realm.objects(self).count }

    static func delete(_ identifier: String, in realm: Realm) {
        realm.delete(realm.objects(self).where { $0.identifier == identifier })
    }
}

final class FiledMessage: FiledRecord {
    @Persisted var text = ""
    @Persisted var replies: List<FiledMessage>
}

final class FiledContact: FiledRecord {
    @Persisted var name = ""
}

extension Object {
    fileprivate static func names(in realm: Realm) -> [String] {
        realm.objects(self).map { "\(type(of: $0))" }
    }
}

/// Classes that are the values of variables: a query is for the class that the variable holds, and not for the type of the variable.
final class MetatypeTests: RealmTestCase {
    private func filledRealm() throws -> Realm {
        let realm = try openRealm()
        try realm.write {
            for number in 0..<3 {
                realm.create(FiledMessage.self, value: ["identifier": "m\(number)", "rank": 3 - number])
            }
            realm.create(FiledContact.self, value: ["identifier": "c"])
        }
        return realm
    }

    private let record: FiledRecord.Type = FiledMessage.self

    func testObjectsOfAVariableOfASuperclass() throws {
        let realm = try filledRealm()
        let records = realm.objects(record)
        XCTAssertEqual(records.count, 3)
        XCTAssertTrue(records.first is FiledMessage)
        XCTAssertEqual(records.sorted(by: \.rank).map(\.identifier), ["m2", "m1", "m0"])
        XCTAssertEqual(records.where { $0.identifier == "m1" && $0.rank == 2 }.count, 1)
        XCTAssertEqual(records.filter("text == '' AND replies.@count == 0").count, 3)
        XCTAssertEqual(records.max(of: \.rank), 3)
        XCTAssertEqual(records.distinct(by: [\.rank]).count, 3)
        XCTAssertEqual(records.sectioned(by: \.rank).allKeys, [1, 2, 3])
        XCTAssertEqual(records.freeze().first?.identifier, "m0")
        XCTAssertEqual(realm.objects(FiledRecord.self).count, 0, "each class has its own objects")
    }

    func testVariablesOfTheBaseClass() throws {
        let realm = try filledRealm()
        let types: [Object.Type] = [FiledMessage.self, FiledContact.self]
        XCTAssertEqual(types.map { realm.objects($0).count }, [3, 1])
        XCTAssertEqual(types.map { realm.frozenSnapshot().objects($0).count }, [3, 1])
        XCTAssertEqual(
            types.map { realm.object(ofType: $0, forPrimaryKey: "c") is FiledContact }, [false, true])
        try realm.write { for type in types { realm.delete(realm.objects(type)) } }
        XCTAssertTrue(realm.isEmpty)
    }

    func testStaticMethodsOfSuperclasses() throws {
        let realm = try filledRealm()
        XCTAssertEqual(FiledMessage.all(in: realm), 3)
        XCTAssertEqual(FiledContact.all(in: realm), 1)
        XCTAssertEqual(FiledRecord.all(in: realm), 0)
        XCTAssertEqual(FiledContact.names(in: realm), ["FiledContact"])
        try realm.write { FiledMessage.delete("m1", in: realm) }
        XCTAssertEqual(realm.objects(FiledMessage.self).map(\.identifier), ["m0", "m2"])
    }

    func testGenericHelpers() throws {
        func names<Element: Object>(_ types: [Element.Type], _ realm: Realm) -> [String] {
            types.flatMap { realm.objects($0).map { "\(type(of: $0))" } }
        }
        func created<Element: Object>(_ type: Element.Type, _ realm: Realm) -> Element {
            realm.create(type, value: ["identifier": "new"])
        }
        let realm = try filledRealm()
        let types: [FiledRecord.Type] = [FiledContact.self, FiledMessage.self]
        XCTAssertEqual(names(types, realm).count, 4)
        try realm.write { XCTAssertTrue(created(record, realm) is FiledMessage) }
        XCTAssertEqual(realm.objects(FiledMessage.self).count, 4)
    }

    func testResultsOfAVariableAreObservedAndCrossThreads() throws {
        let realm = try filledRealm()
        let records = realm.objects(record)
        var changes: [String] = []
        let tokens = [
            records.observe(keyPaths: [\.rank]) { changes.append("rank " + self.text($0)) },
            records.observe(keyPaths: ["text"]) { changes.append("text " + self.text($0)) },
        ]
        realm.refresh()
        changes = []
        let reference = ThreadSafeReference(to: records)
        try writeElsewhere { realm in
            let there = try XCTUnwrap(realm.resolve(reference))
            XCTAssertEqual(there.count, 3)
            there[0].rank = 10
        }
        realm.refresh()
        XCTAssertEqual(changes, ["rank -[] +[] ~[0]"])
        for token in tokens { token.invalidate() }
    }
}
