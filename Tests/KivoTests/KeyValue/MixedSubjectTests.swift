import Foundation
import Kivo
import XCTest

private final class ShownDog: Object {
    @Persisted var name = ""
    @Persisted var tags: List<String>
    @Persisted var friend: ShownDog?
    @Ignored var panel: DogPanel?
    @Ignored var spare = DogPanel()
    var shout: String { name.uppercased() }
}

/// A view model over a stored object.
private final class DogPanel: KeyValueObservable {
    @Observed var dog: ShownDog?
    @Observed var title = ""
    /// A property without a name, which depends on what it reads.
    var line: String { title + (dog?.friend?.name ?? "") }
    var caption: String {
        guard let dog, !dog.isInvalidated else { return "\(title): none" }
        return "\(title): \(dog.name)"
    }

    class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        key == "caption" ? ["title", "dog.name"] : []
    }
    class func computedProperties() -> [String: AnyKeyPath] { ["caption": \DogPanel.caption] }
}

/// A card that does not hold the object that it shows.
private final class DogCard: KeyValueObservable {
    @ObservedWeak var dog: ShownDog?
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
    /// A path through a weak property holds models: nothing else may hold the accessor of a row.
    func testWeakReferencesToModels() throws {
        let realm = try Realm(
            configuration: .init(inMemoryIdentifier: name, objectTypes: [ShownDog.self]))
        var names: [String?] = []
        let card = DogCard()
        let tokens = [
            card.observe(\.dog?.name, options: .new) { names.append($1.newValue!) },
            card.observe(\.dog?.friend?.name, options: .new) { names.append($1.newValue!) },
        ]
        do {
            let dog = ShownDog()
            card.dog = dog
            dog.name = "Rex"
        }
        card.dog = nil
        XCTAssertEqual(names, ["", nil, "Rex", nil, nil])
        names = []
        let dog = ShownDog(value: ["name": "Rex", "friend": ["name": "Ada"]])
        try realm.write { realm.add(dog) }
        card.dog = dog
        try realm.write { dog.friend!.name = "Tim" }
        try realm.write { dog.friend = nil }
        try realm.write { realm.delete(dog) }
        card.dog = nil
        XCTAssertEqual(Array(names.prefix(4)), ["Rex", "Ada", "Tim", nil])
        tokens.forEach { $0.invalidate() }
    }

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

    func testTypedPathsFromAPlainClassIntoAModel() throws {
        let realm = try Realm(
            configuration: .init(inMemoryIdentifier: name, objectTypes: [ShownDog.self]))
        let (dog, other, panel) = (ShownDog(), ShownDog(), DogPanel())
        dog.name = "Rex"
        try realm.write { realm.add([dog, other]) }
        var (names, friends, counts): ([String??], [String??], [Int]) = ([], [], [])
        let tokens = [
            panel.observe(\.dog?.name, options: .new) { names.append($1.newValue) },
            panel.observe(\.dog?.friend?.name, options: .new) { friends.append($1.newValue) },
            panel.observe(\.dog?.name.count, options: .new) { counts.append($1.newValue! ?? -1) },
        ]
        panel.dog = dog
        try realm.write { dog.name = "Max" }
        try realm.write { dog.friend = other }
        try realm.write { other.name = "Ada" }
        panel.dog = nil
        try realm.write { dog.name = "unseen" }
        XCTAssertEqual(names, ["Rex", "Max", .some(nil)])
        XCTAssertEqual(friends, [.some(nil), "", "Ada", .some(nil)])
        XCTAssertEqual(counts, [3, 3, -1])
        tokens.forEach { $0.invalidate() }
    }

    func testTypedPathsWithForcedLinksIntoAModel() {
        let (dog, panel) = (ShownDog(), DogPanel())
        panel.dog = dog
        var names: [String?] = []
        let token = panel.observe(\.dog!.name, options: .new) { names.append($1.newValue) }
        dog.name = "Rex"
        panel.dog = nil
        panel.dog = dog
        XCTAssertEqual(names, ["Rex", nil, "Rex"])
        token.invalidate()
    }

    func testListsOfAModelBehindAPlainObject() {
        let (dog, panel) = (ShownDog(), DogPanel())
        panel.dog = dog
        var kinds: [NSKeyValueChange] = []
        let token = panel.observe(\.dog?.tags, options: .new) { kinds.append($1.kind) }
        dog.tags.append("a")
        panel.dog = nil
        XCTAssertEqual(kinds, [.setting, .setting])
        token.invalidate()
    }

    func testComputedPropertiesOfAModelAndOfAPlainClassOverIt() {
        let (dog, friend, panel) = (ShownDog(), ShownDog(), DogPanel())
        panel.dog = dog
        var (lines, shouts): ([String], [String?]) = ([], [])
        let tokens = [
            panel.observe(\.line, options: .new) { lines.append($1.newValue!) },
            panel.observe(\.dog?.shout, options: .new) { shouts.append($1.newValue!) },
        ]
        dog.friend = friend
        friend.name = "Ada"
        panel.title = "T"
        dog.name = "Rex"
        panel.dog = nil
        friend.name = "unseen"
        XCTAssertEqual(lines, ["", "Ada", "TAda", "T"])
        XCTAssertEqual(shouts, ["REX", nil])
        tokens.forEach { $0.invalidate() }
    }

