import Foundation
import Kivo
import XCTest

/// Changes that a class announces by hand.
final class AnnouncedChangeTests: RealmTestCase {
    // MARK: Keys whose assignments are not told

    func testAssignmentsAreNotTold() throws {
        try onBothKinds({ Draft() }) { draft in
            let manual = observe(draft, "manual", [.initial, .prior, .old, .new])
            let derived = observe(draft, "manualTwice")
            let automatic = observe(draft, "automatic")
            XCTAssertEqual(told(manual), ["manual 1 new 0"], "the initial one is sent all the same")
            draft.manual = 1
            draft["manual"] = 2
            draft.setValue(3, forKey: "manual")
            draft.automatic = 1
            XCTAssertEqual(told(manual), [])
            XCTAssertEqual(told(derived), [])
            XCTAssertEqual(told(automatic), ["automatic 1 old 0 new 1"])
            draft.willChangeValue(forKey: "manual")
            draft.manual = 4
            draft.didChangeValue(forKey: "manual")
            XCTAssertEqual(told(manual), ["manual 1 old 3 prior", "manual 1 old 3 new 4"])
            XCTAssertEqual(told(derived), ["manualTwice 1 old 6 new 8"])
            draft.removeObserver(manual, forKeyPath: "manual")
            draft.removeObserver(derived, forKeyPath: "manualTwice")
            draft.removeObserver(automatic, forKeyPath: "automatic")
        }
    }

    func testTypedKeyPaths() throws {
        try onBothKinds({ Draft() }) { draft in
            var values: [(Int?, Int?, Bool)] = []
            let token = draft.observe(\.manual, options: [.prior, .old, .new]) { _, change in
                values.append((change.oldValue, change.newValue, change.isPrior))
            }
            draft.manual = 1
            XCTAssertEqual(values.count, 0)
            draft.willChangeValue(for: \.manual)
            draft.manual = 2
            draft.didChangeValue(for: \.manual)
            XCTAssertEqual(values.map(\.0), [1, 1])
            XCTAssertEqual(values.map(\.1), [nil, 2])
            XCTAssertEqual(values.map(\.2), [true, false])
            draft.willChangeValue(forKey: "manual")
            draft.didChangeValue(forKey: "manual")
            XCTAssertEqual(values.count, 4, "a name and a key path are the same key")
            token.invalidate()
            draft.willChangeValue(for: \.manual)
            draft.didChangeValue(for: \.manual)
            XCTAssertEqual(values.count, 4)
        }
    }

    func testTypedRules() throws {
        try onBothKinds({ TypedDraft() }) { draft in
            var (quiet, loud) = (0, 0)
            var unseen: [(Int?, Int?)] = []
            let tokens = [
                draft.observe(\.quiet) { _, _ in quiet += 1 },
                draft.observe(\.loud) { _, _ in loud += 1 },
                draft.observe(\.unseen, options: [.old, .new]) { unseen.append(($1.oldValue, $1.newValue)) },
            ]
            draft.quiet = 1
            draft.loud = 1
            XCTAssertEqual([quiet, loud], [0, 1])
            draft.willChangeValue(for: \.quiet)
            draft.didChangeValue(for: \.quiet)
            XCTAssertEqual([quiet, loud], [1, 1])
            draft.unseen = 5
            XCTAssertEqual(unseen.map(\.1), [5], "announced by its setter")
            XCTAssertEqual(unseen.map(\.0), [0])
            for token in tokens { token.invalidate() }
        }
    }

