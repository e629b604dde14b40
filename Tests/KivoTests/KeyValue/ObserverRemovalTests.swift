import Foundation
import Kivo
import XCTest

/// Observers that are added and removed at any time, also in the midst of changes.
final class ObserverRemovalTests: RealmTestCase {
    // MARK: Removal in callbacks

    func testRemovalInTheCallbackOfAPath() throws {
        try onBothKinds({ Knot.chain(1, 2) }) { knot in
            let (first, second) = (observe(knot, "child.value"), observe(knot, "child.value"))
            first.body = { knot.removeObserver(first, forKeyPath: "child.value") }
            knot.child = Knot.chain(3)
            knot.child?.value = 4
            XCTAssertEqual(told(first).count, 1)
            XCTAssertEqual(told(second).count, 2)
            knot.removeObserver(second, forKeyPath: "child.value")
        }
    }

    func testRemovingAnotherInTheCallback() throws {
        try onBothKinds({ Knot.chain(1, 2) }) { knot in
            let recorders = (0..<4).map { _ in observe(knot, "child.value") }
            for recorder in recorders {
                recorder.body = {
                    for other in recorders where other !== recorder && other.calls.isEmpty {
                        other.calls = ["removed"]
                        knot.removeObserver(other, forKeyPath: "child.value")
                    }
                }
            }
            knot.child?.value = 3
            XCTAssertEqual(
                recorders.filter { $0.calls == ["removed"] }.count, 3, "the first removes the others")
            knot.child?.value = 4
            let survivor = try XCTUnwrap(recorders.first { $0.calls.first != "removed" })
            XCTAssertEqual(survivor.calls.count, 2)
            knot.removeObserver(survivor, forKeyPath: "child.value")
        }
    }

    func testRemovalBeforeTheChange() throws {
        for path in ["value", "child.value", "child"] {
            try onBothKinds({ Knot.chain(1, 2) }) { knot in
                let recorder = observe(knot, path, [.prior, .old, .new])
                let other = observe(knot, path, [])
                recorder.body = {
                    recorder.body = {}
                    knot.removeObserver(recorder, forKeyPath: path)
                }
                knot.value = 5
                knot.child = Knot.chain(3)
                XCTAssertEqual(told(recorder).count, 1, "not even the second half of \(path)")
                XCTAssertEqual(told(other).count, 1)
                knot.removeObserver(other, forKeyPath: path)
            }
        }
    }

    /// The change continues without any observer, and must not retain the object.
    func testTheOnlyObserverIsRemovedBeforeTheChange() {
        for path in ["value", "child.value", "child.child.value"] {
            weak var gone: Knot?
            do {
                let knot = Knot.chain(1, 2, 3)
                gone = knot
                let recorder = observe(knot, path, [.prior])
                recorder.body = { [unowned knot, unowned recorder] in
                    knot.removeObserver(recorder, forKeyPath: path)
                }
                if path == "value" { knot.value = 2 } else { knot.child = Knot.chain(4) }
                XCTAssertEqual(recorder.calls.count, 1)
            }
            XCTAssertNil(gone, path)
        }
    }

    /// Nor to what the handler held.
    func testTheOnlyTokenIsInvalidatedBeforeTheChange() {
        for isPath in [false, true] {
            weak var gone: Knot?
            weak var witness: Knot?
            do {
                let knot = Knot.chain(1, 2)
                gone = knot
                do {
                    let captured = Knot()
                    witness = captured
                    var token: KeyValueObservation?
                    let handler = { [captured] in
                        _ = captured
                        token?.invalidate()
                        token = nil
                    }
                    if isPath {
                        token = knot.observe(\.child?.value, options: [.prior]) { _, _ in handler() }
                    } else {
                        token = knot.observe(\.value, options: [.prior]) { _, _ in handler() }
                    }
                    (knot.value, knot.child) = (3, nil)
                    XCTAssertNil(token)
                }
                XCTAssertNil(witness, isPath ? "a path" : "a property")
                knot.value = 4
            }
            XCTAssertNil(gone, isPath ? "a path" : "a property")
        }
    }

    func testTheRemovedHandlerIsLetGoOf() throws {
        try onBothKinds({ Knot.chain(1, 2) }) { knot in
            weak var witness: Knot?
            do {
                let captured = Knot()
                witness = captured
                let tokens = [
                    knot.observe(\.value, options: [.old]) { [captured] _, _ in _ = captured },
                    knot.observe(\.child?.value, options: [.old]) { [captured] _, _ in _ = captured },
                ]
                knot.value = 5
                knot.child?.value = 6
                for token in tokens { token.invalidate() }
            }
            XCTAssertNil(witness)
        }
    }

