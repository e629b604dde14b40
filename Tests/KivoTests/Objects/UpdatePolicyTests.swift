import Foundation
import Kivo
import XCTest

class Feed: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var lines: List<String>
    @Persisted var tags: MutableSet<String>
    @Persisted var counts: Map<String, Int>
    @Persisted var parts: MutableSet<Feed>
    @Persisted var named: Map<String, Feed?>
}

class Coil: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var other: Coil?
    @Persisted var text: String
    @Persisted var lines: List<String>
    @Persisted var tags: MutableSet<String>
    @Persisted var counts: Map<String, Int>
    @Persisted var coils: List<Coil>
}

enum WindForce: String, PersistableEnum {
    case calm, gale
}

class Wind: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var force: WindForce?
}

/// Updates of lists, sets and maps of objects that exist: lists are replaced, sets and maps united, unless everything is written.
final class UpdatePolicyTests: RealmTestCase {
    private let first: [String: Any] = [
        "id": 1, "lines": ["a", "b"], "tags": ["x", "y"], "counts": ["one": 1, "two": 2],
        "parts": [[2], [3]],
        "named": ["p": [2], "q": [3]],
    ]
    private let second: [String: Any] = [
        "id": 1, "lines": ["c"], "tags": ["y", "z"], "counts": ["two": 22, "three": 3], "parts": [[4]],
        "named": ["q": [4]],
    ]

    private func text(_ feed: Feed) -> [String] {
        [
            feed.lines.joined(), feed.tags.sorted().joined(),
            feed.counts.keys.map { "\($0)=\(feed.counts[$0]!)" }.sorted().joined(separator: " "),
            feed.parts.map(\.id).sorted().map(String.init).joined(),
            feed.named.keys.map { "\($0)=\(feed.named[$0]!!.id)" }.sorted().joined(separator: " "),
        ]
    }

    private let united = ["c", "xyz", "one=1 three=3 two=22", "234", "p=2 q=4"]
    private let replaced = ["c", "yz", "three=3 two=22", "4", "q=4"]

    private func updated(
        _ policy: Realm.UpdatePolicy, _ values: [String: Any]? = nil,
        _ update: (Realm, [String: Any]) -> Void
    ) throws -> [String] {
        let realm = try openRealm()
        return try realm.write {
            realm.deleteAll()
            let feed = realm.create(Feed.self, value: first, update: .modified)
            update(realm, values ?? second)
            return text(feed)
        }
    }

    func testCreating() throws {
        XCTAssertEqual(
            try updated(.modified) { $0.create(Feed.self, value: $1, update: .modified) }, united)
        XCTAssertEqual(try updated(.all) { $0.create(Feed.self, value: $1, update: .all) }, replaced)
        XCTAssertEqual(
            try updated(.modified) { $0.dynamicCreate("Feed", value: $1, update: .modified) }, united)
    }

    func testAdding() throws {
        XCTAssertEqual(try updated(.modified) { $0.add(Feed(value: $1), update: .modified) }, united)
        XCTAssertEqual(try updated(.all) { $0.add(Feed(value: $1), update: .all) }, replaced)
    }

    func testEmptyCollectionsAndNil() throws {
        let empty: [String: Any] = [
            "id": 1, "lines": [String](), "tags": [String](), "counts": [String: Int](), "parts": [Feed](),
            "named": [String: Feed](),
        ]
        let kept = ["", "xy", "one=1 two=2", "23", "p=2 q=3"]
        XCTAssertEqual(
            try updated(.modified, empty) { $0.create(Feed.self, value: $1, update: .modified) }, kept)
        XCTAssertEqual(
            try updated(.modified) { realm, _ in
                realm.add(Feed(value: ["id": 1]), update: .modified)
            }, kept)
        let null: [String: Any] = [
            "id": 1, "lines": NSNull(), "tags": NSNull(), "counts": NSNull(), "parts": NSNull(),
            "named": NSNull(),
        ]
        XCTAssertEqual(
            try updated(.modified, null) { $0.create(Feed.self, value: $1, update: .modified) },
            ["", "", "", "", ""])
        XCTAssertEqual(
            try updated(.all, empty) { $0.create(Feed.self, value: $1, update: .all) }, ["", "", "", "", ""])
    }