    /// Once a typed key path was used, the class is asked whichever way its key is observed.
    func testTypedRulesHoldForNamesAndPaths() throws {
        try onBothKinds({ TypedDraft() }) { draft in
            draft.next = TypedDraft()
            draft.observe(\.quiet) { _, _ in }.invalidate()
            let (quiet, loud) = (observe(draft, "quiet", []), observe(draft, "loud", []))
            let nextQuiet = observe(draft, "next.quiet", [])
            var typedCalls = 0
            let token = draft.observe(\.next?.quiet) { _, _ in typedCalls += 1 }
            draft.quiet = 1
            draft.loud = 1
            draft.next?.quiet = 1
            XCTAssertEqual(told(quiet), [])
            XCTAssertEqual(told(loud), ["loud 1"])
            XCTAssertEqual(told(nextQuiet), [])
            XCTAssertEqual(typedCalls, 0)
            draft.willChangeValue(for: \.quiet)
            draft.didChangeValue(for: \.quiet)
            XCTAssertEqual(told(quiet), ["quiet 1"])
            token.invalidate()
            draft.removeObserver(quiet, forKeyPath: "quiet")
            draft.removeObserver(loud, forKeyPath: "loud")
            draft.removeObserver(nextQuiet, forKeyPath: "next.quiet")
        }
    }

    func testManagedObjectsAreQuietInARefresh() throws {
        let realm = try openRealm()
        let draft = Draft()
        try realm.write { realm.add(draft) }
        let (manual, automatic) = (observe(draft, "manual"), observe(draft, "automatic"))
        try writeElsewhere { realm in
            let draft = realm.objects(Draft.self)[0]
            (draft.manual, draft.automatic) = (1, 2)
        }
        realm.refresh()
        XCTAssertEqual(told(manual), [])
        XCTAssertEqual(told(automatic), ["automatic 1 old 0 new 2"])
        draft.removeObserver(manual, forKeyPath: "manual")
        draft.removeObserver(automatic, forKeyPath: "automatic")
    }

    // MARK: Collections

    func testPositions() throws {
        try onBothKinds({ Draft() }) { draft in
            let recorder = observe(draft, "items", [.prior, .old, .new])
            draft.items = [1]
            XCTAssertEqual(told(recorder), [], "a property that the class does not announce")
            draft.willChange(.insertion, valuesAt: [0, 2], forKey: "items")
            draft.items = [7, 1, 8]
            draft.didChange(.insertion, valuesAt: [0, 2], forKey: "items")
            XCTAssertEqual(told(recorder), ["items 2 at [0, 2] prior", "items 2 new [7, 8] at [0, 2]"])
            draft.willChange(.replacement, valuesAt: [1], forKey: "items")
            draft.items[1] = 9
            draft.didChange(.replacement, valuesAt: [1], forKey: "items")
            XCTAssertEqual(
                told(recorder), ["items 4 old [1] at [1] prior", "items 4 old [1] new [9] at [1]"])
            draft.willChange(.removal, valuesAt: [0, 1], forKey: "items")
            draft.items = [8]
            draft.didChange(.removal, valuesAt: [0, 1], forKey: "items")
            XCTAssertEqual(
                told(recorder), ["items 3 old [7, 9] at [0, 1] prior", "items 3 old [7, 9] at [0, 1]"])
            draft.willChange(.setting, valuesAt: [], forKey: "items")
            draft.items = []
            draft.didChange(.setting, valuesAt: [], forKey: "items")
            XCTAssertEqual(told(recorder), ["items 1 old [8] prior", "items 1 old [8] new []"])
            draft.removeObserver(recorder, forKeyPath: "items")
        }
    }

    func testPositionsByTypedKeyPath() throws {
        try onBothKinds({ Draft() }) { draft in
            var changes: [(NSKeyValueChange, [Int]?, [Int]?, [Int])] = []
            let token = draft.observe(\.items, options: [.old, .new]) { _, change in
                let indexes = change.indexes.map(Array.init) ?? []
                changes.append((change.kind, change.oldValue, change.newValue, indexes))
            }
            draft.willChange(.insertion, valuesAt: [0], for: \.items)
            draft.items = [4]
            draft.didChange(.insertion, valuesAt: [0], for: \.items)
            draft.willChange(.removal, valuesAt: [0], for: \.items)
            draft.items = []
            draft.didChange(.removal, valuesAt: [0], for: \.items)
            XCTAssertEqual(changes.map(\.0), [.insertion, .removal])
            XCTAssertEqual(changes.map(\.1), [nil, [4]])
            XCTAssertEqual(changes.map(\.2), [[4], nil])
            XCTAssertEqual(changes.map(\.3), [[0], [0]])
            token.invalidate()
        }
    }

