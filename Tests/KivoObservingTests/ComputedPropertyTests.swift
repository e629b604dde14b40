import Foundation
import KivoObserving
import XCTest

/// A class whose computed properties have no names.
private class Order: KeyValueObservable {
    @Observed var price = 1
    @Observed var count = 2
    @Observed var isOpen = true
    @Observed var next: Order?
    @Observed var parts: [Order] = []

    var total: Int { price * count }
    /// Reads another property, depending on its value.
    var shown: Int { isOpen ? price : count }
    var nextTotal: Int { next?.total ?? -1 }
    var grandTotal: Int { total + nextTotal }

    var announced: Int {
        get { price + count }
        set {
            willChangeValue(for: \.announced)
            price = newValue - 1
            count = 1
            didChangeValue(for: \.announced)
        }
    }
}

private final class LargeOrder: Order {}

/// A class that names its computed property, and subclasses that inherit the name.
private class Named: KeyValueObject {
    @Observed var first = ""
    @Observed var last = ""
    /// Announced by name, since it depends on nothing that is observed.
    var plain = 0
    var state: Int { plain }
    var full: String { "\(first) \(last)" }
    var other: String { "\(first) \(last)" }

    override class func computedProperties() -> [String: AnyKeyPath] {
        ["full": \Named.full, "state": \Named.state, "other": \Named.other]
    }

    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        key == "full" ? ["first", "last"] : super.keyPathsForValuesAffectingValue(forKey: key)
    }
}

private class NamedSub: Named {
    override var state: Int { super.state + 100 }
}

private final class NamedSubSub: NamedSub {}

private final class NamedFinal: Named {
    override var state: Int { super.state + 200 }
}

/// Rules by typed key path, for subclasses as well.
private class Typed: KeyValueObservable, KeyValueObservingCustomization {
    @Observed var price = 1
    var plain = 2
    var total: Int { price * plain }

    class func computedProperties() -> [String: AnyKeyPath] { ["total": \Typed.total] }
    static func keyPathsAffectingValue(for key: AnyKeyPath) -> Set<AnyKeyPath> {
        key == \Typed.total ? [\Typed.price] : []
    }
    static func automaticallyNotifiesObservers(for key: AnyKeyPath) -> Bool { true }
}

private final class TypedSub: Typed {}

/// Computed properties with setters that would fail with values that the object never had.
private final class Cache: KeyValueObservable {
    @Observed var megabytes = 64
    @Observed var address = "ann@example.org"
    @Observed var small: Int32 = 5
    @Observed var points = 5.0
    private(set) var seen: Set<Int> = []

    var bytes: Int {
        get {
            seen.insert(megabytes)
            return megabytes * 1_048_576
        }
        set { megabytes = newValue / 1_048_576 }
    }
    var domain: String {
        get { String(address.split(separator: "@")[1]) }
        set { address = address.split(separator: "@")[0] + "@" + newValue }
    }
    var doubled: Int32 {
        get { small * 2 }
        set { small = newValue / 2 }
    }
    var pixels: Double {
        get { Double(Int32(points * 2)) }
        set { points = newValue / 2 }
    }
}

/// Computed properties that return what the property that they read stores, as long as it has its first value.
private final class Album: KeyValueObservable {
    @Observed var megabytes = 0
    @Observed var page = 1
    @Observed var last = 7
    @Observed var marks: [Int] = []
    @Observed private(set) var views = 0
    @Observed var cover: Album?

    var bytes: Int {
        get { megabytes * 1_048_576 }
        set { megabytes = newValue / 1_048_576 }
    }
    var shownPage: Int {
        get { page > 5 ? last : page }
        set { page = newValue }
    }
    var sorted: [Int] { marks.sorted() }
    var positive: [Int] {
        get { marks.filter { $0 > 0 } }
        set { marks = newValue }
    }

    func view() { views += 1 }
}