    /// Only what is new counts as changed.
    func testObserversOfUnitedCollections() throws {
        let realm = try openRealm()
        let feed = try realm.write { realm.create(Feed.self, value: first, update: .modified) }
        var told: [String] = []
        let tokens = [
            feed.counts.observe { change in
                guard case .update(_, let deletions, let insertions, let modifications) = change else {
                    return
                }
                told.append("\(deletions) \(insertions) \(modifications)")
            },
            feed.tags.observe { if case .update = $0 { told.append("tags") } },
        ]
        realm.refresh()
        try realm.write {
            realm.create(
                Feed.self, value: ["id": 1, "counts": ["one": 1, "four": 4], "tags": ["x"]], update: .modified
            )
        }
        realm.refresh()
        XCTAssertEqual(told, [#"[] ["four"] []"#])
        for token in tokens { token.invalidate() }
    }

    /// The values of a new object may contain it once more, which is written first. What is written later counts.
    func testANewObjectAmongItsOwnValues() throws {
        let inner: [String: Any] = [
            "id": 1, "text": String(repeating: "x", count: 10_000), "lines": ["x", "y"], "tags": ["x"],
            "counts": ["x": 1],
        ]
        let values: [String: Any] = [
            "id": 1, "other": inner, "text": "short", "lines": ["a"], "tags": ["a"], "counts": ["a": 2],
        ]
        for policy in [Realm.UpdatePolicy.modified, .all] {
            let realm = try openRealm()
            let coil = try realm.write {
                realm.delete(realm.objects(Coil.self))
                return realm.create(Coil.self, value: values, update: policy)
            }
            XCTAssertEqual(coil.other, coil)
            XCTAssertEqual(coil.text, "short")
            XCTAssertEqual(Array(coil.lines), ["a"])
            XCTAssertEqual(Set(coil.tags), policy == .all ? ["a"] : ["a", "x"])
            XCTAssertEqual(Set(coil.counts.keys), policy == .all ? ["a"] : ["a", "x"])
        }
    }

    func testNothingAmongTheValuesOfANewObject() throws {
        let inner: [String: Any] = [
            "id": 1, "lines": ["x"], "tags": ["x"], "counts": ["x": 1], "coils": [["id": 2]],
        ]
        for policy in [Realm.UpdatePolicy.modified, .all] {
            for nothing in [[Any]() as Any, NSNull()] {
                let realm = try openRealm()
                let counts = nothing is NSNull ? nothing : [String: Int]()
                let coil = try realm.write {
                    realm.delete(realm.objects(Coil.self))
                    return realm.create(
                        Coil.self,
                        value: [
                            "id": 1, "other": inner, "lines": nothing, "tags": nothing, "counts": counts,
                            "coils": nothing,
                        ], update: policy)
                }
                XCTAssertEqual(coil.lines.count + coil.coils.count, 0)
                // What is united with an empty set remains.
                let isEmpty = policy == .all || nothing is NSNull
                XCTAssertEqual(coil.tags.count, isEmpty ? 0 : 1)
                XCTAssertEqual(coil.counts.count, isEmpty ? 0 : 1)
                let kept = try realm.write {
                    realm.delete(realm.objects(Coil.self))
                    return realm.create(Coil.self, value: ["id": 1, "other": inner], update: policy)
                }
                XCTAssertEqual(
                    [kept.lines.count, kept.tags.count, kept.counts.count, kept.coils.count], [1, 1, 1, 1])
            }
        }
    }

    /// A raw value that the enum does not have is refused, or nil, also where it is stored already.
    func testARawValueThatIsUnknown() throws {
        let realm = try openRealm()
        try realm.write {
            realm.dynamicCreate("Wind", value: ["id": 1, "force": "mild"])
            realm.create(Wind.self, value: ["id": 1, "force": "mild"], update: .modified)
        }
        XCTAssertEqual(realm.objects(Wind.self).where { $0.force == nil }.count, 1)
    }

    func testManyValues() throws {
        let realm = try openRealm()
        try realm.write {
            let values = (0..<4).lazy.map { id -> [String: Any] in
                realm.create(Feed.self, value: ["id": 10 + id])
                return ["id": id % 3, "lines": ["line \(id)"]]
            }
            realm.create(Feed.self, values: values, update: .modified)
        }
        XCTAssertEqual(realm.objects(Feed.self).map(\.id).sorted(), [0, 1, 2, 10, 11, 12, 13])
        XCTAssertEqual(realm.object(ofType: Feed.self, forPrimaryKey: 0).map { Array($0.lines) }, ["line 3"])
        XCTAssertThrowsError(
            try realm.write { realm.create(Feed.self, values: [["id": 20], ["id": 0]]) }
        ) { error in
            XCTAssertEqual((error as? Realm.Error)?.code, .invalidInput)
        }
        XCTAssertNil(realm.object(ofType: Feed.self, forPrimaryKey: 20))
    }

    func testPartsOfAFeedAddUp() throws {
        let realm = try openRealm()
        for part in 0..<3 {
            try realm.write {
                realm.create(
                    Feed.self, value: ["id": 7, "tags": ["t\(part)"], "counts": ["k\(part)": part]],
                    update: .modified)
            }
        }
        let feed = try XCTUnwrap(realm.object(ofType: Feed.self, forPrimaryKey: 7))
        XCTAssertEqual(feed.tags.sorted(), ["t0", "t1", "t2"])
        XCTAssertEqual(feed.counts.count, 3)
    }
}