    func testSets() throws {
        try onBothKinds({ Draft() }) { draft in
            var changes: [(NSKeyValueChange, Set<Int>?, Set<Int>?)] = []
            let token = draft.observe(\.members, options: [.old, .new]) { _, change in
                XCTAssertNil(change.indexes)
                changes.append((change.kind, change.oldValue, change.newValue))
            }
            let recorder = observe(draft, "members", [])
            func change(_ kind: NSKeyValueSetMutationKind, _ other: Set<Int>, to members: Set<Int>) {
                draft.willChangeValue(forKey: "members", withSetMutation: kind, using: other)
                draft.members = members
                draft.didChangeValue(forKey: "members", withSetMutation: kind, using: other)
            }
            change(.union, [1, 2], to: [1, 2])
            change(.union, [2, 3], to: [1, 2, 3])
            change(.minus, [3, 4], to: [1, 2])
            change(.intersect, [1, 9], to: [1])
            change(.set, [5], to: [5])
            change(.intersect, [5], to: [5])
            XCTAssertEqual(
                changes.map(\.0), [.insertion, .insertion, .removal, .removal, .replacement, .removal])
            XCTAssertEqual(changes.map(\.1), [nil, nil, [3], [2], [1], []], "who left")
            XCTAssertEqual(changes.map(\.2), [[1, 2], [3], nil, nil, [5], nil], "who came")
            XCTAssertEqual(told(recorder).count, 6)
            changes = []
            draft.willChangeValue(for: \.members, withSetMutation: .union, using: [6])
            draft.members.insert(6)
            draft.didChangeValue(for: \.members, withSetMutation: .union, using: [6])
            XCTAssertEqual(changes.map(\.2), [[6]])
            token.invalidate()
            draft.removeObserver(recorder, forKeyPath: "members")
        }
    }

    // MARK: Nesting

    func testChangesOfDifferentKeysNest() throws {
        try onBothKinds({ Draft() }) { draft in
            let recorder = ValueRecorder()
            draft.addObserver(recorder, forKeyPath: "manual", options: [.prior])
            draft.addObserver(recorder, forKeyPath: "note", options: [.prior])
            draft.willChangeValue(forKey: "manual")
            draft.willChangeValue(forKey: "note")
            draft.didChangeValue(forKey: "note")
            draft.didChangeValue(forKey: "manual")
            XCTAssertEqual(told(recorder), ["manual 1 prior", "note 1 prior", "note 1", "manual 1"])
            draft.willChangeValue(forKey: "manual")
            draft.willChangeValue(forKey: "note")
            draft.didChangeValue(forKey: "manual")
            draft.didChangeValue(forKey: "note")
            XCTAssertEqual(
                told(recorder), ["manual 1 prior", "note 1 prior", "manual 1", "note 1"],
                "changes that overlap end as they are announced")
            draft.removeObserver(recorder, forKeyPath: "manual")
            draft.removeObserver(recorder, forKeyPath: "note")
        }
    }

    func testChangesOfTheSameKeyNest() throws {
        try onBothKinds({ Draft() }) { draft in
            let recorder = observe(draft, "manual")
            draft.willChangeValue(forKey: "manual")
            draft.manual = 1
            draft.willChangeValue(forKey: "manual")
            draft.manual = 2
            draft.didChangeValue(forKey: "manual")
            XCTAssertEqual(told(recorder), ["manual 1 old 1 new 2"])
            draft.manual = 3
            draft.didChangeValue(forKey: "manual")
            XCTAssertEqual(told(recorder), ["manual 1 old 0 new 3"], "the outer one's own first value")
            draft.removeObserver(recorder, forKeyPath: "manual")
        }
    }

