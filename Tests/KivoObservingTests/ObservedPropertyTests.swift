import KivoObserving
import XCTest

final class ObservedPropertyTests: XCTestCase {
    func testAnObserverReceivesOldAndNewValues() {
        let download = Download()
        var seen: [(Double?, Double?)] = []
        let token = download.observe(\.fraction, options: [.old, .new]) { object, change in
            XCTAssertTrue(object === download)
            XCTAssertEqual(change.kind, .setting)
            seen.append((change.oldValue, change.newValue))
        }
        download.fraction = 0.5
        download.fraction = 0.5
        download.state = .running
        download.fraction = 0.75
        XCTAssertEqual(seen.map(\.0), [0, 0.5, 0.5])
        XCTAssertEqual(seen.map(\.1), [0.5, 0.5, 0.75])
        token.invalidate()
        download.fraction = 1
        XCTAssertEqual(seen.count, 3)
    }

    func testValuesAreAbsentUnlessOptionsAskForThem() {
        let download = Download()
        var seen: [KeyValueObservedChange<String?>] = []
        let token = download.observe(\.title) { _, change in seen.append(change) }
        download.title = "a"
        XCTAssertNil(seen[0].oldValue as Any?)
        XCTAssertNil(seen[0].newValue as Any?)
        token.invalidate()
    }

    func testANilValueIsPresent() {
        let download = Download()
        var seen: [(String??, String??)] = []
        let token = download.observe(\.title, options: [.old, .new]) {
            seen.append(($1.oldValue, $1.newValue))
        }
        download.title = "a"
        download.title = nil
        XCTAssertEqual(seen[0].0, .some(.none))
        XCTAssertEqual(seen[0].1, .some("a"))
        XCTAssertEqual(seen[1].1, .some(.none))
        token.invalidate()
    }

    func testInitialAndPriorNotifications() {
        let download = Download()
        var seen: [(isPrior: Bool, old: Double?, new: Double?, value: Double)] = []
        let token = download.observe(\.fraction, options: [.initial, .prior, .old, .new]) {
            seen.append(($1.isPrior, $1.oldValue, $1.newValue, $0.fraction))
        }
        XCTAssertEqual(seen.count, 1)
        XCTAssertEqual(seen[0].new, 0)
        XCTAssertNil(seen[0].old)
        download.fraction = 2
        XCTAssertEqual(seen.map(\.isPrior), [false, true, false])
        XCTAssertEqual(seen.map(\.value), [0, 0, 2])
        XCTAssertEqual(seen[1].old, 0)
        XCTAssertNil(seen[1].new)
        XCTAssertEqual(seen[2].new, 2)
        token.invalidate()
    }

    func testMutationsInPlaceAreAssignments() {
        let download = Download()
        var counts: [Int] = []
        let token = download.observe(\.pieces, options: .new) { counts.append($1.newValue?.count ?? -1) }
        download.pieces.append(Piece())
        download.pieces.append(Piece())
        download.pieces.removeAll()
        XCTAssertEqual(counts, [1, 2, 0])
        token.invalidate()
    }

    func testAPropertyThatCanOnlyBeReadFromOutside() {
        let download = Download()
        var seen: [[String]] = []
        let token = download.observe(\.log, options: .new) { seen.append($1.newValue ?? []) }
        download.note("a")
        download.note("b")
        XCTAssertEqual(seen, [["a"], ["a", "b"]])
        token.invalidate()
    }

    func testPropertyObserversOfTheClassRun() {
        let download = Download()
        download.state = .running
        let token = download.observe(\.state) { object, _ in XCTAssertEqual(object.changes, 1) }
        XCTAssertEqual(download.changes, 1)
        download.state = .done
        XCTAssertEqual(download.changes, 2)
        token.invalidate()
    }

    func testSeveralObserversAreNotifiedInOrder() {
        let download = Download()
        var seen: [Int] = []
        let tokens = (0..<4).map { number in download.observe(\.fraction) { _, _ in seen.append(number) } }
        download.fraction = 1
        XCTAssertEqual(seen, [0, 1, 2, 3])
        tokens[1].invalidate()
        seen = []
        download.fraction = 2
        XCTAssertEqual(seen, [0, 2, 3])
        tokens.forEach { $0.invalidate() }
    }

    func testTokenEndsTheObservationWhenReleased() {
        let download = Download()
        var count = 0
        var token: KeyValueObservation? = download.observe(\.fraction) { _, _ in count += 1 }
        download.fraction = 1
        XCTAssertNotNil(token)
        token = nil
        download.fraction = 2
        XCTAssertEqual(count, 1)
    }

    func testAnObservedInstanceIsReleased() {
        weak var released: Download?
        var token: KeyValueObservation?
        do {
            let download = Download()
            released = download
            token = download.observe(\.fraction) { _, _ in }
        }
        XCTAssertNil(released)
        token?.invalidate()
    }

    func testHandlersThatEndTheirObservation() {
        let download = Download()
        var count = 0
        var token: KeyValueObservation?
        let before = download.observe(\.fraction) { _, _ in
            count += 1
            token?.invalidate()
        }
        token = download.observe(\.fraction, options: .old) { _, _ in count += 100 }
        download.fraction = 1
        download.fraction = 2
        XCTAssertEqual(count, 2)
        before.invalidate()
    }

