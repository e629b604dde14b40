#if compiler(>=6.2)
import Foundation
import Kivo
import Testing

/// Misuse of key-value observing traps with a message.
struct KeyValueTrapTests {
    // MARK: What cannot be observed

    @Test func linkingObjects() async throws {
        let named = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Knot().addObserver(ValueRecorder(), forKeyPath: "parents")
        }
        try check(named, says: ["'Knot.parents'", "cannot be observed"])
        let typed = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Knot().observe(\.parents) { _, _ in }
        }
        try check(typed, says: ["'Knot.parents'", "cannot be observed"])
        let behindALink = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Knot().addObserver(ValueRecorder(), forKeyPath: "child.parents.@count")
        }
        try check(behindALink, says: ["'Knot.parents'", "cannot be observed"])
    }

    /// The objects to which a change refers must not be deleted between the prior notification and the change.
    @Test func deletingBeforeAChange() async throws {
        let target = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try DeletingInPrior.run { knot, other in
                knot.child = other
            } deleting: { _, other in
                other
            }
        }
        try check(target, says: ["deleted inside of a notification"])
        let owner = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try DeletingInPrior.run { knot, other in
                knot.child = other
            } deleting: { knot, _ in
                knot
            }
        }
        try check(owner, says: ["deleted inside of a notification"])
    }

    @Test func aComputedPropertyThatBranches() async throws {
        let branch = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Branching().observe(\.label) { _, _ in }
        }
        try check(branch, says: ["'Branching'", "declare what it depends on"])
    }

    @Test func elementsOfACollection() async throws {
        let list = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Knot().addObserver(ValueRecorder(), forKeyPath: "list.value")
        }
        try check(list, says: ["'list.value'", "'Knot'", "elements of 'list'"])
        let behindALink = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Knot().addObserver(ValueRecorder(), forKeyPath: "child.list.child.value")
        }
        try check(behindALink, says: ["'child.list.child.value'", "elements of 'list'"])
        let set = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Bag().addObserver(ValueRecorder(), forKeyPath: "dogSet.age")
        }
        try check(set, says: ["'dogSet.age'", "elements of 'dogSet'"])
        let itself = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Knot().list.addObserver(ValueRecorder(), forKeyPath: "count")
        }
        try check(itself, says: ["'isInvalidated' only", "'count'"])
    }

    @Test func aFrozenObject() async throws {
        let named = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try KeyValueTrap.managed(Knot()).freeze().addObserver(ValueRecorder(), forKeyPath: "value")
        }
        try check(named, says: ["frozen", "cannot be observed"])
        let typed = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try KeyValueTrap.managed(Knot()).freeze().observe(\.child?.value) { _, _ in }
        }
        try check(typed, says: ["frozen", "cannot be observed"])
        let list = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let list = try KeyValueTrap.managed(Knot()).freeze().list
            list.addObserver(ValueRecorder(), forKeyPath: "isInvalidated")
        }
        try check(list, says: ["frozen", "cannot be observed"])
    }

    @Test func aDeletedObject() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let knot = try KeyValueTrap.managed(Knot())
            try knot.realm?.write { knot.realm?.delete(knot) }
            knot.addObserver(ValueRecorder(), forKeyPath: "value")
        }
        try check(result, says: ["'Knot'", "has been deleted"])
    }

    @Test func aComputedPropertyOfWhichNothingIsDeclared() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Area().observe(\.undeclared) { _, _ in }
        }
        try check(result, says: ["does not lead to a persisted property", "'Area'", "declare"])
    }

    @Test func anUnknownOperator() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Knot().addObserver(ValueRecorder(), forKeyPath: "list.@median.value", options: [.initial, .new])
        }
        try check(result, says: ["'@median'"])
    }

    // MARK: Observed objects

    @Test func addingAnObjectWithAnObservedPath() async throws {
        let itself = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (knot, recorder) = (Knot.chain(1, 2), ValueRecorder())
            knot.addObserver(recorder, forKeyPath: "child.value")
            let realm = try KeyValueTrap.realm()
            try realm.write { realm.add(knot) }
        }
        try check(itself, says: ["'Knot'", "observers"])
        let linked = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (knot, recorder) = (Knot.chain(1, 2), ValueRecorder())
            knot.child?.addObserver(recorder, forKeyPath: "value")
            let realm = try KeyValueTrap.realm()
            try realm.write { realm.add(knot) }
        }
        try check(linked, says: ["'Knot'", "observers"])
        let assigned = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (knot, child, recorder) = (try KeyValueTrap.managed(Knot()), Knot(), ValueRecorder())
            child.addObserver(recorder, forKeyPath: "value")
            try knot.realm?.write { knot.child = child }
        }
        try check(assigned, says: ["'Knot'", "observers"])
    }

    /// Observers are not notified of a change that traps.
    @Test func writingOutsideOfATransaction() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (knot, recorder) = (try KeyValueTrap.managed(Knot.chain(1, 2)), ValueRecorder())
            for path in ["child", "child.value"] {
                knot.addObserver(recorder, forKeyPath: path, options: [.prior])
            }
            recorder.body = { FileHandle.standardError.write(Data("told too early".utf8)) }
            knot.child = nil
        }
        try check(result, says: ["modify 'Knot.child'", "outside of a write transaction"])
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(!text.contains("told too early"))
    }

    // MARK: Removal

    @Test func removingTwice() async throws {
        let plain = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try KeyValueTrap.removeTwice("value")
        }
        try check(plain, says: ["'value'", "'Knot'", "not registered"])
        let path = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try KeyValueTrap.removeTwice("child.value")
        }
        try check(path, says: ["'child.value'", "'Knot'", "not registered"])
        let list = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (knot, recorder) = (Knot(), ValueRecorder())
            knot.list.addObserver(recorder, forKeyPath: "isInvalidated")
            knot.list.removeObserver(recorder, forKeyPath: "isInvalidated")
            FileHandle.standardError.write(Data("removed once\n".utf8))
            knot.list.removeObserver(recorder, forKeyPath: "isInvalidated")
        }
        try check(list, says: ["removed once", "'isInvalidated'", "not registered"])
    }

    @Test func removingWhatIsRegisteredOtherwise() async throws {
        let context = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (knot, recorder) = (Knot(), ValueRecorder())
            knot.addObserver(recorder, forKeyPath: "value", context: UnsafeMutableRawPointer(bitPattern: 1))
            knot.removeObserver(
                recorder, forKeyPath: "value", context: UnsafeMutableRawPointer(bitPattern: 2))
        }
        try check(context, says: ["'value'", "not registered"])
        let noContext = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (knot, recorder) = (Knot(), ValueRecorder())
            knot.addObserver(recorder, forKeyPath: "value", context: UnsafeMutableRawPointer(bitPattern: 1))
            knot.removeObserver(recorder, forKeyPath: "value", context: nil)
        }
        try check(noContext, says: ["'value'", "not registered"])
        let path = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (knot, recorder) = (Knot.chain(1, 2), ValueRecorder())
            knot.addObserver(recorder, forKeyPath: "child.value")
            knot.child?.removeObserver(recorder, forKeyPath: "value")
        }
        try check(path, says: ["'value'", "not registered"])
    }

    // MARK: Announced changes

    @Test func announcingElementsThatAreNotThere() async throws {
        let removal = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (draft, recorder) = (Draft(), ValueRecorder())
            draft.addObserver(recorder, forKeyPath: "items", options: [.old])
            draft.willChange(.removal, valuesAt: [0], forKey: "items")
        }
        try check(removal, says: ["'items'", "index 0", "outside of the range"])
        let insertion = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (draft, recorder) = (Draft(), ValueRecorder())
            draft.addObserver(recorder, forKeyPath: "items", options: [.new])
            draft.willChange(.insertion, valuesAt: [0], forKey: "items")
            FileHandle.standardError.write(Data("so far\n".utf8))
            draft.didChange(.insertion, valuesAt: [0], forKey: "items")
        }
        try check(insertion, says: ["so far", "'items'", "index 0", "outside of the range"])
    }
}

