import Kivo
import XCTest

/// Elements that the key path of an order does not reach come after all others, unlike elements whose value is nil.
final class UnreachedOrderTests: RealmTestCase {
    private func fill(_ realm: Realm) throws {
        try realm.write {
            for (name, height) in [("x", 5), ("y", nil), ("z", 3)] as [(String, Int?)] {
                realm.add(OrderedBox(value: ["name": name, "lid": ["height": height as Any]]))
            }
            realm.add([OrderedBox(value: ["name": "open"]), OrderedBox(value: ["name": "other"])])
        }
    }

    func testAscendingAndDescending() throws {
        let realm = try openRealm()
        try fill(realm)
        let boxes = realm.objects(OrderedBox.self)
        func names(_ isAscending: Bool) -> [String] {
            boxes.sorted(byKeyPath: "lid.height", ascending: isAscending).map(\.name)
        }
        XCTAssertEqual(names(true), ["y", "z", "x", "open", "other"])
        XCTAssertEqual(names(false), ["open", "other", "x", "z", "y"])
        XCTAssertEqual(boxes.sorted(by: \.lid?.height).first?.name, "y")
        XCTAssertEqual(boxes.sorted(by: \.lid?.height).last?.name, "other")
    }

    func testAsSecondKey() throws {
        let realm = try openRealm()
        try fill(realm)
        try realm.write { realm.objects(OrderedBox.self).setValue(1, forKey: "shelf") }
        let keys = [
            SortDescriptor(keyPath: "shelf"), SortDescriptor(keyPath: "lid.height", ascending: false),
        ]
        let names = realm.objects(OrderedBox.self).sorted(by: keys).map(\.name)
        XCTAssertEqual(Array(names), ["open", "other", "x", "z", "y"])
    }

    func testInListsAndInsideOfAWrite() throws {
        let realm = try openRealm()
        try fill(realm)
        try realm.write {
            let pile = realm.create(OrderedPile.self)
            pile.boxes.append(objectsIn: realm.objects(OrderedBox.self))
            let sorted = pile.boxes.sorted(byKeyPath: "lid.height")
            XCTAssertEqual(sorted.map(\.name), ["y", "z", "x", "open", "other"])
            pile.boxes[0].lid = nil
            XCTAssertEqual(sorted.map(\.name), ["y", "z", "x", "open", "other"])
            pile.boxes[1].lid?.height = 9
            XCTAssertEqual(sorted.map(\.name), ["z", "y", "x", "open", "other"])
        }
    }

    func testAListenerHearsOfWhatIsNoLongerReached() throws {
        let realm = try openRealm()
        try fill(realm)
        let sorted = realm.objects(OrderedBox.self).sorted(byKeyPath: "lid.height")
        var calls: [String] = []
        let token = sorted.observe { calls.append(self.text($0)) }
        realm.refresh()
        try realm.write { sorted[0].lid = nil }
        realm.refresh()
        XCTAssertEqual(sorted.map(\.name), ["z", "x", "y", "open", "other"])
        try realm.write { sorted[3].lid = OrderedLid(value: ["height": 4]) }
        realm.refresh()
        XCTAssertEqual(sorted.map(\.name), ["z", "open", "x", "y", "other"])
        XCTAssertEqual(calls, ["initial", "-[0] +[2] ~[]", "-[3] +[1] ~[]"])
        token.invalidate()
    }
}

class OrderedLid: EmbeddedObject {
    @Persisted var height: Int?
}

class OrderedBox: Object {
    @Persisted var name = ""
    @Persisted var shelf = 0
    @Persisted var lid: OrderedLid?
}

class OrderedPile: Object {
    @Persisted var boxes: List<OrderedBox>
}
