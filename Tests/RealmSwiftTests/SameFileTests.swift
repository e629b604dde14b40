import Foundation
import RealmSwift
import XCTest

/// A file is the same for both styles: a program whose declarations were rewritten opens what it wrote before.
final class SameFileTests: XCTestCase {
    private let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).kivo")

    override func tearDownWithError() throws {
        _ = try Realm.deleteFiles(for: Realm.Configuration(fileURL: file))
    }

    private func withRealm<T>(_ types: [ObjectBase.Type], version: UInt64 = 0, _ body: (Realm) throws -> T)
        throws -> T
    {
        try body(Realm(configuration: .init(fileURL: file, schemaVersion: version, objectTypes: types)))
    }
}

@available(*, deprecated, message: "They use deprecated forms, and no others.")
extension SameFileTests {
    func testTheFileIsThatOfTheOtherStyle() throws {
        try withRealm([OldBook.self, OldShelf.self]) { realm in
            let book = OldBook(value: ["isbn": 1, "pages": 100, "tags": ["a"]])
            try realm.write { realm.add(OldShelf(value: ["name": "top", "books": [book]])) }
        }
        try withRealm([NewBook.self, NewShelf.self]) { realm in
            let book = try XCTUnwrap(realm.object(ofType: NewBook.self, forPrimaryKey: 1))
            XCTAssertEqual(book.pages, 100)
            XCTAssertEqual(Array(book.tags), ["a"])
            XCTAssertEqual(book.shelves.first?.name, "top")
            try realm.write {
                book.pages = nil
                book.tags.insert("b")
                book.shelves[0].books.append(NewBook(value: ["isbn": 2, "pages": 3]))
            }
        }
        try withRealm([OldBook.self, OldShelf.self]) { realm in
            let shelf = try XCTUnwrap(realm.objects(OldShelf.self).first)
            XCTAssertEqual(shelf.books.map { $0.pages.value }, [nil, 3])
            XCTAssertEqual(shelf.books[0].tags.sorted(), ["a", "b"])
            XCTAssertEqual(shelf.books[1].shelves.count, 1)
        }
    }

    func testAMigrationBringsThem() throws {
        try withRealm([BareBones.self]) { realm in
            _ = try realm.write { realm.create(BareBones.self, value: ["isbn": 5, "length": 7]) }
        }
        var configuration = Realm.Configuration(
            fileURL: file, schemaVersion: 1, objectTypes: [OldBook.self, OldShelf.self])
        configuration.migrationBlock = { migration, _ in
            migration.enumerateObjects(ofType: "Book") { old, new in
                new?["pages"] = old?["length"]
                new?["tags"] = ["migrated"]
            }
        }
        let realm = try Realm(configuration: configuration)
        let book = try XCTUnwrap(realm.objects(OldBook.self).first)
        XCTAssertEqual(book.isbn.value, 5)
        XCTAssertEqual(book.pages.value, 7)
        XCTAssertEqual(Array(book.tags), ["migrated"])
    }
}

@available(*, deprecated)
private final class OldBook: Object {
    let isbn = RealmOptional<Int>()
    let pages = RealmProperty<Int?>(1)
    let tags = MutableSet<String>()
    let shelves = LinkingObjects(fromType: OldShelf.self, property: "books")
    override static func primaryKey() -> String? { "isbn" }
    override static func _realmObjectName() -> String? { "Book" }
}

@available(*, deprecated)
private final class OldShelf: Object {
    @Persisted var name = ""
    let books = List<OldBook>()
    override static func _realmObjectName() -> String? { "Shelf" }
}

private final class NewBook: Object {
    @Persisted(primaryKey: true) var isbn: Int?
    @Persisted var pages: Int? = 1
    @Persisted var tags: MutableSet<String>
    @Persisted(originProperty: "books") var shelves: LinkingObjects<NewShelf>
    override static func _realmObjectName() -> String? { "Book" }
}

private final class NewShelf: Object {
    @Persisted var name = ""
    @Persisted var books: List<NewBook>
    override static func _realmObjectName() -> String? { "Shelf" }
}

private final class BareBones: Object {
    @Persisted(primaryKey: true) var isbn: Int?
    @Persisted var length = 0
    override static func _realmObjectName() -> String? { "Book" }
}