/// A class whose observed properties subclasses override.
private class Box: KeyValueObservable {
    @Observed var size = 0
    @Observed var parts: [Int] = []
}

private class PlainBox: Box {
    @Observed var color = 0
}

private class ScaledBox: Box {
    override var size: Int {
        get { super.size * 2 }
        set { super.size = newValue / 2 }
    }
    override var parts: [Int] {
        get { super.parts.sorted() }
        set { super.parts = newValue }
    }
}

private final class LastBox: ScaledBox {}

private final class GenericBox<Value>: KeyValueObservable {
    @Observed var value: Value
    var copy: Value { value }

    init(_ value: Value) { self.value = value }
}

final class ComputedPropertyTests: XCTestCase {
    func testOverriddenProperties() {
        func told(_ box: Box) -> [String] {
            var told: [String] = []
            let tokens = [
                box.observe(\.size, options: [.old, .new]) { told.append("\($1.oldValue!) \($1.newValue!)") },
                box.observe(\.parts, options: [.old, .new]) {
                    told.append("\($1.oldValue ?? []) \($1.newValue ?? [])")
                },
            ]
            box.size = 4
            box.parts = [3, 1]
            box.mutableArrayValue(forKey: "parts").add(2)
            for token in tokens { token.invalidate() }
            return told
        }
        let plain = ["0 4", "[] [3, 1]", "[] [2]"]
        XCTAssertEqual(told(Box()), plain)
        XCTAssertEqual(told(PlainBox()), plain)
        let scaled = ["0 4", "[] [1, 3]", "[1, 3] [1, 2, 3]"]
        XCTAssertEqual(told(ScaledBox()), scaled)
        XCTAssertEqual(told(LastBox()), scaled)
    }

    func testInheritedPropertiesByKeyPathsOfTheSubclass() {
        let (box, last) = (PlainBox(), LastBox())
        var told: [String] = []
        let tokens = [
            box.observe(\PlainBox.parts, options: [.old, .new]) {
                told.append("\($1.kind.rawValue) \($1.newValue ?? [])")
            },
            box.observe(\PlainBox.color, options: .new) { told.append("\($1.newValue!)") },
            last.observe(\LastBox.size, options: .new) { told.append("\($1.newValue!)") },
        ]
        box.mutableArrayValue(forKey: "parts").add(2)
        box.color = 5
        last.size = 8
        XCTAssertEqual(told, ["2 [2]", "5", "8"])
        for token in tokens { token.invalidate() }
    }

    func testPropertiesOfGenericClasses() {
        let (numbers, list) = (GenericBox(1), GenericBox([1]))
        var told: [String] = []
        let tokens = [
            numbers.observe(\.value, options: [.old, .new]) {
                told.append("\($1.oldValue!) \($1.newValue!)")
            },
            numbers.observe(\.copy, options: [.old, .new]) { told.append("\($1.oldValue!) \($1.newValue!)") },
            list.observe(\.value, options: .new) { told.append("\($1.kind.rawValue) \($1.newValue!)") },
            list.observe(\.copy, options: .new) { told.append("\($1.kind.rawValue) \($1.newValue!)") },
        ]
        numbers.value = 2
        list.mutableArrayValue(forKey: "value").add(7)
        XCTAssertEqual(told, ["1 2", "1 2", "2 [7]", "1 [1, 7]"])
        for token in tokens { token.invalidate() }
    }

    func testAGetterIsNotTriedWithValuesThatTheObjectNeverHad() {
        let album = Album()
        var told: [[Int]] = []
        let token = album.observe(\.bytes, options: [.old, .new]) {
            told.append([$1.oldValue!, $1.newValue!])
        }
        album.megabytes = 2
        album.bytes = 3 * 1_048_576
        XCTAssertEqual(told, [[0, 2 << 20], [2 << 20, 3 << 20]])
        token.invalidate()
    }