    func testHandlersThatAssign() {
        let download = Download()
        var seen: [(Double?, Double?)] = []
        let token = download.observe(\.fraction, options: [.old, .new]) {
            seen.append(($1.oldValue, $1.newValue))
            if $0.fraction < 3 { $0.fraction += 1 }
        }
        download.fraction = 1
        XCTAssertEqual(seen.map(\.0), [0, 1, 2])
        XCTAssertEqual(download.fraction, 3)
        token.invalidate()
    }

    func testSubclassesAndTheirSuperclassesProperties() {
        let piece = LargePiece(1)
        var seen: [String] = []
        let tokens = [
            piece.observe(\.size) { seen.append("size \($0.size) \($1.kind.rawValue)") },
            piece.observe(\.weight, options: .new) { seen.append("weight \($1.newValue ?? -1)") },
            piece.observe(\.isHeavy, options: [.old, .new]) {
                seen.append("heavy \($1.oldValue!) \($1.newValue!)")
            },
        ]
        piece.size = 3
        piece.weight = 20
        XCTAssertEqual(seen, ["size 3 1", "weight 20.0", "heavy false true"])
        tokens.forEach { $0.invalidate() }
    }

    func testGenericNestedAndIsolatedClasses() {
        class Box<Value>: KeyValueObservable {
            @Observed var value: Value
            init(_ value: Value) { self.value = value }
        }
        let box = Box("a")
        let number = Box(1)
        var seen: [String] = []
        let tokens = [
            box.observe(\.value, options: [.old, .new]) { seen.append("\($1.oldValue!)-\($1.newValue!)") },
            number.observe(\.value, options: [.old, .new]) { seen.append("\($1.oldValue!)-\($1.newValue!)") },
        ]
        box.value = "b"
        number.value = 2
        XCTAssertEqual(seen, ["a-b", "1-2"])
        tokens.forEach { $0.invalidate() }
    }

    @MainActor
    func testAClassOfTheMainActor() {
        let model = MainModel()
        var seen: [Int] = []
        let token = model.observe(\.count, options: .new) { seen.append($1.newValue!) }
        model.count = 5
        XCTAssertEqual(seen, [5])
        token.invalidate()
    }

    func testOtherInstancesAreNotAffected() {
        let (a, b) = (Download(), Download())
        var count = 0
        let token = a.observe(\.fraction) { _, _ in count += 1 }
        b.fraction = 1
        XCTAssertEqual(count, 0)
        a.fraction = 1
        XCTAssertEqual(count, 1)
        token.invalidate()
    }

    func testAnnouncedChanges() {
        let download = Download()
        var seen: [(Int?, Int?)] = []
        let token = download.observe(\.manual, options: [.old, .new]) {
            seen.append(($1.oldValue, $1.newValue))
        }
        download.manual = 7
        XCTAssertEqual(seen.map(\.0), [0])
        XCTAssertEqual(seen.map(\.1), [7])
        var counts: [Int8] = []
        let other = download.observe(\.count, options: .new) { counts.append($1.newValue!) }
        download.count = 1
        XCTAssertEqual(counts, [])
        download.willChangeValue(for: \.count)
        download.count = 2
        download.didChangeValue(for: \.count)
        XCTAssertEqual(counts, [2])
        token.invalidate()
        other.invalidate()
    }

    func testAClassWithoutObservedPropertiesAnnouncesItsChanges() {
        final class Announcing: KeyValueObservable {
            var value = 0 {
                willSet { willChangeValue(for: \.value) }
                didSet { didChangeValue(for: \.value) }
            }
            static func automaticallyNotifiesObservers(forKey key: String) -> Bool { false }
        }
        var seen: [(Int?, Int?)] = []
        for round in 0..<200 {
            let object = Announcing()
            let token = object.observe(\.value, options: [.old, .new]) {
                seen.append(($1.oldValue, $1.newValue))
            }
            object.value = round + 1
            XCTAssertEqual(seen.count, round + 1)
            XCTAssertEqual(seen[round].0, 0)
            XCTAssertEqual(seen[round].1, round + 1)
            token.invalidate()
        }
    }

    func testATypedObserverReceivesThePositionsOfInsertions() throws {
        let download = Download()
        var changes: [KeyValueObservedChange<[Piece]>] = []
        let token = download.observe(\.pieces, options: [.old, .new]) { _, change in changes.append(change) }
        defer { token.invalidate() }
        let proxy = download.mutableArrayValue(forKey: "pieces")
        let pieces = [Piece(0), Piece(1), Piece(2)]
        proxy.addObjects(from: pieces)
        proxy.removeObject(at: 1)
        proxy.replaceObject(at: 0, with: pieces[1])
        download.pieces = [pieces[0]]
        XCTAssertEqual(changes.map(\.kind), [.insertion, .removal, .replacement, .setting])
        XCTAssertEqual(
            changes.map(\.indexes), [IndexSet(0..<3), IndexSet(integer: 1), IndexSet(integer: 0), nil])
        XCTAssertEqual(changes.map { $0.oldValue?.map(\.number) }, [nil, [1], [0], [1, 2]])
        XCTAssertEqual(changes.map { $0.newValue?.map(\.number) }, [[0, 1, 2], nil, [1], [0]])
    }
}

@MainActor
final class MainModel: KeyValueObservable {
    @Observed var count = 0
}
