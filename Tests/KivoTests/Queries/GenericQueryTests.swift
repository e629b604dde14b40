import Foundation
import Kivo
import XCTest

/// Conditions that are written once, for all types of a protocol of queries.
final class GenericQueryTests: RealmTestCase {
    private func later<T: _QueryString>(_ query: Query<T>, than value: T) -> Query<Bool> { query > value }

    private func between<T: _QueryBinary>(_ query: Query<T>, _ low: T, _ high: T) -> Query<Bool> {
        query >= low && query <= high
    }

    func testTextsHaveAnOrder() throws {
        let realm = try openRealm()
        try realm.write {
            for (name, mark) in [("a", "x"), ("b", nil), ("c", "y")] {
                let word = realm.create(GenericWord.self, value: ["name": name])
                word.mark = mark
                word.bytes = Data(name.utf8)
                word.any = .string(name)
            }
        }
        let words = realm.objects(GenericWord.self)
        XCTAssertEqual(words.where { later($0.name, than: "a") }.map(\.name), ["b", "c"])
        XCTAssertEqual(words.where { later($0.mark, than: "x") }.map(\.name), ["c"])
        XCTAssertEqual(words.where { later($0.any, than: .string("b")) }.map(\.name), ["c"])
        XCTAssertEqual(words.where { between($0.name, "b", "c") }.map(\.name), ["b", "c"])
        XCTAssertEqual(
            words.where { between($0.bytes, Data("a".utf8), Data("b".utf8)) }.map(\.name), ["a", "b"])
    }
}

class GenericWord: Object {
    @Persisted var name = ""
    @Persisted var mark: String?
    @Persisted var bytes = Data()
    @Persisted var any: AnyRealmValue
}