    func testAPropertyThatComputesOnlySometimes() {
        for options: NSKeyValueObservingOptions in [[.old, .new], [.new], [.old, .new, .prior]] {
            let album = Album()
            var told: [[Int?]] = []
            let token = album.observe(\.shownPage, options: options) {
                if !$1.isPrior { told.append([$1.oldValue, $1.newValue]) }
            }
            album.page = 2
            album.page = 6
            album.last = 8
            album.page = 1
            album.last = 9
            let olds = [1, 2, 7, 8].map { options.contains(.old) ? $0 : nil }
            XCTAssertEqual(told, Array(zip(olds, [2, 7, 8, 1])).map { [$0, $1] }, "\(options)")
            // Another instance may compute when it is first observed.
            let second = Album()
            second.page = 6
            told = []
            let other = second.observe(\.shownPage, options: options) {
                if !$1.isPrior { told.append([$1.oldValue, $1.newValue]) }
            }
            second.last = 5
            XCTAssertEqual(told, [[options.contains(.old) ? 7 : nil, 5]], "\(options)")
            for token in [token, other] { token.invalidate() }
            album.page = 3
            second.last = 3
            XCTAssertEqual(told.count, 1)
        }
    }

    func testInstancesThatComputeFromDifferentProperties() {
        let albums = [Album(), Album()]
        var told: [[Int]] = []
        let tokens = albums.map { album in
            album.observe(\.shownPage, options: [.old, .new]) { told.append([$1.oldValue!, $1.newValue!]) }
        }
        albums[0].page = 6
        albums[1].page = 2
        albums[1].page = 7
        albums[1].last = 3
        XCTAssertEqual(told, [[1, 7], [1, 2], [2, 7], [7, 3]])
        for token in tokens { token.invalidate() }
    }

    func testComputedArraysHaveTheirOwnElements() {
        let album = Album()
        var (sorted, positive, marks): ([String], [String], [String]) = ([], [], [])
        func text(_ change: KeyValueObservedChange<[Int]>) -> String {
            let kind = change.kind == .setting ? "=" : change.kind == .insertion ? "+" : "-"
            return "\(kind)\(change.oldValue ?? [])\(change.newValue ?? [])"
        }
        let tokens = [
            album.observe(\.sorted, options: [.old, .new]) { sorted.append(text($1)) },
            album.observe(\.positive, options: [.old, .new]) { positive.append(text($1)) },
            album.observe(\.marks, options: [.old, .new]) { marks.append(text($1)) },
        ]
        let proxy = album.mutableArrayValue(forKey: "marks")
        album.marks = [3]
        proxy.add(4)
        proxy.add(-1)
        proxy.removeObject(at: 0)
        album.marks = [6, 5]
        XCTAssertEqual(marks, ["=[][3]", "+[][4]", "+[][-1]", "-[3][]", "=[4, -1][6, 5]"])
        XCTAssertEqual(positive, ["=[][3]", "=[3][3, 4]", "=[3, 4][3, 4]", "=[3, 4][4]", "=[4][6, 5]"])
        XCTAssertEqual(
            sorted, ["=[][3]", "=[3][3, 4]", "=[3, 4][-1, 3, 4]", "=[-1, 3, 4][-1, 4]", "=[-1, 4][5, 6]"])
        for token in tokens { token.invalidate() }
    }

    func testChangesOfComputedArraysHaveNoPositions() {
        func told(_ edit: (NSMutableArray) -> Void) -> [String] {
            let album = Album()
            album.marks = [1, 2, 3]
            var told: [String] = []
            let token = album.observe(\.sorted, options: [.old, .new]) {
                told.append("\($1.oldValue!)\($1.newValue!)")
            }
            edit(album.mutableArrayValue(forKey: "marks"))
            token.invalidate()
            return told
        }
        XCTAssertEqual(told { $0.insert([0, 7], at: [1, 4]) }, ["[1, 2, 3][0, 1, 2, 3, 7]"])
        XCTAssertEqual(told { $0.replaceObject(at: 0, with: 9) }, ["[1, 2, 3][2, 3, 9]"])
        XCTAssertEqual(
            told {
                $0.add(0)
                $0.removeObjects(at: [0, 3])
            }, ["[1, 2, 3][0, 1, 2, 3]", "[0, 1, 2, 3][2, 3]"])
    }

