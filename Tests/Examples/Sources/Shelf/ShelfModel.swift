import Kivo

/// The contents and the actions of the screen. It does not depend on SwiftUI.
@MainActor final class ShelfModel {
    let books: Results<Book>
    private let realm: Realm

    init(_ configuration: Realm.Configuration) throws {
        realm = try Realm(configuration: configuration)
        books = realm.objects(Book.self).sorted(by: \.title)
    }

    func add(_ title: String) throws {
        let number = (books.max(of: \.number) ?? 0) + 1
        try realm.write { _ = realm.create(Book.self, value: ["number": number, "title": title]) }
    }

    func toggle(_ book: Book) throws { try realm.write { book.isRead.toggle() } }

    func delete(at offsets: some Sequence<Int>) throws {
        let gone = offsets.map { books[$0] }
        try realm.write { realm.delete(gone) }
    }
}