    func testObserversThatAreAddedBeforeTheChange() throws {
        for path in ["value", "child.value"] {
            try onBothKinds({ Knot.chain(1, 2) }) { knot in
                let (recorder, added) = (observe(knot, path, [.prior]), ValueRecorder())
                recorder.body = {
                    recorder.body = {}
                    knot.addObserver(added, forKeyPath: path, options: [.old, .new])
                }
                func change(_ value: Int) {
                    if path == "value" { knot.value = value } else { knot.child?.value = value }
                }
                change(3)
                added.calls = []
                change(4)
                change(5)
                XCTAssertEqual(told(added), ["\(path) 1 old 3 new 4", "\(path) 1 old 4 new 5"])
                XCTAssertEqual(told(recorder).count, 6)
                knot.removeObserver(recorder, forKeyPath: path)
                knot.removeObserver(added, forKeyPath: path)
            }
        }
    }

    func testAssignmentsInCallbacks() throws {
        try onBothKinds({ Knot.chain(1, 2) }) { knot in
            let recorder = observe(knot, "child.value")
            recorder.body = {
                if let value = knot.child?.value, value < 6 { knot.child = Knot.chain(value + 1) }
            }
            knot.child?.value = 3
            XCTAssertEqual(
                told(recorder),
                [
                    "child.value 1 old 2 new 3", "child.value 1 old 3 new 4", "child.value 1 old 4 new 5",
                    "child.value 1 old 5 new 6",
                ])
            recorder.body = {}
            knot.removeObserver(recorder, forKeyPath: "child.value")
        }
    }

    // MARK: Observers

    func testAnObserverThatDiesWithoutBeingRemoved() throws {
        try onBothKinds({ Knot.chain(1, 2) }) { knot in
            weak var gone: ValueRecorder?
            do {
                let recorder = ValueRecorder()
                gone = recorder
                for path in ["value", "child.value", "list"] {
                    knot.addObserver(recorder, forKeyPath: path, options: [.prior, .old, .new])
                }
                knot.value = 2
                XCTAssertEqual(recorder.calls.count, 2)
            }
            XCTAssertNil(gone, "observers are held weakly")
            let living = observe(knot, "value")
            knot.value = 3
            knot.child = nil
            knot.list.append(Knot())
            XCTAssertEqual(told(living), ["value 1 old 2 new 3"])
            knot.removeObserver(living, forKeyPath: "value")
        }
    }

    func testAThousandObservers() throws {
        for path in ["value", "child.value"] {
            try onBothKinds({ Knot.chain(1, 2) }) { knot in
                let recorders = (0..<1000).map { observe(knot, path, $0 % 2 == 0 ? [.old, .new] : []) }
                func change(_ value: Int) {
                    if path == "value" { knot.value = value } else { knot.child?.value = value }
                }
                change(3)
                XCTAssertTrue(recorders.allSatisfy { $0.calls.count == 1 })
                for index in stride(from: 0, to: 1000, by: 2) {
                    knot.removeObserver(recorders[index], forKeyPath: path)
                }
                change(4)
                XCTAssertEqual(recorders.map(\.calls.count).reduce(0, +), 1500)
                XCTAssertTrue(recorders[1].calls.count == 2 && recorders[0].calls.count == 1)
                for index in stride(from: 1, to: 1000, by: 2) {
                    knot.removeObserver(recorders[index], forKeyPath: path)
                }
                change(5)
                XCTAssertEqual(recorders.map(\.calls.count).reduce(0, +), 1500)
            }
        }
    }

    func testTheSameRegistrationTwice() throws {
        try onBothKinds({ Knot.chain(1, 2) }) { knot in
            let recorder = observe(knot, "child.value")
            knot.addObserver(recorder, forKeyPath: "child.value", options: [.old, .new])
            knot.child?.value = 3
            XCTAssertEqual(told(recorder), Array(repeating: "child.value 1 old 2 new 3", count: 2))
            knot.removeObserver(recorder, forKeyPath: "child.value")
            knot.child = nil
            XCTAssertEqual(told(recorder).count, 1)
            knot.removeObserver(recorder, forKeyPath: "child.value")
            knot.child = nil
            XCTAssertEqual(told(recorder), [])
        }
    }

    /// An object in the middle of an observed path has no observers of its own; added to a realm, it stays on the path.
    func testAddingAnObjectThatLiesOnAnObservedPath() throws {
        let realm = try openRealm()
        let (knot, child) = (Knot(), Knot.chain(2))
        knot.child = child
        let recorder = observe(knot, "child.value")
        try realm.write {
            realm.add(child)
            child.value = 3
        }
        XCTAssertEqual(told(recorder), ["child.value 1 old 2 new 3"])
        knot.child = nil
        XCTAssertEqual(told(recorder), ["child.value 1 old 3 new null"])
        knot.removeObserver(recorder, forKeyPath: "child.value")
    }
}