    func testAComputedArrayAtTheEndOfAPath() {
        let (album, cover) = (Album(), Album())
        album.cover = cover
        var told: [String] = []
        let token = album.observe(\.cover?.sorted, options: [.old, .new]) {
            told.append("\(($1.oldValue ?? nil) ?? [])\(($1.newValue ?? nil) ?? [])")
        }
        cover.marks = [1, 2]
        cover.marks.append(0)
        album.cover = nil
        cover.marks = [3]
        album.cover = cover
        XCTAssertEqual(told, ["[][1, 2]", "[1, 2][0, 1, 2]", "[0, 1, 2][]", "[][3]"])
        token.invalidate()
        cover.marks = []
        XCTAssertEqual(told.count, 4)
    }

    func testAPropertyWithAPrivateSetterIsNoComputedOne() {
        let album = Album()
        var told: [[Int]] = []
        let token = album.observe(\.views, options: [.old, .new]) {
            told.append([$1.oldValue!, $1.newValue!])
        }
        album.view()
        album.view()
        XCTAssertEqual(told, [[0, 1], [1, 2]])
        token.invalidate()
    }

    /// Observers that share the values of an assignment, of which some observe what computes from it.
    func testComputedPropertiesBesideObserversOfTheProperty() {
        let album = Album()
        var told: [String] = []
        let tokens = [
            album.observe(\.page, options: [.old, .new]) { told.append("a\($1.oldValue!)\($1.newValue!)") },
            album.observe(\.shownPage, options: [.old, .new]) {
                told.append("b\($1.oldValue!)\($1.newValue!)")
            },
            album.observe(\.page, options: [.old, .new]) { told.append("c\($1.oldValue!)\($1.newValue!)") },
            album.observe(\.shownPage, options: [.new]) { told.append("d\($1.newValue!)") },
        ]
        album.page = 6
        XCTAssertEqual(told.sorted(), ["a16", "b17", "c16", "d7"])
        told = []
        album.page = 8
        album.last = 4
        XCTAssertEqual(told.sorted(), ["a68", "b74", "b77", "c68", "d4", "d7"])
        for token in tokens { token.invalidate() }
    }

    func testGettersSeeOnlyValuesThatTheObjectHad() {
        let cache = Cache()
        var told: [String] = []
        let tokens = [
            cache.observe(\.bytes, options: [.old, .new]) { told.append("\($1.oldValue!) \($1.newValue!)") },
            cache.observe(\.domain, options: [.old, .new]) {
                told.append("\($1.oldValue!) \($1.newValue!)")
            },
            cache.observe(\.doubled, options: [.old, .new]) {
                told.append("\($1.oldValue!) \($1.newValue!)")
            },
            cache.observe(\.pixels, options: [.old, .new]) { told.append("\($1.oldValue!) \($1.newValue!)") },
        ]
        cache.megabytes = 2
        cache.address = "ben@b"
        cache.small = 4
        cache.points = 1
        XCTAssertEqual(told, ["67108864 2097152", "example.org b", "10 8", "10.0 2.0"])
        XCTAssertEqual(cache.seen, [64, 2])
        for token in tokens { token.invalidate() }
    }

    func testAPropertyWithoutANameDependsOnWhatItReads() {
        let order = Order()
        var seen: [[Int]] = []
        let token = order.observe(\.total, options: [.old, .new]) {
            seen.append([$1.oldValue!, $1.newValue!])
        }
        order.price = 5
        order.isOpen = false
        order.count = 3
        XCTAssertEqual(seen, [[2, 10], [10, 15]])
        token.invalidate()
        order.price = 0
        XCTAssertEqual(seen.count, 2)
    }

