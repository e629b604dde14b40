import Foundation
import Kivo
import KivoJournal
import XCTest

/// Classes that differ from those that wrote the file.
final class SchemaTests: FileTestCase {
    private func configuration(_ types: [ObjectBase.Type]?, version: UInt64 = 0) -> Realm.Configuration {
        Realm.Configuration(fileURL: file, schemaVersion: version, objectTypes: types)
    }

    // MARK: Order

    private func write(_ index: Int, in realm: Realm) throws {
        try realm.write {
            let owner = Order.One.Owner(value: ["name": "Ann \(index)"])
            owner.pets["first"] = Order.One.Pet(value: ["name": "Rex \(index)", "age": index])
            owner.numbers.append(index)
            realm.add(owner)
        }
    }

    func testPropertiesInAnotherOrder() throws {
        try withRealm { realm in for index in 0..<3 { try write(index, in: realm) } }
        for types in [[Order.Two.Owner.self, Order.Two.Pet.self] as [ObjectBase.Type], nil] {
            try withRealm(configuration(types)) { realm in
                let owners = realm.objects(Order.Two.Owner.self)
                XCTAssertEqual(owners.map(\.name).prefix(3), ["Ann 0", "Ann 1", "Ann 2"])
                XCTAssertEqual(owners.map { $0.pets["first"]??.age }.prefix(3), [0, 1, 2])
                XCTAssertEqual(owners.map { Array($0.numbers) }.prefix(3), [[0], [1], [2]])
                XCTAssertEqual(owners[0].pets["first"]??.owners.map(\.name), ["Ann 0"])
                try realm.write {
                    realm.add(Order.Two.Owner(value: ["name": "Two", "numbers": [7]] as [String: Any]))
                    owners[0].pets["second"] = Order.Two.Pet(
                        value: ["age": 9, "name": "Max"] as [String: Any])
                }
            }
        }
        try withRealm { realm in
            let owners = realm.objects(Order.One.Owner.self)
            XCTAssertEqual(owners.map(\.name), ["Ann 0", "Ann 1", "Ann 2", "Two", "Two"])
            XCTAssertEqual(owners.map { Array($0.numbers) }, [[0], [1], [2], [7], [7]])
            XCTAssertEqual(owners[0].pets["second"]??.name, "Max")
        }
    }

    // MARK: Differences

    private func assertMismatch(
        _ type: ObjectBase.Type, says words: [String], line: UInt = #line, _ write: (Realm) -> Void
    ) throws {
        try? FileManager.default.removeItem(at: file)
        try withRealm { realm in try realm.write { write(realm) } }
        let before = try Data(contentsOf: file)
        assertError(.schemaMismatch, says: words, line: line) {
            try withRealm(configuration([type])) { _ in }
        }
        XCTAssertEqual(try Data(contentsOf: file), before, line: line)
        // The error has the same words if the class is added after the realm was opened.
        try withRealm(configuration(nil)) { realm in
            XCTAssertThrowsError(try withRealm(configuration([type])) { _ in }, line: line) { error in
                for word in words { XCTAssert("\(error)".contains(word), "\(error)", line: line) }
            }
        }
    }

    func testDifferencesAreSaidPropertyByProperty() throws {
        try assertMismatch(
            Differences.New.Thing.self,
            says: [
                "Class 'Thing' differs", "property 'added' was added", "property 'removed' was removed",
                "property 'retyped' is of another type", "property 'maybe' is optional now",
                "property 'found' is indexed now", "property 'words' is optional now",
            ]
        ) { $0.add(Differences.Old.Thing()) }
        try assertMismatch(Differences.New.Empty.self, says: ["property 'first' was added"]) {
            $0.add(Differences.Old.Empty())
        }
    }

    /// A class that was neither listed nor used is found by its name in the file.
    func testAnUnusedClassThatDiffersIsAnErrorWhenTheFileIsOpened() throws {
        try withRealm { realm in try realm.write { realm.add(DeclaredBefore(value: ["text": "x"])) } }
        XCTAssertNoThrow(try withRealm { _ in })
        var data = try Data(contentsOf: file)
        while let range = data.range(of: Data("DeclaredBefore".utf8)) {
            data.replaceSubrange(range, with: Data("DeclaredBehind".utf8))
        }
        try Data(JournalForger([UInt8](data)).bytes).write(to: file)
        assertError(.schemaMismatch, says: ["'DeclaredBehind'", "'number' was added"]) {
            _ = try Realm(configuration: configuration)
        }
        // A configuration that lists classes checks only those.
        XCTAssertNoThrow(try withRealm(configuration([Dog.self])) { _ in })
    }

