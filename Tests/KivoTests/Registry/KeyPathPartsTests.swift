import XCTest

@testable import Kivo

/// Typed key paths are distinguished by their parts, not by their printed form.
final class KeyPathPartsTests: RealmTestCase {
    func testOnePartIsToldFromSeveral() {
        for keyPath: AnyKeyPath in [
            \Knot.value, \Knot.label, \Knot.child, \Knot.list, \Branching.label, \Area.size, \Dog.name,
        ] {
            XCTAssertTrue(KeyPathParts.isSingle(keyPath), "\(keyPath)")
        }
        for keyPath: AnyKeyPath in [
            \Knot.value.description, \Knot.label?.count, \Knot.child?.value, \Knot.child!.value, \Knot.child!,
            \Knot.list.count, \Dog.name.count, \Knot.child?.label?.count,
            (\Dog.name).appending(path: \.count),
        ] {
            XCTAssertFalse(KeyPathParts.isSingle(keyPath), "\(keyPath)")
        }
    }

    func testAPropertyOfAValueIsObservedThroughTheValue() {
        let dog = Dog()
        var told: [String] = []
        let count = dog.observe(\.name.count, options: [.old, .new]) { _, change in
            told.append("\(change.oldValue ?? -1) \(change.newValue ?? -1)")
        }
        let upper = dog.observe(\.owner?.name.localizedUppercase, options: [.new]) { _, change in
            told.append((change.newValue ?? nil) ?? "nil")
        }
        dog.name = "Rex"
        dog.owner = Person()
        dog.owner?.name = "Ann"
        dog.owner = nil
        XCTAssertEqual(told, ["0 3", "", "ANN", "nil"])
        withExtendedLifetime((count, upper)) {}
    }

    /// A key path that insists on a link is observed while the link is nil.
    func testALinkThatIsInsistedOnMayBeNil() throws {
        let realm = try openRealm()
        let managed = try realm.write { realm.create(Knot.self) }
        for knot in [Knot(), managed] {
            func write(_ body: () -> Void) throws {
                if knot.realm == nil { body() } else { try realm.write { body() } }
            }
            var told: [String] = []
            let options: NSKeyValueObservingOptions = [.initial, .old, .new]
            let tokens = [
                knot.observe(\.child!.value, options: options) { _, change in
                    told.append("value \(change.oldValue ?? -1) \(change.newValue ?? -1)")
                },
                knot.observe(\.child!.label, options: options) { _, change in
                    told.append("label \((change.newValue ?? nil) ?? "nil")")
                },
                knot.observe(\.child!.value.description, options: options) { _, change in
                    told.append("text \(change.newValue ?? "nil")")
                },
                knot.observe(\.child!, options: options) { _, change in
                    told.append("child \(change.newValue?.value ?? -1)")
                },
                knot.observe(\.child?.other!, options: options) { _, change in
                    told.append("other \((change.newValue ?? nil)?.value ?? -1)")
                },
            ]
            XCTAssertEqual(told, ["value -1 -1", "label nil", "text nil", "child -1", "other -1"])
            told = []
            try write { knot.child = Knot.chain(7) }
            XCTAssertEqual(
                told.sorted(), ["child 7", "label nil", "other -1", "text 7", "value -1 7"])
            told = []
            try write { knot.child?.other = Knot.chain(5) }
            XCTAssertEqual(told, ["other 5"])
            told = []
            try write { knot.child?.value = 8 }
            XCTAssertEqual(told.sorted(), ["text 8", "value 7 8"])
            told = []
            try write { knot.child = nil }
            XCTAssertEqual(
                told.sorted(), ["child -1", "label nil", "other -1", "text nil", "value 8 -1"])
            for token in tokens { token.invalidate() }
        }
    }
}
