import Foundation
import Kivo

extension Rows {
    private static let count = 100_000

    static var creating: [Row] {
        [
            Row("create.add", .standUp, .ns, .atMost(300)) { fixtures in
                try measure(fixtures) {
                    try fixtures.emptyStore().realm
                } fill: { realm, count, names in
                    try realm.addItems(count) { names[$0] }
                }
            },
            Row("create.value", .standUp, .ns, .atMost(1_000)) { fixtures in
                try measure(fixtures) {
                    try fixtures.emptyStore().realm
                } fill: { realm, count, names in
                    try realm.write {
                        for index in 0..<count {
                            let value: [String: Any] = [
                                "value": ItemData.value(index), "name": names[index],
                                "score": ItemData.score(index),
                            ]
                            _ = realm.create(Item.self, value: value)
                        }
                    }
                }
            },
            Row("create.file", .standUp, .ns, .atMost(400), usesDisk: true) { fixtures in
                try measure(fixtures) {
                    try Realm(configuration: try fixtures.fileConfiguration())
                } fill: { realm, count, names in
                    try realm.addItems(count) { names[$0] }
                }
            },
        ]
    }

    /// Measures the filling of a new realm in each repetition.
    private static func measure(
        _ fixtures: Fixtures, realm makeRealm: () throws -> Realm,
        fill: (Realm, Int, [String]) throws -> Void
    ) throws -> Samples {
        let count = fixtures.size(count)
        let names = fixtures.itemNames(Self.count)
        return try Sampling.repetitions {
            let realm = try makeRealm()
            let time = try nanoseconds { try fill(realm, count, names) }
            expect(realm.objects(Item.self).count == count, "not all items were created")
            return time / Double(count)
        }
    }
}