    func testTheDependenciesAreThoseOfTheLastRead() {
        let order = Order()
        var seen: [Int] = []
        let token = order.observe(\.shown, options: .new) { seen.append($1.newValue!) }
        order.count = 7
        XCTAssertEqual(seen, [])
        order.isOpen = false
        order.count = 8
        order.price = 9
        XCTAssertEqual(seen, [7, 8])
        order.isOpen = true
        order.count = 10
        order.price = 11
        XCTAssertEqual(seen, [7, 8, 9, 11])
        token.invalidate()
    }

    func testDependenciesLeadThroughOtherObjects() {
        let (order, first, second) = (Order(), Order(), Order())
        var seen: [Int] = []
        let token = order.observe(\.nextTotal, options: .new) { seen.append($1.newValue!) }
        order.next = first
        first.price = 10
        order.next = second
        first.price = 11
        second.count = 20
        order.next = nil
        second.count = 30
        XCTAssertEqual(seen, [2, 20, 2, 20, -1])
        token.invalidate()
    }

    func testAComputedPropertyAtTheEndOfAPath() {
        let (order, next) = (Order(), Order())
        var seen: [Int?] = []
        let token = order.observe(\.next?.grandTotal, options: .new) { seen.append($1.newValue!) }
        order.next = next
        next.price = 3
        next.next = Order()
        next.next!.price = 4
        order.next = nil
        next.price = 5
        XCTAssertEqual(seen, [1, 5, 8, 14, nil])
        token.invalidate()
    }

    func testAForcedPath() {
        let (order, first, second) = (Order(), Order(), Order())
        order.next = first
        first.next = second
        var (prices, totals): ([Int?], [Int?]) = ([], [])
        let tokens = [
            order.observe(\.next!.price, options: .new) { prices.append($1.newValue) },
            order.observe(\.next!.next!.price, options: [.old, .new]) {
                totals += [$1.oldValue, $1.newValue]
            },
        ]
        first.price = 3
        second.price = 4
        first.next = nil
        order.next = nil
        order.next = second
        XCTAssertEqual(prices, [3, nil, 4])
        XCTAssertEqual(totals, [1, 4, 4, nil, nil, nil, nil, nil])
        tokens.forEach { $0.invalidate() }
    }

    func testPartsOfAValueAtTheEndOfAPath() {
        let piece = Piece()
        piece.next = Piece()
        var (counts, words): ([Int?], [String?]) = ([], [])
        let tokens = [
            piece.observe(\.next?.name.count, options: .new) { counts.append($1.newValue!) },
            // A part of the value's own type.
            piece.observe(\.next?.name.localizedCapitalized, options: [.old, .new]) {
                words += [$1.oldValue!, $1.newValue!]
            },
        ]
        piece.next!.name = "ab"
        piece.next = nil
        piece.next = Piece()
        piece.next!.name = "abc"
        XCTAssertEqual(counts, [2, nil, 0, 3])
        XCTAssertEqual(words, ["", "Ab", "Ab", nil, nil, "", "", "Abc"])
        tokens.forEach { $0.invalidate() }
        // A path that is broken at first works, too.
        let other = Piece()
        words = []
        let token = other.observe(\.next?.name.localizedCapitalized, options: [.old, .new]) {
            words += [$1.oldValue!, $1.newValue!]
        }
        other.next = piece.next
        piece.next!.name = "d"
        XCTAssertEqual(words, [nil, "Abc", "Abc", "D"])
        token.invalidate()
    }

    func testOneChangeNotifiesOnce() {
        let order = Order()
        order.next = order
        var count = 0
        let token = order.observe(\.grandTotal) { _, _ in count += 1 }
        order.price = 2
        XCTAssertEqual(count, 1)
        token.invalidate()
    }

