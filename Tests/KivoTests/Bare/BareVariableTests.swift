import Foundation
import Kivo
import XCTest

/// Collections of the older style in `var`s, which synthesised decoding assigns.
final class BareVariableTests: RealmTestCase {
    func testDecodedCollectionsAreThoseOfTheObject() throws {
        let text = #"{"names": ["a", "b"], "sizes": [3], "counts": {"x": 1}}"#
        let basket = try JSONDecoder().decode(Basket.self, from: Data(text.utf8))
        XCTAssertEqual(Array(basket.names), ["a", "b"])
        XCTAssertEqual((basket.value(forKey: "sizes") as? MutableSet<Int>).map(Array.init), [3])
        let realm = try openRealm()
        try realm.write { realm.add(basket) }
        let found = try XCTUnwrap(realm.objects(Basket.self).first)
        XCTAssertEqual(Array(found.names), ["a", "b"])
        XCTAssertEqual(Array(found.sizes), [3])
        XCTAssertEqual(found.counts["x"], 1)
        try realm.write { basket.names.append("c") }
        XCTAssertEqual(Array(found.names), ["a", "b", "c"])
    }

    func testTheListAssignedLastIsTheOneThatIsAdded() throws {
        let realm = try openRealm()
        let basket = Basket()
        basket.names.append("first")
        let names = List<String>()
        names.append("second")
        basket.names = names
        try realm.write { realm.add(basket) }
        XCTAssertEqual(realm.objects(Basket.self).first.map { Array($0.names) }, ["second"])
        try realm.write { names.append("third") }
        XCTAssertEqual(Array(basket.names), ["second", "third"])
    }

    func testWhatIsAssignedInARealmIsNotStored() throws {
        let realm = try openRealm()
        let basket = Basket(value: ["names": ["kept"]])
        try realm.write {
            realm.add(basket)
            basket.names = List()
        }
        XCTAssertEqual(realm.objects(Basket.self).first.map { Array($0.names) }, ["kept"])
        XCTAssertEqual(realm.objects(Basket.self).filter("names.@count == 1").count, 1)
    }

    func testObserversHearOfTheListThatIsThereWhenTheyCome() {
        let basket = Basket()
        basket.names = List()
        var kinds: [NSKeyValueChange] = []
        let token = basket.observe(\.names) { kinds.append($1.kind) }
        basket.names.append("a")
        XCTAssertEqual(kinds, [.insertion])
        token.invalidate()
    }
}

final class Basket: Object, Codable {
    var names = List<String>()
    var sizes = MutableSet<Int>()
    var counts = Map<String, Int>()
}
