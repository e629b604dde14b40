import Foundation
import Kivo
import XCTest

/// Observed objects and tokens that end before what observes or is observed.
final class ObserverLifetimeTests: RealmTestCase {
    /// A managed knot with a child, and its realm.
    private func managedChain() throws -> (Realm, Knot) {
        let (realm, knot) = (try openRealm(), Knot.chain(1, 2))
        try realm.write { realm.add(knot) }
        return (realm, knot)
    }

    // MARK: The end of the observed object

    func testDroppingTheObservedObjectInItsCallback() throws {
        weak var gone: Knot?
        var calls = 0
        var knot: Knot? = Knot()
        gone = knot
        let token = knot?.observe(\.value, options: [.old, .new]) { observed, change in
            knot = nil
            XCTAssertEqual(observed.value, 1)
            XCTAssertEqual(change.newValue, 1)
            calls += 1
        }
        knot?.value = 1
        XCTAssertNil(knot)
        XCTAssertNil(gone)
        XCTAssertEqual(calls, 1)
        token?.invalidate()
    }

    func testDroppingTheObservedObjectInTheCallbackOfItsPath() throws {
        weak var gone: Knot?
        let child = Knot.chain(2)
        var knot: Knot? = Knot()
        knot?.child = child
        gone = knot
        let recorder = ValueRecorder()
        knot?.addObserver(recorder, forKeyPath: "child.value", options: [.prior, .old, .new])
        recorder.body = { knot = nil }
        child.value = 3
        XCTAssertEqual(told(recorder), ["child.value 1 old 2 prior", "child.value 1 old 2 new 3"])
        XCTAssertNil(gone)
        child.value = 4
        XCTAssertEqual(told(recorder), [])
    }

    func testDroppingAManagedObjectInItsCallback() throws {
        let (realm, _) = try managedChain()
        let child = try XCTUnwrap(realm.objects(Knot.self).first { $0.value == 2 })
        for path in ["value", "child.value"] {
            weak var gone: Knot?
            let recorder = ValueRecorder()
            var knot = realm.objects(Knot.self).first { $0.child != nil }
            gone = knot
            knot?.addObserver(recorder, forKeyPath: path, options: [.prior])
            recorder.body = { knot = nil }
            try realm.write {
                if path == "value" { knot?.value += 10 } else { child.value += 10 }
                XCTAssertNil(knot)
                XCTAssertNil(gone)
                child.value += 1
            }
            XCTAssertEqual(told(recorder), ["\(path) 1 prior", "\(path) 1"])
        }
    }

    func testRegistrationsThatAreLeftBehind() throws {
        let (realm, child, recorder) = (try openRealm(), Knot(), ValueRecorder())
        weak var gone: Knot?
        do {
            let knot = Knot()
            gone = knot
            knot.child = child
            knot.addObserver(recorder, forKeyPath: "child.value", options: [.old, .new])
            knot.addObserver(recorder, forKeyPath: "child.list.@count")
            knot.addObserver(recorder, forKeyPath: "value")
        }
        XCTAssertNil(gone)
        child.value = 2
        child.list.append(Knot())
        XCTAssertEqual(recorder.calls, [])
        try realm.write {
            realm.add(child)
            child.value = 3
        }
        XCTAssertEqual(recorder.calls, [])
    }

    func testRegistrationsThatAManagedObjectLeavesBehind() throws {
        let (realm, _) = try managedChain()
        let child = try XCTUnwrap(realm.objects(Knot.self).first { $0.value == 2 })
        let recorder = ValueRecorder()
        weak var gone: Knot?
        do {
            let knot = try XCTUnwrap(realm.objects(Knot.self).first { $0.value == 1 })
            gone = knot
            knot.addObserver(recorder, forKeyPath: "child.value")
            knot.addObserver(recorder, forKeyPath: "value")
        }
        XCTAssertNil(gone)
        try realm.write { for knot in realm.objects(Knot.self) { knot.value = 9 } }
        try writeElsewhere { realm in for knot in realm.objects(Knot.self) { knot.value = 10 } }
        realm.refresh()
        XCTAssertEqual(child.value, 10)
        XCTAssertEqual(recorder.calls, [])
    }