    func testAnAssignmentInsideOfAnAnnouncedChange() throws {
        try onBothKinds({ Draft() }) { draft in
            let recorder = observe(draft, "automatic")
            draft.willChangeValue(forKey: "automatic")
            draft.automatic = 1
            draft.didChangeValue(forKey: "automatic")
            XCTAssertEqual(told(recorder), ["automatic 1 old 0 new 1", "automatic 1 old 0 new 1"])
            draft.removeObserver(recorder, forKeyPath: "automatic")
        }
    }

    func testSecondHalvesWithoutFirst() throws {
        try onBothKinds({ Draft() }) { draft in
            draft.didChangeValue(forKey: "manual")
            let recorder = observe(draft, "manual")
            draft.didChangeValue(forKey: "manual")
            draft.didChangeValue(for: \.manual)
            draft.didChange(.insertion, valuesAt: [0], forKey: "items")
            XCTAssertEqual(told(recorder), [])
            draft.willChangeValue(forKey: "manual")
            draft.didChangeValue(forKey: "note")
            XCTAssertEqual(told(recorder), [])
            draft.didChangeValue(forKey: "manual")
            draft.didChangeValue(forKey: "manual")
            XCTAssertEqual(told(recorder), ["manual 1 old 0 new 0"])
            draft.removeObserver(recorder, forKeyPath: "manual")
        }
    }

    func testObserversThatComeAndGoBetweenTheHalves() throws {
        try onBothKinds({ Draft() }) { draft in
            let (early, staying) = (observe(draft, "manual"), observe(draft, "manual"))
            draft.willChangeValue(forKey: "manual")
            draft.removeObserver(early, forKeyPath: "manual")
            let late = observe(draft, "manual")
            draft.didChangeValue(forKey: "manual")
            XCTAssertEqual(told(early), [])
            XCTAssertEqual(told(staying).count, 1)
            late.calls = []
            draft.willChangeValue(forKey: "manual")
            draft.didChangeValue(forKey: "manual")
            XCTAssertEqual(told(late).count, 1)
            XCTAssertEqual(told(staying).count, 1)
            draft.removeObserver(staying, forKeyPath: "manual")
            draft.removeObserver(late, forKeyPath: "manual")
        }
    }

    func testAnAnnouncedChangeOnAPath() throws {
        try onBothKinds({ Draft() }) { draft in
            draft.next = Draft()
            let recorder = observe(draft, "next.note")
            let next = try XCTUnwrap(draft.next)
            next.willChangeValue(forKey: "note")
            next.didChangeValue(forKey: "note")
            // Another accessor of a managed object is not the one that announced.
            XCTAssertEqual(recorder.calls.count, next.realm == nil ? 1 : 0)
            draft.removeObserver(recorder, forKeyPath: "next.note")
        }
    }
}

class Draft: Object {
    @Persisted var manual = 0
    @Persisted var automatic = 0
    @Persisted var next: Draft?
    var items: [Int] = []
    var members: Set<Int> = []
    var note = ""

    var manualTwice: Int { manual * 2 }

    override class func automaticallyNotifiesObservers(forKey key: String) -> Bool { key != "manual" }

    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        key == "manualTwice" ? ["manual"] : []
    }

    override class func computedProperties() -> [String: AnyKeyPath] {
        [
            "items": \Draft.items, "members": \Draft.members, "note": \Draft.note,
            "manualTwice": \Draft.manualTwice,
        ]
    }
}

class TypedDraft: Object {
    @Persisted var quiet = 0
    @Persisted var loud = 0
    @Persisted var next: TypedDraft?
    private var hidden = 0

    /// Announces its changes itself, and has no name.
    var unseen: Int {
        get { hidden }
        set {
            willChangeValue(for: \.unseen)
            hidden = newValue
            didChangeValue(for: \.unseen)
        }
    }
}

extension TypedDraft: KeyValueObservingCustomization {
    static func keyPathsAffectingValue(for key: AnyKeyPath) -> Set<AnyKeyPath> { [] }

    static func automaticallyNotifiesObservers(for key: AnyKeyPath) -> Bool {
        key != \TypedDraft.quiet && key != \TypedDraft.unseen
    }
}
