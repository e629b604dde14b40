import Foundation
import Kivo
import XCTest

/// Numbers in change dictionaries, and by name, can be read as their own types, and as those that literals have.
final class KeyValueNumberTests: RealmTestCase {
    private final class Observer: KeyValueObserver {
        var old: Any?
        var new: Any?

        func observeValue(
            forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
        ) {
            (old, new) = (change?[.oldKey], change?[.newKey])
        }
    }

    private func told(_ object: Object, _ key: String, _ value: Any?) -> (old: Any?, new: Any?) {
        let observer = Observer()
        object.addObserver(observer, forKeyPath: key, options: [.old, .new])
        object[key] = value
        object.removeObserver(observer, forKeyPath: key)
        return (observer.old, observer.new)
    }

    private func check(_ object: Object) {
        let half = told(object, "half", 2.5)
        XCTAssertEqual(half.old as? Float, 0.5)
        XCTAssertEqual(half.old as? Double, 0.5)
        XCTAssertEqual(half.new as? Float, 2.5)
        XCTAssertEqual(half.new as? NSNumber, 2.5)
        for (key, type) in [("tiny", Int8.self), ("small", Int16.self), ("medium", Int32.self)]
            as [(String, any FixedWidthInteger.Type)]
        {
            func read<Number: FixedWidthInteger>(_: Number.Type) {
                let numbers = told(object, key, -7)
                XCTAssertEqual(numbers.old as? Number, 3)
                XCTAssertEqual(numbers.old as? Int, 3)
                XCTAssertEqual(numbers.new as? Number, -7)
                XCTAssertEqual(numbers.new as? Int, -7)
            }
            read(type)
        }
        let maybe = told(object, "maybe", 10)
        XCTAssertTrue(maybe.old is NSNull)
        XCTAssertEqual(maybe.new as? Double, 10)
        let none = told(object, "maybe", nil)
        XCTAssertEqual(none.old as? Float, 10)
        XCTAssertTrue(none.new is NSNull)
    }

    /// Checks the number properties of objects, by name.
    private func checkNames(_ object: ObjectBase) {
        object["half"] = 2.5
        object["tiny"] = -7
        object["maybe"] = 1.5
        for read in [{ object[$0] }, { object.value(forKey: $0) }] as [(String) -> Any?] {
            XCTAssertEqual(read("half") as? Float, 2.5)
            XCTAssertEqual(read("half") as? Double, 2.5)
            XCTAssertEqual(read("tiny") as? Int8, -7)
            XCTAssertEqual(read("tiny") as? Int, -7)
            XCTAssertEqual(read("small") as? Int16, 3)
            XCTAssertEqual(read("medium") as? Int, 3)
            XCTAssertEqual(read("large") as? Int64, 1 << 40)
            XCTAssertEqual(read("large") as? Int, 1 << 40)
            XCTAssertEqual(read("maybe") as? Double, 1.5)
        }
        object["tiny"] = object["small"]
        XCTAssertEqual(object["tiny"] as! Int8, 3)
        object["maybe"] = nil
        XCTAssertNil(object["maybe"] as? Double)
    }

    func testUnmanaged() {
        check(NumberBag())
        checkNames(NumberBag())
    }

    func testManaged() throws {
        let realm = try openRealm()
        try realm.write {
            check(realm.create(NumberBag.self))
            checkNames(realm.create(NumberBag.self))
            checkNames(realm.dynamicCreate("NumberBag"))
        }
    }
}

class NumberBag: Object {
    @Persisted var half: Float = 0.5
    @Persisted var tiny: Int8 = 3
    @Persisted var small: Int16 = 3
    @Persisted var medium: Int32 = 3
    @Persisted var large: Int64 = 1 << 40
    @Persisted var maybe: Float?
}
