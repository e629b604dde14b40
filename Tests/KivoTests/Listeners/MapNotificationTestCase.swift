import Kivo
import XCTest

/// A test of map notifications.
class MapNotificationTestCase: RealmTestCase {
    var tokens: [NotificationToken] = []

    override func tearDown() {
        tokens = []
        super.tearDown()
    }

    func text<Value>(_ change: RealmMapChange<Map<String, Value>>) -> String {
        switch change {
        case .initial: "initial"
        case .update(_, let deletions, let insertions, let modifications):
            "-\(deletions) +\(insertions) ~\(modifications)"
        case .error(let error): "\(error)"
        }
    }

    /// Observes a map, and returns a box of the notifications that follow the first call.
    func observe<Value>(_ map: Map<String, Value>, _ keyPaths: [String]? = nil) -> Box<[String]> {
        let told = Box<[String]>([])
        tokens.append(
            map.observe(keyPaths: keyPaths) { change in
                switch change {
                case .initial(let observed), .update(let observed, _, _, _): XCTAssertEqual(observed, map)
                case .error: break
                }
                told.value.append(self.text(change))
            })
        map.realm?.refresh()
        XCTAssertEqual(told.value, ["initial"])
        told.value = []
        return told
    }

    func bag(_ counts: [String: Int] = [:], in realm: Realm) throws -> Bag {
        let bag = Bag()
        for (key, value) in counts { bag.counts[key] = value }
        try realm.write { realm.add(bag) }
        return bag
    }

    func bagOfDogs(in realm: Realm) throws -> Bag {
        let bag = Bag()
        for name in ["ben", "max", "rex"] { bag.dogsByName[name] = Dog(value: ["name": name]) }
        bag.dogsByName["alias"] = bag.dogsByName["rex"]
        bag.dogsByName["nobody"] = .some(nil)
        try realm.write { realm.add(bag) }
        return bag
    }

    func dog(_ name: String, of bag: Bag) throws -> Dog {
        try XCTUnwrap(bag.dogsByName[name] ?? nil)
    }
}
