import Foundation
import Kivo
import XCTest

/// Keys that a class answers for itself: computed and ignored ones, unknown ones, and overridden methods.
final class KeyValueHookTests: RealmTestCase {
    // MARK: Computed and ignored properties

    func testComputedProperties() throws {
        try onBothKinds({ Coded(value: ["name": "a", "age": 2]) }) { coded in
            XCTAssertEqual(coded.value(forKey: "title") as? String, "a (2)")
            XCTAssertEqual(coded.value(forKeyPath: "title.length") as? Int, 5)
            coded.setValue(10, forKey: "twice")
            XCTAssertEqual(coded.age, 5)
            coded.setValue(12.0, forKey: "twice")
            XCTAssertEqual(coded.value(forKey: "twice") as? Int, 12)
            coded.setValue("m", forKey: "motto")
            XCTAssertEqual(coded.note, "m")
            coded.setValue(NSNull(), forKey: "motto")
            XCTAssertNil(coded.value(forKey: "motto"))
        }
    }

    func testASetterIsToldOnce() throws {
        try onBothKinds({ Coded() }) { coded in
            let recorder = observe(coded, "twice")
            coded.setValue(4, forKey: "twice")
            XCTAssertEqual(told(recorder), ["twice 1 old 0 new 4"])
            coded.removeObserver(recorder, forKeyPath: "twice")
        }
    }

    func testIgnoredProperties() throws {
        try onBothKinds({ Coded() }) { coded in
            coded.setValue(true, forKey: "isSelected")
            XCTAssertTrue(coded.isSelected)
            coded.setValue(0, forKey: "isSelected")
            XCTAssertEqual(coded.value(forKey: "isSelected") as? Bool, false)
            coded.setValue(["a", "b"], forKey: "tags")
            XCTAssertEqual(coded.tags, ["a", "b"])
            coded.setValue("n", forKey: "note")
            XCTAssertEqual(coded.value(forKey: "note") as? String, "n")
            coded.setValue(NSNull(), forKey: "note")
            XCTAssertNil(coded.note)
            XCTAssertNil(coded.value(forKey: "note"))
            let companion = Coded(value: ["name": "c"])
            coded.setValue(companion, forKey: "companion")
            XCTAssertEqual(coded.value(forKeyPath: "companion.name") as? String, "c")
            coded.setValue(true, forKeyPath: "companion.isSelected")
            XCTAssertTrue(companion.isSelected)
        }
    }

    func testIgnoredPropertiesNeedNoTransaction() throws {
        let realm = try openRealm()
        let coded = Coded()
        try realm.write { realm.add(coded) }
        coded.setValue("n", forKey: "note")
        coded.setValuesForKeys(["isSelected": true, "tags": ["t"]])
        XCTAssertEqual(coded.note, "n")
        XCTAssertTrue(coded.isSelected)
        XCTAssertEqual(coded.tags, ["t"])
    }

    // MARK: Hooks

    func testUndefinedKeys() throws {
        try onBothKinds({ Lenient() }) { object in
            XCTAssertNil(object.value(forKey: "colour"))
            object.setValue("red", forKey: "colour")
            XCTAssertEqual(object.value(forKey: "colour") as? String, "red")
            object.partner = Coded()
            object.setValue(NSNull(), forKey: "colour")
            XCTAssertNil(object.extras["colour"], "null is nil")
            object.setValue(1, forKey: "hidden")
            XCTAssertEqual(object.hidden, 0, "a property without a name")
            XCTAssertEqual(
                object.calls, ["get colour", "set colour", "get colour", "set colour", "set hidden"])
            object.calls = []
            object.setValue("a", forKey: "name")
            XCTAssertEqual(object.value(forKey: "name") as? String, "a")
            XCTAssertEqual(object.calls, [])
        }
    }

    func testUndefinedKeysAtTheEndOfAPath() throws {
        let (outer, inner) = (Coded(), Lenient())
        outer.companion = inner
        outer.setValue("red", forKeyPath: "companion.colour")
        XCTAssertEqual(outer.value(forKeyPath: "companion.colour.length") as? Int, 3)
        XCTAssertEqual(inner.calls, ["set colour", "get colour"])
    }

