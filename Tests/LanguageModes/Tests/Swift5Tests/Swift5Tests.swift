import Foundation
import Kivo
import XCTest

class Shelf: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var books: List<String>
    override static func indexedProperties() -> [String] { [] }
}

@MainActor final class ShelfModel: KeyValueObservable {
    @Observed var title = ""
    @Observed var count = 0
}

class Copy: KeyValueOperation, @unchecked Sendable {
    @Observed var fraction = 0.0
    override func main() { fraction = 1 }
}

final class Swift5Tests: XCTestCase {
    @MainActor func testAViewModelOverAModel() async throws {
        let realm = try await Realm(
            configuration: .init(inMemoryIdentifier: "shelves", objectTypes: [Shelf.self]))
        let shelf = try realm.write { realm.create(Shelf.self, value: [1]) }
        let model = ShelfModel()
        var counts: [Int] = []
        let tokens: [Any] = [
            shelf.observe(\.books, options: .new) { shelf, _ in model.count = shelf.books.count },
            model.observe(\.count, options: .new) { counts.append($1.newValue!) },
        ]
        try realm.write { shelf.books.append("Momo") }
        XCTAssertEqual(counts, [1])
        withExtendedLifetime(tokens) {}
    }

    func testAnOperation() {
        let (copy, queue) = (Copy(), OperationQueue())
        var seen: [Bool] = []
        let token = copy.observe(\.isFinished, options: .new) { seen.append($1.newValue!) }
        queue.addOperations([copy], waitUntilFinished: true)
        XCTAssertEqual(seen, [true])
        token.invalidate()
    }
}