/// The realms and objects from which the tests above start, each in a process of its own.
private enum KeyValueTrap {
    static func realm() throws -> Realm {
        try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "key-value trap"))
    }

    static func managed<T: Object>(_ object: T) throws -> T {
        let realm = try realm()
        try realm.write { realm.add(object) }
        return object
    }

    /// Removes an observer twice; the first time is fine.
    static func removeTwice(_ path: String) throws {
        let (knot, recorder) = (Knot.chain(1, 2), ValueRecorder())
        knot.addObserver(recorder, forKeyPath: path)
        knot.removeObserver(recorder, forKeyPath: path)
        FileHandle.standardError.write(Data("removed once\n".utf8))
        knot.removeObserver(recorder, forKeyPath: path)
    }
}

enum DeletingInPrior {
    /// Makes a change whose observer deletes an object before it.
    static func run(
        _ change: (Knot, Knot) -> Void, deleting: @escaping (Knot, Knot) -> Knot
    ) throws {
        let realm = try Realm(configuration: .init(inMemoryIdentifier: "deleting"))
        let (knot, other) = (Knot(), Knot())
        try realm.write { realm.add([knot, other]) }
        let token = knot.observe(\.child, options: .prior) { knot, change in
            if change.isPrior { realm.delete(deleting(knot, other)) }
        }
        try realm.write { change(knot, other) }
        token.invalidate()
    }
}

class Branching: Object {
    @Persisted var name = ""
    @Persisted var isOn = false
    var label: String { isOn ? name : "off" }
}
#endif
