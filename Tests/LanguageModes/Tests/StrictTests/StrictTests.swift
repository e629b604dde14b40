import Foundation
import Kivo
import XCTest

class Shelf: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var books: List<String>
    override static func indexedProperties() -> [String] { [] }
}

class ShelfCard: Projection<Shelf> {
    @Projected(\Shelf.books) var books
}

/// The documented form of a class of an actor: its conformance belongs to the actor, too.
@MainActor final class ShelfModel: @MainActor KeyValueObservable {
    @Observed var title = ""
    @Observed var count = 0
}

final class Copy: KeyValueOperation, @unchecked Sendable {
    @Observed var fraction = 0.0
    override func main() { fraction = 1 }
}

final class Catalogue: KeyValueObserver, Sendable {
    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {}
}

final class StrictTests: XCTestCase {
    @MainActor func testAViewModelOverAModel() async throws {
        let realm = try await Realm(
            configuration: .init(inMemoryIdentifier: "strict shelves", objectTypes: [Shelf.self]))
        let shelf = try realm.write { realm.create(Shelf.self, value: [1]) }
        let model = ShelfModel()
        var counts: [Int] = []
        let tokens = [
            shelf.observe(\.books, options: .new) { shelf, _ in model.count = shelf.books.count },
            model.observe(\.count, options: .new) { counts.append($1.newValue!) },
        ]
        try realm.write { shelf.books.append("Momo") }
        XCTAssertEqual(counts, [1])
        model.setValue("Fiction", forKey: "title")
        XCTAssertEqual(model.title, "Fiction")
        tokens.forEach { $0.invalidate() }
    }

    func testAnOperation() {
        let (copy, queue) = (Copy(), OperationQueue())
        let token = copy.observe(\.isFinished, options: .new) { _, _ in }
        queue.addOperations([copy], waitUntilFinished: true)
        XCTAssertEqual(copy.fraction, 1)
        token.invalidate()
    }

    func testObserversByNameNeedNoContext() {
        let (copy, shelf, catalogue) = (Copy(), Shelf(), Catalogue())
        copy.addObserver(catalogue, forKeyPath: "fraction")
        shelf.addObserver(catalogue, forKeyPath: "books", options: [.new])
        copy.removeObserver(catalogue, forKeyPath: "fraction")
        shelf.removeObserver(catalogue, forKeyPath: "books")
    }
}