    func testAnObjectThatObservesItself() throws {
        weak var gone: Hermit?
        for path in ["value", "partner.value"] {
            do {
                let hermit = Hermit()
                gone = hermit
                hermit.partner = Hermit()
                hermit.watch(path)
                hermit.value = 1
                hermit.partner?.value = 2
                XCTAssertEqual(hermit.calls, 1)
            }
            XCTAssertNil(gone, path)
        }
        let realm = try openRealm()
        do {
            let hermit = Hermit()
            gone = hermit
            try realm.write {
                realm.add(hermit)
                hermit.partner = Hermit()
                hermit.watch("partner.value")
                hermit.partner?.value = 3
            }
            XCTAssertEqual(hermit.calls, 1)
        }
        XCTAssertNil(gone)
        try realm.write { for hermit in realm.objects(Hermit.self) { hermit.value = 4 } }
    }

    func testAnObjectOnItsOwnPath() throws {
        weak var gone: Knot?
        do {
            let knot = Knot()
            gone = knot
            knot.child = knot
            let recorder = observe(knot, "child.child.value")
            knot.value = 1
            XCTAssertEqual(told(recorder), ["child.child.value 1 old 0 new 1"])
            knot.child = nil
            XCTAssertEqual(told(recorder), ["child.child.value 1 old 1 new null"])
        }
        XCTAssertNil(gone)
        let realm = try openRealm()
        let recorder = ValueRecorder()
        try realm.write {
            let knot = realm.create(Knot.self)
            gone = knot
            knot.child = knot
            knot.addObserver(recorder, forKeyPath: "child.child.value", options: [])
            knot.addObserver(recorder, forKeyPath: "child.child.child.list", options: [])
            knot.value = 1
            XCTAssertEqual(told(recorder), ["child.child.value 1"])
        }
        XCTAssertNil(gone, "a link of a managed object holds nobody")
        try realm.write { realm.objects(Knot.self)[0].value = 2 }
        XCTAssertEqual(told(recorder), [])
    }

    func testAnObservedPathThatReturnsToItsRoot() {
        weak var first: Knot?
        weak var second: Knot?
        do {
            let (a, b) = (Knot.chain(1), Knot.chain(2))
            (first, second) = (a, b)
            (a.child, b.child) = (b, a)
            let recorders = [observe(a, "child.child.value"), observe(b, "child.child.value")]
            a.value = 3
            b.value = 4
            XCTAssertEqual(told(recorders[0]), ["child.child.value 1 old 1 new 3"])
            XCTAssertEqual(told(recorders[1]), ["child.child.value 1 old 2 new 4"])
            a.child = nil
        }
        XCTAssertNil(first)
        XCTAssertNil(second)
    }

    // MARK: Tokens

    func testTokensThatOutliveTheirObject() throws {
        let (realm, _) = try managedChain()
        weak var gone: Knot?
        var tokens: [KeyValueObservation] = []
        do {
            let knot = Knot.chain(1, 2)
            gone = knot
            tokens.append(knot.observe(\.value, options: [.old]) { _, _ in })
            tokens.append(knot.observe(\.child?.value, options: [.old]) { _, _ in })
            tokens.append(knot.observe(\.list) { _, _ in })
            knot.value = 2
        }
        XCTAssertNil(gone)
        do {
            let knot = try XCTUnwrap(realm.objects(Knot.self).first { $0.value == 1 })
            gone = knot
            tokens.append(knot.observe(\.value, options: [.old]) { _, _ in })
            tokens.append(knot.observe(\.child?.value, options: [.old]) { _, _ in })
        }
        XCTAssertNil(gone)
        tokens[0].invalidate()
        tokens[0].invalidate()
        tokens.removeAll()
        try realm.write { for knot in realm.objects(Knot.self) { knot.value += 1 } }
    }