    // MARK: Versions

    func testTheFileKeepsTheVersion() throws {
        try withRealm(configuration(nil, version: 2)) { realm in try realm.write { realm.add(Dog()) } }
        for _ in 0..<2 {
            assertError(
                .schemaMismatch, says: ["Provided schema version 1 is less than last set version 2."]
            ) { try withRealm(configuration(nil, version: 1)) { _ in } }
            assertError(.schemaMismatch) { try withRealm { _ in } }
        }
        try withRealm(configuration(nil, version: 2)) { XCTAssertEqual($0.objects(Dog.self).count, 1) }
        // A higher version is taken over, by who may write.
        var readOnly = configuration(nil, version: 5)
        readOnly.readOnly = true
        try withRealm(readOnly) { XCTAssertEqual($0.objects(Dog.self).count, 1) }
        try withRealm(configuration(nil, version: 2)) { _ in }
        try withRealm(configuration(nil, version: 3)) { _ in }
        assertError(.schemaMismatch) { try withRealm(configuration(nil, version: 2)) { _ in } }
        try withRealm(configuration(nil, version: 3)) { XCTAssertEqual($0.objects(Dog.self).count, 1) }
    }

    func testTheVersionIsSaidBeforeDifferences() throws {
        try withRealm(configuration(nil, version: 2)) { realm in
            try realm.write { realm.add(Differences.Old.Thing()) }
        }
        assertError(.schemaMismatch, says: ["less than last set version 2"]) {
            try withRealm(configuration([Differences.New.Thing.self], version: 1)) { _ in }
        }
        // A difference leaves the version as it was.
        assertError(.schemaMismatch, says: ["'Thing'"]) {
            try withRealm(configuration([Differences.New.Thing.self], version: 2)) { _ in }
        }
        XCTAssertNoThrow(try withRealm(configuration(nil, version: 2)) { _ in })
    }

    func testAFileIsOpenWithOneVersionAtATime() throws {
        try withRealm(configuration(nil, version: 2)) { realm in
            for version in [1, 3] as [UInt64] {
                assertError(.schemaMismatch, says: ["different schema version"]) {
                    _ = try Realm(configuration: configuration(nil, version: version))
                }
            }
            XCTAssertEqual(try Realm(configuration: configuration(nil, version: 2)), realm)
        }
    }
}

/// Declarations of two classes in two orders.
private enum Order {
    enum One {
        class Owner: Object {
            @Persisted var name = ""
            @Persisted var numbers: List<Int>
            @Persisted var pets: Map<String, Pet?>
        }

        class Pet: Object {
            @Persisted var name = ""
            @Persisted var age = 0
            @Persisted(originProperty: "pets") var owners: LinkingObjects<Owner>
        }
    }

    enum Two {
        class Pet: Object {
            @Persisted(originProperty: "pets") var owners: LinkingObjects<Owner>
            @Persisted var age = 0
            @Persisted var name = ""
        }

        class Owner: Object {
            @Persisted var pets: Map<String, Pet?>
            @Persisted var numbers: List<Int>
            @Persisted var name = ""
        }
    }
}

private enum Differences {
    enum Old {
        class Thing: Object {
            @Persisted var removed = 0
            @Persisted var retyped = 0
            @Persisted var maybe = 0
            @Persisted var found = 0
            @Persisted var same = 0
            @Persisted var words: List<String>
        }

        class Empty: Object {}
    }

    enum New {
        class Thing: Object {
            @Persisted var added = 0
            @Persisted var retyped = ""
            @Persisted var maybe: Int?
            @Persisted(indexed: true) var found = 0
            @Persisted var same = 0
            @Persisted var words: List<String?>
        }

        class Empty: Object {
            @Persisted var first = 0
        }
    }
}

class DeclaredBefore: Object {
    @Persisted var text = ""
}

class DeclaredBehind: Object {
    @Persisted var text = ""
    @Persisted var number = 0
}
