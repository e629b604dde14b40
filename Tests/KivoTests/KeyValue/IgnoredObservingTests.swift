import Foundation
import Kivo
import XCTest

/// Properties that are not part of the model, and are observed all the same.
final class IgnoredObservingTests: RealmTestCase {
    func testAssignments() throws {
        try onBothKinds({ Widget() }) { widget in
            let recorder = observe(widget, "isSelected", [.initial, .prior, .old, .new])
            XCTAssertEqual(told(recorder), ["isSelected 1 new false"])
            widget.isSelected = true
            XCTAssertEqual(
                told(recorder), ["isSelected 1 old false prior", "isSelected 1 old false new true"])
            widget.isSelected = true
            XCTAssertEqual(told(recorder).count, 2, "an equal value is a change")
            widget.setValue(false, forKey: "isSelected")
            XCTAssertEqual(
                told(recorder), ["isSelected 1 old true prior", "isSelected 1 old true new false"])
            widget.name = "a"
            widget.tags = ["b"]
            XCTAssertEqual(told(recorder), [])
            widget.removeObserver(recorder, forKeyPath: "isSelected")
            widget.isSelected = true
            XCTAssertEqual(told(recorder), [])
            XCTAssertTrue(widget.isSelected)
        }
    }

    func testTypedObservation() throws {
        try onBothKinds({ Widget() }) { widget in
            var values: [(Bool?, Bool?)] = []
            let token = widget.observe(\.isSelected, options: [.old, .new]) { _, change in
                values.append((change.oldValue, change.newValue))
            }
            widget.isSelected = true
            XCTAssertEqual(values.map(\.0), [false])
            XCTAssertEqual(values.map(\.1), [true])
            token.invalidate()
            widget.isSelected = false
            XCTAssertEqual(values.count, 1)
        }
    }

    func testAnyType() throws {
        try onBothKinds({ Widget() }) { widget in
            var frames: [(Frame?, Frame?)] = []
            var (closures, anythings) = (0, [String]())
            let tokens = [
                widget.observe(\.frame, options: [.old, .new]) { frames.append(($1.oldValue, $1.newValue)) },
                widget.observe(\.action) { _, _ in closures += 1 },
                widget.observe(\.anything, options: [.old, .new]) { _, change in
                    anythings.append("\(change.oldValue ?? "nil") \(change.newValue ?? "nil")")
                },
            ]
            let tags = observe(widget, "tags")
            widget.frame = Frame(width: 1, height: 2)
            widget.frame.width = 3
            XCTAssertEqual(frames.map(\.0), [Frame(), Frame(width: 1, height: 2)])
            XCTAssertEqual(frames.map(\.1), [Frame(width: 1, height: 2), Frame(width: 3, height: 2)])
            widget.action = { 5 }
            XCTAssertEqual(widget.action?(), 5)
            XCTAssertEqual(closures, 1)
            widget.anything = "text"
            widget.anything = 4.5
            XCTAssertEqual(anythings, ["0 text", "text 4.5"])
            widget.tags.append("a")
            widget.tags.append("b")
            XCTAssertEqual(told(tags), ["tags 1 old [] new [a]", "tags 1 old [a] new [a, b]"])
            widget.removeObserver(tags, forKeyPath: "tags")
            for token in tokens { token.invalidate() }
        }
    }

    func testNilIsPresent() throws {
        try onBothKinds({ Widget() }) { widget in
            let recorder = observe(widget, "comment")
            var values: [(String??, String??)] = []
            let token = widget.observe(\.comment, options: [.old, .new]) { _, change in
                values.append((change.oldValue, change.newValue))
            }
            widget.comment = "a"
            widget.comment = nil
            XCTAssertEqual(told(recorder), ["comment 1 old null new a", "comment 1 old a new null"])
            XCTAssertEqual(values.map(\.0), [.some(nil), .some("a")])
            XCTAssertEqual(values.map(\.1), [.some("a"), .some(nil)])
            token.invalidate()
            widget.removeObserver(recorder, forKeyPath: "comment")
        }
    }

    func testDependentKeys() throws {
        try onBothKinds({ Widget() }) { widget in
            let recorder = observe(widget, "title")
            widget.isSelected = true
            widget.name = "a"
            XCTAssertEqual(told(recorder), ["title 1 old  new *", "title 1 old * new a*"])
            widget.removeObserver(recorder, forKeyPath: "title")
        }
    }

    func testPathsThroughAnIgnoredLink() throws {
        try onBothKinds({ Widget() }) { widget in
            let (name, selected) = (observe(widget, "partner.name"), observe(widget, "partner.isSelected"))
            let partner = Widget(value: ["name": "p"])
            widget.partner = partner
            partner.name = "q"
            partner.isSelected = true
            widget.partner = nil
            partner.name = "r"
            XCTAssertEqual(
                told(name),
                [
                    "partner.name 1 old null new p", "partner.name 1 old p new q",
                    "partner.name 1 old q new null",
                ])
            XCTAssertEqual(
                told(selected),
                [
                    "partner.isSelected 1 old null new false", "partner.isSelected 1 old false new true",
                    "partner.isSelected 1 old true new null",
                ])
            widget.removeObserver(name, forKeyPath: "partner.name")
            widget.removeObserver(selected, forKeyPath: "partner.isSelected")
        }
    }

