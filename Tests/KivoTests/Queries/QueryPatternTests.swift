import Foundation
import Kivo
import XCTest

/// `MATCHES`.
final class QueryPatternTests: RealmTestCase {
    private func trees(_ texts: [String]) throws -> Results<GroveTree> {
        let realm = try openRealm()
        try realm.write {
            for (index, text) in texts.enumerated() {
                realm.create(GroveTree.self, value: ["name": "\(index)", "text": text])
            }
        }
        return realm.objects(GroveTree.self)
    }

    private func texts(_ trees: Results<GroveTree>) -> [String] { trees.map(\.text) }

    func testWholeStringsMatch() throws {
        let trees = try trees(["oak", "oaks", "soak", "Oak", "", "oak\noak", "a1b22"])
        XCTAssertEqual(texts(trees.filter("text MATCHES 'oak'")), ["oak"])
        XCTAssertEqual(texts(trees.filter("text MATCHES '.*oak.*'")), ["oak", "oaks", "soak"])
        XCTAssertEqual(
            texts(trees.filter("text MATCHES '(?s).*oak.*'")), ["oak", "oaks", "soak", "oak\noak"])
        XCTAssertEqual(texts(trees.filter("text matches[c] 'OAKS?'")), ["oak", "oaks", "Oak"])
        XCTAssertEqual(texts(trees.filter("text MATCHES %@", "s|oak|")), ["oak", ""])
        XCTAssertEqual(texts(trees.filter("text MATCHES '([a-z]\\\\d+)+'")), ["a1b22"])
        XCTAssertEqual(texts(trees.filter("NOT text MATCHES '.+'")), ["", "oak\noak"])
        XCTAssertEqual(texts(trees.where { $0.text.matches("OAKS?", options: .caseInsensitive) }).count, 3)
        XCTAssertEqual(texts(trees.where { $0.text.matches("oak") || $0.text.matches("") }), ["oak", ""])
    }

    func testScalarsAndMarks() throws {
        let trees = try trees(["e\u{301}", "é", "e", "日本"])
        // A letter and its mark are two.
        XCTAssertEqual(texts(trees.filter("text MATCHES '.'")).map { $0.unicodeScalars.count }, [1, 1])
        XCTAssertEqual(trees.filter("text MATCHES '..'").count, 2)
        XCTAssertEqual(trees.filter("text MATCHES[d] 'e'").count, 3)
        XCTAssertEqual(trees.filter("text MATCHES[cd] 'É'").count, 3)
        XCTAssertEqual(trees.filter("text MATCHES 'é'").count, 1)
    }

    func testNothingMatchesNothing() throws {
        let realm = try openRealm()
        let grove = try realm.write {
            let grove = realm.create(Grove.self)
            grove.maybeWords.append(objectsIn: ["a", nil])
            grove.notes["k"] = .some(nil)
            grove.notes["l"] = "x"
            return grove
        }
        XCTAssertEqual(Array(grove.maybeWords.filter("self MATCHES '.*'")), ["a"])
        let groves = realm.objects(Grove.self)
        XCTAssertEqual(groves.filter("ANY maybeWords MATCHES 'a'").count, 1)
        XCTAssertEqual(groves.filter("ALL maybeWords MATCHES '.*'").count, 0)
        XCTAssertEqual(groves.filter("notes.@keys MATCHES '[k-l]' AND notes['l'] MATCHES 'x'").count, 1)
        XCTAssertEqual(groves.filter("notes['k'] MATCHES '.*'").count, 0)
        XCTAssertEqual(groves.where { $0.notes.keys.matches("[k-l]") && $0.notes["l"].matches("x") }.count, 1)
    }

    func testManyThreadsUseOnePattern() throws {
        let trees = try trees((0..<200).map { "oak \($0)" })
        let frozen = Frozen(trees.where { $0.text.matches("oak [0-9]*[02468]") }.freeze())
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for index in 0..<50 {
                XCTAssertEqual(frozen.trees.index(matching: "text MATCHES 'oak \(index * 4)'"), index * 2)
            }
        }
        XCTAssertEqual(frozen.trees.count, 100)
    }
}

/// Frozen results, which can be used on any thread.
private final class Frozen: @unchecked Sendable {
    let trees: Results<GroveTree>

    init(_ trees: Results<GroveTree>) { self.trees = trees }
}