    func testNilForWhatTakesNone() throws {
        try onBothKinds({ Lenient(value: ["age": 3]) }) { object in
            object.isSelected = true
            object.setValue(nil, forKey: "age")
            XCTAssertEqual(object.age, 0)
            object.setValue(NSNull(), forKey: "isSelected")
            XCTAssertFalse(object.isSelected)
            object.age = 3
            object.setValue(nil, forKey: "twice")
            XCTAssertEqual(object.age, 0)
            XCTAssertEqual(object.calls, ["nil age", "nil isSelected", "nil twice"])
            object.setValue(nil, forKey: "note")
            object.setValue(nil, forKey: "motto")
            object.setValue(nil, forKey: "partner")
            object.setValue(nil, forKey: "others")
            XCTAssertEqual(object.calls.count, 3)
        }
    }

    func testNilIsNotToldTwice() throws {
        try onBothKinds({ Lenient(value: ["age": 3]) }) { object in
            let recorder = observe(object, "age")
            object.setValue(nil, forKey: "age")
            XCTAssertEqual(told(recorder), ["age 1 old 3 new 0"])
            object.removeObserver(recorder, forKeyPath: "age")
        }
    }

    // MARK: Many keys at once

    func testManyKeys() throws {
        try onBothKinds({ Lenient() }) { object in
            object.setValuesForKeys(["name": "a", "age": 4, "note": NSNull(), "colour": "red"])
            XCTAssertEqual(object.name, "a")
            XCTAssertEqual(object.age, 4)
            let values = object.dictionaryWithValues(forKeys: ["name", "note", "partner", "colour", "name"])
            XCTAssertEqual(values.count, 4)
            XCTAssertEqual(values["name"] as? String, "a")
            XCTAssertTrue(values["note"] is NSNull)
            XCTAssertTrue(values["partner"] is NSNull)
            XCTAssertEqual(values["colour"] as? String, "red")
            object.setValuesForKeys(values)
            XCTAssertEqual(object.name, "a")
            object.setValuesForKeys([:])
            XCTAssertEqual(object.dictionaryWithValues(forKeys: []).count, 0)
            object.setValuesForKeys(["age": NSNull()])
            XCTAssertEqual(object.age, 0)
            XCTAssertEqual(object.calls.last, "nil age")
        }
    }

    func testManyKeysAreSetInOrder() {
        let object = Disguised()
        object.setValuesForKeys(["note": "n", "age": 1, "name": "x", "isSelected": true])
        XCTAssertEqual(object.assigned, ["age", "isSelected", "name", "note"])
    }

    // MARK: Overridden methods

    func testOverriddenMethodsAreAsked() throws {
        try onBothKinds({ Disguised(value: ["name": "true"]) }) { object in
            XCTAssertEqual(object.value(forKey: "name") as? String, "a disguise")
            XCTAssertEqual(object.value(forKeyPath: "name") as? String, "a disguise")
            XCTAssertEqual(object.value(forKeyPath: "name.length") as? Int, 10)
            XCTAssertEqual(object.dictionaryWithValues(forKeys: ["name"])["name"] as? String, "a disguise")
            XCTAssertEqual(NSArray(array: [object]).value(forKey: "name") as? [String], ["a disguise"])
            XCTAssertEqual(
                NSArray(array: [object]).value(forKeyPath: "@max.name") as? String, "a disguise")
            XCTAssertEqual(object["name"] as? String, "true", "the subscript is no key-value coding")
            let owner = Coded()
            owner.companion = object
            XCTAssertEqual(owner.value(forKeyPath: "companion.name") as? String, "a disguise")
            owner.setValue(1, forKeyPath: "companion.age")
            object.setValue(2, forKeyPath: "age")
            NSArray(array: [object]).setValue(3, forKey: "age")
            XCTAssertEqual(object.assigned, ["age", "age", "age"])
            XCTAssertEqual(object.age, 3)
        }
    }

    func testObserversSeeTheOverriddenValue() throws {
        try onBothKinds({ Disguised() }) { object in
            let recorder = observe(object, "name")
            object.name = "x"
            XCTAssertEqual(told(recorder), ["name 1 old a disguise new a disguise"])
            object.removeObserver(recorder, forKeyPath: "name")
        }
    }
}
