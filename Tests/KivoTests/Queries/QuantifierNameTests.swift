import Kivo
import XCTest

/// Properties whose names are quantifiers of predicate strings elsewhere.
final class QuantifierNameTests: RealmTestCase {
    func testNamesOfQuantifiers() throws {
        let realm = try openRealm()
        try realm.write {
            let first = realm.create(QuantifierNames.self, value: ["any": 1, "none": "n", "all": [1, 2]])
            realm.create(
                QuantifierNames.self,
                value: ["any": 2, "some": first, "none": "m", "all": [3]] as [String: Any])
        }
        let objects = realm.objects(QuantifierNames.self)
        let found: [(String, [Int])] = [
            ("any == 1", [1]), ("1 == any", [1]), ("any = any", [1, 2]), ("any IN {2, 3}", [2]),
            ("any BETWEEN {0, 1}", [1]), ("any > 0 AND any < 2", [1]), ("(any) == 2", [2]),
            ("some.any == 1", [2]), ("some == nil", [1]), ("none BEGINSWITH 'n'", [1]),
            ("all.@count == 1", [2]),
            ("ANY all == 2", [1]), ("ALL all > 2", [2]), ("NONE all == 3", [1]), ("ANY some.all == 2", [2]),
            ("any + 1 == 2", [1]), ("NOT any == 1", [2]), ("#any == 1", [1]),
            ("SOME all == 3 OR any == 1", [1, 2]),
        ]
        for (format, expected) in found {
            XCTAssertEqual(objects.filter(format).map(\.any), expected, format)
        }
    }
}

class QuantifierNames: Object {
    @Persisted var any = 0
    @Persisted var some: QuantifierNames?
    @Persisted var none = ""
    @Persisted var all: List<Int>
}