    func testTypedPathsThroughAnIgnoredLink() throws {
        try onBothKinds({ Widget() }) { widget in
            let partner = Widget(value: ["name": "p"])
            widget.partner = partner
            var values: [(String??, String??)] = []
            let token = widget.observe(\.partner?.name, options: [.old, .new]) { _, change in
                values.append((change.oldValue, change.newValue))
            }
            partner.name = "q"
            widget.partner = nil
            XCTAssertEqual(values.map(\.0), [.some("p"), .some("q")])
            XCTAssertEqual(values.map(\.1), [.some("q"), .some(nil)])
            token.invalidate()
        }
    }

    func testTypedPathsIntoAnIgnoredValue() throws {
        try onBothKinds({ Widget() }) { widget in
            var values: [(Int?, Int?)] = []
            let token = widget.observe(\.frame.width, options: [.old, .new]) { _, change in
                values.append((change.oldValue, change.newValue))
            }
            widget.frame.width = 3
            widget.frame = Frame(width: 4, height: 1)
            XCTAssertEqual(values.map(\.0), [0, 3])
            XCTAssertEqual(values.map(\.1), [3, 4])
            token.invalidate()
        }
    }

    // MARK: Managed objects

    func testOnlyTheInstanceItselfIsTold() throws {
        let realm = try openRealm()
        let widget = Widget()
        try realm.write { realm.add(widget) }
        let same = realm.objects(Widget.self)[0]
        XCTAssertFalse(same === widget)
        let (mine, theirs) = (observe(widget, "isSelected"), observe(same, "isSelected"))
        // No transaction: the property is none of the realm's.
        widget.isSelected = true
        XCTAssertEqual(told(mine), ["isSelected 1 old false new true"])
        XCTAssertEqual(told(theirs), [])
        XCTAssertFalse(same.isSelected)
        same.isSelected = true
        XCTAssertEqual(told(mine), [])
        XCTAssertEqual(told(theirs), ["isSelected 1 old false new true"])
        widget.removeObserver(mine, forKeyPath: "isSelected")
        same.removeObserver(theirs, forKeyPath: "isSelected")
    }

    func testRefreshingAndRollingBackLeaveItAlone() throws {
        let realm = try openRealm()
        let widget = Widget()
        try realm.write { realm.add(widget) }
        let (selected, title) = (observe(widget, "isSelected"), observe(widget, "title"))
        widget.isSelected = true
        XCTAssertEqual(told(title), ["title 1 old  new *"])
        try writeElsewhere { $0.objects(Widget.self)[0].name = "a" }
        realm.refresh()
        XCTAssertEqual(told(selected), ["isSelected 1 old false new true"])
        XCTAssertEqual(told(title), ["title 1 old * new a*"])
        realm.beginWrite()
        widget.isSelected = false
        realm.cancelWrite()
        XCTAssertFalse(widget.isSelected)
        XCTAssertEqual(told(selected), ["isSelected 1 old true new false"])
        widget.removeObserver(selected, forKeyPath: "isSelected")
        widget.removeObserver(title, forKeyPath: "title")
    }

    func testAddingKeepsTheValue() throws {
        let realm = try openRealm()
        let widget = Widget()
        widget.isSelected = true
        try realm.write { realm.add(widget) }
        XCTAssertTrue(widget.isSelected)
        let recorder = observe(widget, "isSelected")
        widget.isSelected = false
        XCTAssertEqual(told(recorder), ["isSelected 1 old true new false"])
        widget.removeObserver(recorder, forKeyPath: "isSelected")
    }

    func testAnOwnDefaultAndASubclass() throws {
        try onBothKinds({ LargeWidget() }) { widget in
            let (inherited, own) = (observe(widget, "isSelected"), observe(widget, "scale"))
            widget.isSelected = true
            widget.scale = 3
            XCTAssertEqual(told(inherited), ["isSelected 1 old false new true"])
            XCTAssertEqual(told(own), ["scale 1 old 2.0 new 3.0"])
            widget.removeObserver(inherited, forKeyPath: "isSelected")
            widget.removeObserver(own, forKeyPath: "scale")
        }
    }
}

struct Frame: Equatable {
    var width = 0
    var height = 0
}

class Widget: Object {
    @Persisted var name = ""
    @Ignored var isSelected = false
    @Ignored var frame = Frame()
    @Ignored var tags: [String] = []
    @Ignored var comment: String?
    @Ignored var partner: Widget?
    @Ignored var anything: Any = 0
    @Ignored var action: (() -> Int)?

    var title: String { name + (isSelected ? "*" : "") }

    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        key == "title" ? ["name", "isSelected"] : []
    }

    override class func computedProperties() -> [String: AnyKeyPath] { ["title": \Widget.title] }
}

class LargeWidget: Widget {
    @Ignored var scale = 2.0
}
