import XCTest

@testable import Kivo
@testable import KivoModelsTool

/// The build plugin is built without Kivo, and finds the paths of predicates by words of its own.
final class PredicateWordTests: XCTestCase {
    func testNoWordOfPredicatesIsReadAsAProperty() throws {
        for word in PredicateWords.all.sorted() where word != "self" {
            for spelling in [word, word.uppercased()] {
                let paths = try XCTUnwrap(PredicatePaths.paths(in: Array("age == \(spelling)".utf8)), word)
                XCTAssertEqual(paths.map(\.components), [["age"]], word)
            }
        }
    }

    func testEveryOperatorMakesAPredicate() {
        for word in PredicateWords.operators.keys.sorted() {
            let paths = PredicatePaths.paths(in: Array("name \(word) %@".utf8))
            XCTAssertEqual(paths?.map(\.components), [["name"]], word)
        }
        for word in PredicateWords.conditions {
            XCTAssertEqual(PredicatePaths.paths(in: Array(word.utf8))?.count, 0, word)
        }
    }
}
