import Kivo
import XCTest

/// A collection behind its element type does what it is made of does.
final class AnyRealmCollectionTests: RealmTestCase {
    private func packed() throws -> (realm: Realm, parcel: CrossingParcel) {
        let realm = try openRealm()
        let parcel = CrossingParcel(value: [
            "number": 1, "codes": [3, 1, 2], "tags": ["b", "a"],
            "parts": [["number": 2, "weight": 5], ["number": 3, "weight": 6]],
        ])
        try realm.write { realm.add(parcel) }
        return (realm, parcel)
    }

    func testReadingEachKind() throws {
        let (realm, parcel) = try packed()
        let kinds: [AnyRealmCollection<CrossingParcel>] = [
            AnyRealmCollection(realm.objects(CrossingParcel.self).where { $0.number > 1 }),
            AnyRealmCollection(parcel.parts), AnyRealmCollection(AnyRealmCollection(parcel.parts)),
        ]
        for collection in kinds {
            XCTAssertEqual(collection.count, 2)
            XCTAssertFalse(collection.isEmpty)
            XCTAssertEqual(collection.map(\.number), [2, 3])
            XCTAssertEqual(collection.first?.number, 2)
            XCTAssertEqual(collection.last?.number, 3)
            XCTAssertEqual(collection[1].number, 3)
            XCTAssertEqual(collection[0..<1].map(\.number), [2])
            XCTAssertEqual(collection.index(of: parcel.parts[1]), 1)
            XCTAssertEqual(collection.index(matching: { $0.number == 3 }), 1)
            XCTAssertEqual(collection.index(matching: "number == %@", 3), 1)
            XCTAssertEqual(collection.where { $0.weight > 5 }.map(\.number), [3])
            XCTAssertEqual(collection.filter("weight < 6").map(\.number), [2])
            XCTAssertEqual(collection.sorted(byKeyPath: "number", ascending: false).map(\.number), [3, 2])
            XCTAssertEqual(collection.distinct(by: ["number"]).count, 2)
            XCTAssertEqual(collection.sum(of: \.weight), 11)
            XCTAssertEqual(collection.max(ofProperty: "weight"), 6)
            XCTAssertEqual(collection.average(of: \.weight), 5.5)
            XCTAssertEqual(collection.value(forKey: "number") as? [Int], [2, 3])
            XCTAssertEqual(collection.value(forKeyPath: "@sum.weight") as? Int, 11)
            XCTAssertEqual(collection.realm, realm)
            XCTAssertFalse(collection.isInvalidated)
            XCTAssertFalse(collection.isFrozen)
        }
        let holders = AnyRealmCollection(parcel.parts[0].holders)
        XCTAssertEqual(holders.map(\.number), [1])
        let tags = AnyRealmCollection(parcel.tags)
        XCTAssertEqual(tags.value(forKey: "self") as? Set<String>, ["a", "b"], "as a set has it")
        XCTAssertEqual(AnyRealmCollection(parcel.codes).max(), 3)
        XCTAssertEqual(AnyRealmCollection(parcel.codes).description, parcel.codes.description)
        try realm.write { AnyRealmCollection(parcel.parts).setValue(9, forKey: "weight") }
        XCTAssertEqual(parcel.parts.map(\.weight), [9, 9])
    }

    func testOfAnUnmanagedCollection() {
        let list = List<Int>()
        list.append(objectsIn: [2, 1])
        let collection = AnyRealmCollection(list)
        XCTAssertNil(collection.realm)
        XCTAssertEqual(Array(collection), [2, 1])
        XCTAssertEqual(collection.min(), 1)
    }

    func testEqualityFollowsTheBase() throws {
        let (realm, parcel) = try packed()
        let results = realm.objects(CrossingParcel.self)
        XCTAssertEqual(AnyRealmCollection(results), AnyRealmCollection(results))
        XCTAssertNotEqual(AnyRealmCollection(results), AnyRealmCollection(realm.objects(CrossingParcel.self)))
        XCTAssertEqual(AnyRealmCollection(parcel.parts), AnyRealmCollection(parcel.parts))
        XCTAssertNotEqual(AnyRealmCollection(parcel.parts), AnyRealmCollection(parcel.parts[0].parts))
        XCTAssertNotEqual(AnyRealmCollection(parcel.parts), AnyRealmCollection(results))
    }

    func testObserving() throws {
        let (realm, parcel) = try packed()
        let collection = AnyRealmCollection(parcel.parts)
        var changes: [String] = []
        let token = collection.observe { change in
            if case .update(let told, _, _, _) = change { XCTAssertEqual(told, collection) }
            changes.append(self.text(change))
        }
        let typed = collection.observe(keyPaths: [\.label]) { _ in changes.append("label") }
        realm.refresh()
        wait("the initial calls") { changes.count == 2 }
        try realm.write {
            parcel.parts.remove(at: 0)
            parcel.parts[0].weight = 1
        }
        wait("the updates") { changes.count == 4 }
        XCTAssertEqual(changes.sorted(), ["-[0] +[] ~[1]", "initial", "label", "label"])
        token.invalidate()
        typed.invalidate()
    }

    func testFreezingAndThawing() throws {
        let (realm, parcel) = try packed()
        let frozen = AnyRealmCollection(parcel.parts).freeze()
        XCTAssertTrue(frozen.isFrozen)
        try realm.write { realm.delete(parcel.parts[0]) }
        XCTAssertEqual(frozen.count, 2)
        XCTAssertEqual(frozen.thaw()?.count, 1)
        XCTAssertEqual(frozen.thaw(), AnyRealmCollection(parcel.parts))
        try realm.write { realm.delete(parcel) }
        XCTAssertNil(frozen.thaw())
    }
}
