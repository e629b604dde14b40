import Kivo

/// Writes to many objects one by one, as applications make them: links to one object, and one column of wide rows.
extension Rows {
    static var appliedLinks: [Row] {
        [
            Row("applied.backlinks", .fast, .ns, .atMost(1500)) { fixtures in
                let realm = try fixtures.emptyStore().realm
                let spokes = try realm.write {
                    (0..<fixtures.size(250_000)).map { _ in realm.create(Spoke.self) }
                }
                return try Sampling.repetitions(5) {
                    let hub = try realm.write { realm.create(Item.self) }
                    return try realm.write {
                        nanoseconds { for spoke in spokes { spoke.hub = hub } } / Double(spokes.count)
                    }
                }
            },
            Row("applied.wide/set", .fast, .ms, .atMost(1.1)) { fixtures in
                let realm = try Realm(
                    configuration: .init(inMemoryIdentifier: "applied.wide", objectTypes: [WideModels.A.self])
                )
                let rows = try realm.write {
                    (0..<fixtures.size(4000)).map { _ in realm.create(WideModels.A.self) }
                }
                var value = 0
                return try Sampling.repetitions(5) {
                    value += 1
                    return try realm.write { nanoseconds { for row in rows { row.property0 = value } } }
                }
            },
        ]
    }
}
