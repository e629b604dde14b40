import Foundation
import Kivo
import XCTest

/// Whether two conditions are known to ask the same.
final class QueryConditionTests: XCTestCase {
    private func typed(_ isIncluded: (Query<Kennel>) -> Query<Bool>) -> QueryCondition {
        QueryCondition(isIncluded)
    }

    func testEqualConditions() {
        let date = Date()
        let pup = Pup()
        let makers: [() -> QueryCondition] = [
            { self.typed { $0.name == "a" } }, { self.typed { $0.name != "a" } },
            { self.typed { $0.name == "b" } },
            { self.typed { $0.name.contains("a") } },
            { self.typed { $0.name.contains("a", options: .caseInsensitive) } },
            { self.typed { $0.favourite.name == "a" } }, { self.typed { $0.favourite == nil } },
            { self.typed { $0.favourite == pup } },
            { self.typed { $0.dogs.count > 2 } }, { self.typed { $0.dogs.count > 3 } },
            { self.typed { $0.dogs.age.max > 3 } },
            { self.typed { $0.name == "a" && $0.numbers.contains(1) } },
            { self.typed { $0.name == "a" || $0.numbers.contains(1) } },
            { self.typed { !($0.name == "a") } },
            { self.typed { ($0.dogs.age > 3).count > 1 } },
            { self.typed { $0.name.in(["a", "b"]) } }, { self.typed { $0.name.in(["a", "c"]) } },
            { QueryCondition("name == %@", arguments: ["z"]) },
            { QueryCondition("TRUEPREDICATE", arguments: []) },
            { QueryCondition("due > %@", arguments: [date]) },
            { QueryCondition("due > %@", arguments: [date + 1]) },
            { QueryCondition("age > %@", arguments: [1]) }, { QueryCondition("age > %@", arguments: [2]) },
            { QueryCondition("age / 2 > %@", arguments: [1]) },
            { QueryCondition("age / 2.0 > %@", arguments: [1]) },
        ]
        for (first, makeFirst) in makers.enumerated() {
            for (second, makeSecond) in makers.enumerated() {
                XCTAssertEqual(makeFirst() == makeSecond(), first == second, "\(first), \(second)")
            }
        }
    }

    func testEqualNumbersOfTwoTypesAskTheSame() {
        XCTAssertTrue(
            QueryCondition("age > %@", arguments: [1]) == QueryCondition("age > %@", arguments: [1.0]))
    }

    func testWhatCannotBeComparedIsNotEqual() {
        struct Opaque {}
        let condition = QueryCondition("name == %@", arguments: [Opaque()])
        XCTAssertFalse(condition == condition)
    }
}