    func testAnAnnouncedChangeIncludesThoseOfWhatIsRead() {
        let order = Order()
        var seen: [[Int]] = []
        let token = order.observe(\.announced, options: [.old, .new]) {
            seen.append([$1.oldValue!, $1.newValue!])
        }
        order.announced = 10
        XCTAssertEqual(seen, [[3, 10]])
        order.price = 1
        XCTAssertEqual(seen, [[3, 10], [10, 2]])
        token.invalidate()
    }

    func testPriorAndInitialNotifications() {
        let order = Order()
        var seen: [String] = []
        let token = order.observe(\.total, options: [.initial, .prior, .old, .new]) {
            seen.append("\($1.isPrior) \($1.oldValue ?? -1) \($1.newValue ?? -1)")
        }
        order.price = 4
        XCTAssertEqual(seen, ["false -1 2", "true 2 -1", "false 2 8"])
        token.invalidate()
    }

    func testInheritedPropertiesWithoutNames() {
        let order = LargeOrder()
        var seen: [Int] = []
        let token = order.observe(\.total, options: .new) { seen.append($1.newValue!) }
        order.price = 5
        XCTAssertEqual(seen, [10])
        token.invalidate()
    }

    func testInheritedPropertiesHaveTheNamesOfTheSuperclass() {
        let object = NamedSubSub()
        var seen: [String] = []
        let tokens = [
            object.observe(\.full, options: .new) { seen.append("full \($1.newValue!)") },
            // The property that the subclass overrides.
            object.observe(\.state, options: [.old, .new]) {
                seen.append("state \($1.oldValue!) \($1.newValue!)")
            },
        ]
        object.last = "B"
        object.willChangeValue(forKey: "state")
        object.plain = 3
        object.didChangeValue(forKey: "state")
        object.willChangeValue(forKey: "full")
        object.didChangeValue(forKey: "full")
        object.willChangeValue(for: \.state)
        object.didChangeValue(for: \.state)
        XCTAssertEqual(seen, ["full  B", "state 100 103", "full  B", "state 103 103"])
        tokens.forEach { $0.invalidate() }
    }

    func testAFinalClassOverridesANamedProperty() {
        let object = NamedFinal()
        var seen: [Int] = []
        let token = object.observe(\.state, options: .new) { seen.append($1.newValue!) }
        object.willChangeValue(forKey: "state")
        object.plain = 3
        object.didChangeValue(forKey: "state")
        XCTAssertEqual(seen, [203])
        token.invalidate()
    }

    func testANamedPropertyDependsOnlyOnWhatIsDeclared() {
        let object = NamedSub()
        var count = 0
        let token = object.observe(\.other) { _, _ in count += 1 }
        object.first = "A"
        XCTAssertEqual(count, 0)
        object.willChangeValue(forKey: "other")
        object.didChangeValue(forKey: "other")
        XCTAssertEqual(count, 1)
        token.invalidate()
    }

    func testTypedRulesOfTheSuperclass() {
        let (object, recorder) = (TypedSub(), Recorder())
        var seen: [Int] = []
        let token = object.observe(\.total, options: .new) { seen.append($1.newValue!) }
        object.addObserver(recorder, forKeyPath: "total", options: .new)
        object.price = 4
        XCTAssertEqual(seen, [8])
        XCTAssertEqual(recorder.notices.map { $0.new as? Int }, [8])
        token.invalidate()
        object.removeObserver(recorder, forKeyPath: "total")
    }

    func testThreadsObserveWhatIsComputed() {
        final class Shared: @unchecked Sendable {
            let lock = NSRecursiveLock()
            let order = Order()
        }
        let shared = Shared()
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for round in 0..<300 {
                shared.lock.withLock {
                    let token = shared.order.observe(\.grandTotal, options: [.old, .new]) { _, _ in }
                    shared.order.next = round % 3 == thread ? Order() : nil
                    shared.order.price = round
                    token.invalidate()
                }
            }
        }
    }
}