    func testTypedPathsFromAModelIntoAPlainClass() throws {
        let (dog, panel) = (ShownDog(), DogPanel())
        var (titles, lines, spare): ([String?], [String?], [String]) = ([], [], [])
        let tokens = [
            dog.observe(\.panel?.title, options: .new) { titles.append($1.newValue!) },
            dog.observe(\.panel?.line, options: .new) { lines.append($1.newValue!) },
            dog.observe(\.spare.title, options: .new) { spare.append($1.newValue!) },
        ]
        dog.panel = panel
        panel.title = "a"
        panel.dog = dog
        dog.friend = ShownDog()
        dog.friend!.name = "Ada"
        dog.panel = nil
        panel.title = "b"
        dog.spare.title = "c"
        XCTAssertEqual(titles, ["", "a", nil])
        XCTAssertEqual(lines, ["", "a", "a", "a", "aAda", nil])
        XCTAssertEqual(spare, ["c"])
        tokens.forEach { $0.invalidate() }
    }

    func testAPathThatLeadsBack() {
        let (dog, panel, inner) = (ShownDog(), DogPanel(), DogPanel())
        panel.dog = dog
        var titles: [String?] = []
        let token = panel.observe(\.dog?.panel?.title, options: .new) { titles.append($1.newValue!) }
        dog.panel = inner
        inner.title = "a"
        panel.dog = nil
        inner.title = "b"
        XCTAssertEqual(titles, ["", "a", nil])
        token.invalidate()
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

    func testCollectionsOfBothKinds() {
        let (dog, cheap, panel) = (Priced(), Priced(), PricedPanel())
        dog.price = 2
        dog.size = .init(metres: 3)
        cheap.price = Decimal128("0.5")
        panel.price = 4
        panel.size = 5
        for objects in [[dog, cheap, panel], [panel, dog, cheap]] as [[any KeyValueObservable]] {
            let array = NSArray(array: objects)
            let sum = array.value(forKeyPath: "@sum.price")
            XCTAssertTrue(sum as? Decimal128 == "6.5" || sum as? Decimal == 6.5, "\(sum ?? "nil")")
            XCTAssertEqual(array.value(forKeyPath: "@max.price") as? Decimal, 4)
            XCTAssertEqual(array.value(forKeyPath: "@min.price") as? Decimal128, "0.5")
            XCTAssertEqual(array.value(forKeyPath: "@sum.size") as? Int, 8)
            XCTAssertEqual(array.value(forKeyPath: "@count") as? Int, 3)
            XCTAssertEqual((array.value(forKey: "title") as? [String])?.sorted(), ["", "", "panel"])
            let distinct = array.value(forKeyPath: "@distinctUnionOfObjects.title") as? [String]
            XCTAssertEqual(distinct?.sorted(), ["", "panel"])
        }
        let notices = Notices()
        let array = NSArray(array: [dog, panel])
        array.addObserver(notices, toObjectsAt: [0, 1], forKeyPath: "title", options: .new)
        array.setValue("new", forKey: "title")
        XCTAssertEqual(dog.title, "new")
        XCTAssertEqual(panel.title, "new")
        XCTAssertEqual(notices.texts, ["title - new", "title - new"])
        array.removeObserver(notices, fromObjectsAt: [0, 1], forKeyPath: "title")
    }

    func testAnArrayOfBothKindsBehindAPlainObject() {
        let (holder, dog, panel, notices) = (Holder(), Priced(), PricedPanel(), Notices())
        holder.addObserver(notices, forKeyPath: "items", options: [.old, .new])
        holder.addObserver(notices, forKeyPath: "items.@count", options: [.new])
        holder.mutableArrayValue(forKey: "items").addObjects(from: [dog, panel])
        XCTAssertEqual(holder.items.count, 2)
        XCTAssertTrue(holder.items[0] === dog && holder.items[1] === panel)
        XCTAssertEqual(notices.texts.last, "items.@count - 2")
        holder.setValue("t", forKeyPath: "items.title")
        XCTAssertEqual([dog.title, panel.title], ["t", "t"])
        XCTAssertEqual(holder.value(forKeyPath: "items.@unionOfObjects.title") as? [String], ["t", "t"])
        holder.removeObserver(notices, forKeyPath: "items")
        holder.removeObserver(notices, forKeyPath: "items.@count")
    }
}

/// A type that models store as a number.
private struct Length: CustomPersistable, Equatable {
    var metres = 0
    init(metres: Int) { self.metres = metres }
    init(persistedValue: Int) { metres = persistedValue }
    var persistableValue: Int { metres }
}

private final class Priced: Object {
    @Persisted var price: Decimal128 = 0
    @Persisted var size = Length(metres: 0)
    @Persisted var title = ""
}

private final class PricedPanel: KeyValueObservable {
    @Observed var price: Decimal = 0
    @Observed var size = 0
    @Observed var title = "panel"
}

private final class Holder: KeyValueObservable {
    @Observed var items: [any KeyValueObservable] = []
}
