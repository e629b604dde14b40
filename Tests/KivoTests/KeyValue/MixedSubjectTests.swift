import Foundation
import Kivo
import XCTest

private final class ShownDog: Object {
    @Persisted var name = ""
    @Persisted var tags: List<String>
    @Ignored var panel: DogPanel?
}

/// A view model over a stored object.
private final class DogPanel: KeyValueObservable {
    @Observed var dog: ShownDog?
    @Observed var title = ""
    var caption: String {
        guard let dog, !dog.isInvalidated else { return "\(title): none" }
        return "\(title): \(dog.name)"
    }

    class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        key == "caption" ? ["title", "dog.name"] : []
    }
    class func computedProperties() -> [String: AnyKeyPath] { ["caption": \DogPanel.caption] }
}

private final class Notices: KeyValueObserver {
    var texts: [String] = []

    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        texts.append("\(keyPath!) \(change![.oldKey] ?? "-") \(change![.newKey] ?? "-")")
    }
}

/// Key paths that lead from plain classes into models and back.
final class MixedSubjectTests: XCTestCase {
    func testAViewModelOverAStoredObject() throws {
        let realm = try Realm(
            configuration: .init(inMemoryIdentifier: name, objectTypes: [ShownDog.self]))
        let (dog, other, panel, notices) = (ShownDog(), ShownDog(), DogPanel(), Notices())
        dog.name = "Rex"
        other.name = "Ada"
        try realm.write { realm.add([dog, other]) }
        panel.addObserver(notices, forKeyPath: "caption", options: [.old, .new])
        panel.addObserver(notices, forKeyPath: "dog.name", options: [.new])
        var captions: [String] = []
        let token = panel.observe(\.caption, options: .new) { captions.append($1.newValue!) }
        panel.title = "Dog"
        panel.dog = dog
        try realm.write { dog.name = "Max" }
        // Another accessor of the row.
        let same = realm.objects(ShownDog.self).where { $0.name == "Max" }.first!
        try realm.write { same.name = "Tim" }
        panel.dog = other
        try realm.write { dog.name = "unseen" }
        try realm.write { realm.delete(other) }
        panel.dog = nil
        XCTAssertEqual(captions.prefix(5), ["Dog: none", "Dog: Rex", "Dog: Max", "Dog: Tim", "Dog: Ada"])
        XCTAssertEqual(captions.last, "Dog: none")
        XCTAssertEqual(
            notices.texts.filter { $0.hasPrefix("dog.name") }.prefix(4),
            ["dog.name - Rex", "dog.name - Max", "dog.name - Tim", "dog.name - Ada"])
        token.invalidate()
        panel.removeObserver(notices, forKeyPath: "caption")
        panel.removeObserver(notices, forKeyPath: "dog.name")
    }

    func testAPlainObjectBehindAModel() {
        let (dog, panel, notices) = (ShownDog(), DogPanel(), Notices())
        dog.addObserver(notices, forKeyPath: "panel.title", options: [.old, .new])
        dog.panel = panel
        panel.title = "a"
        dog.panel = nil
        panel.title = "b"
        XCTAssertEqual(
            notices.texts, ["panel.title <null> ", "panel.title  a", "panel.title a <null>"])
        dog.removeObserver(notices, forKeyPath: "panel.title")
    }

    func testValuesByNameThroughBoth() {
        let (dog, panel) = (ShownDog(), DogPanel())
        panel.dog = dog
        panel.setValue("Rex", forKeyPath: "dog.name")
        XCTAssertEqual(panel.value(forKeyPath: "dog.name") as? String, "Rex")
        XCTAssertEqual(panel.value(forKeyPath: "caption") as? String, ": Rex")
        dog.panel = panel
        XCTAssertEqual(dog.value(forKeyPath: "panel.caption") as? String, ": Rex")
        panel.mutableArrayValue(forKeyPath: "dog.tags").add("x")
        XCTAssertEqual(Array(dog.tags), ["x"])
    }
}