    func testATokenThatIsDroppedOnAnotherThread() throws {
        let (realm, knot) = try managedChain()
        let calls = Shared(0)
        let box = Handover([
            knot.observe(\.value) { _, _ in calls.update { $0 += 1 } },
            knot.observe(\.value, options: [.prior, .old]) { _, _ in calls.update { $0 += 1 } },
            knot.observe(\.child?.value, options: [.old, .new]) { _, _ in calls.update { $0 += 1 } },
        ])
        try realm.write {
            knot.value = 5
            knot.child?.value = 6
        }
        XCTAssertEqual(calls.value, 4)
        try onAnotherThread { box.value = [] }
        try realm.write {
            knot.value = 7
            knot.child?.value = 8
            knot.child = nil
        }
        try writeElsewhere { realm in realm.objects(Knot.self).first { $0.value == 7 }?.value = 9 }
        realm.refresh()
        XCTAssertEqual(calls.value, 4)
        let recorder = observe(knot, "value")
        try realm.write { knot.value = 10 }
        XCTAssertEqual(told(recorder), ["value 1 old 9 new 10"])
        XCTAssertEqual(calls.value, 4)
        knot.removeObserver(recorder, forKeyPath: "value")
    }

    /// While an object is being torn down on another thread, it has no observers left.
    func testAnObjectThatDiesOnAnotherThread() throws {
        let realm = try openRealm()
        try realm.write { realm.create(Dawdler.self).next = realm.create(Dawdler.self) }
        let row = try XCTUnwrap(realm.objects(Dawdler.self).first { $0.next != nil })
        for path in ["value", "next.value"] {
            let (dying, goOn, done) = (
                DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
            )
            let recorder = ValueRecorder()
            let box: Handover<Dawdler?>
            do {
                let dawdler = try XCTUnwrap(realm.objects(Dawdler.self).first { $0.next != nil })
                dawdler.addObserver(recorder, forKeyPath: path)
                dawdler.whileDying = {
                    dying.signal()
                    goOn.wait()
                }
                box = Handover(dawdler)
            }
            Thread {
                box.value = nil
                done.signal()
            }.start()
            dying.wait()
            try realm.write {
                row.value += 1
                row.next?.value += 1
            }
            XCTAssertEqual(told(recorder), [], path)
            goOn.signal()
            done.wait()
            try realm.write {
                row.value += 1
                row.next?.value += 1
            }
            XCTAssertEqual(told(recorder), [], path)
        }
    }

    func testATokenThatEndsInItsCallback() throws {
        for options in [[], [.new], [.old, .new]] as [NSKeyValueObservingOptions] {
            try onBothKinds({ Knot.chain(1, 2) }) { knot in
                var values: [Int] = []
                var (own, path): (KeyValueObservation?, KeyValueObservation?)
                let suffix = [1, 2, 3]
                own = knot.observe(\.value, options: options) { knot, _ in
                    own = nil
                    values += [knot.value] + suffix
                }
                path = knot.observe(\.child?.value, options: options) { knot, _ in
                    path = nil
                    values += [knot.child?.value ?? 0] + suffix
                }
                for value in [4, 5] {
                    knot.value = value
                    knot.child?.value = value + 10
                }
                XCTAssertEqual(values, [4, 1, 2, 3, 14, 1, 2, 3])
                XCTAssertNil(own)
                XCTAssertNil(path)
            }
        }
    }
}

/// An object that observes itself, and ends that when it is torn down.
class Hermit: Object, KeyValueObserver {
    @Persisted var value = 0
    @Persisted var partner: Hermit?
    private(set) var calls = 0
    private var path: String?

    func watch(_ path: String) {
        self.path = path
        addObserver(self, forKeyPath: path, options: [.old, .new])
    }

    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        calls += 1
    }

    deinit {
        if let path { removeObserver(self, forKeyPath: path) }
    }
}

/// An object whose end can be drawn out.
class Dawdler: Object {
    @Persisted var value = 0
    @Persisted var next: Dawdler?
    var whileDying: (() -> Void)?

    deinit { whileDying?() }
}

/// Carries something to another thread, where it is dropped.
private final class Handover<Value>: @unchecked Sendable {
    var value: Value

    init(_ value: Value) { self.value = value }
}
