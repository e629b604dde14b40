import Kivo
import Synchronization

/// A change that an observed collection must report.
enum ExpectedChange {
    /// Exactly these positions, each array ascending: deletions and modifications in the old collection, insertions in the new.
    case indices(deletions: [Int] = [], insertions: [Int] = [], modifications: [Int] = [])
    /// The elements at the old positions have the new ones. Moved elements are deletions and insertions, the others
    /// modifications. The library may choose which elements count as moved.
    case reordered(old: [Int], new: [Int])
}

/// A recorder of the last change that a collection's handler received.
final class CollectionRecorder {
    private let name: String
    private var initials = 0
    private var updates = 0
    private var deletions: [Int] = []
    private var insertions: [Int] = []
    private var modifications: [Int] = []

    init(_ name: String) { self.name = name }

    func record<C>(_ change: RealmCollectionChange<C>) {
        switch change {
        case .initial:
            initials += 1
        case .update(_, let deletions, let insertions, let modifications):
            updates += 1
            self.deletions = deletions
            self.insertions = insertions
            self.modifications = modifications
        case .error(let error):
            fatalError("kivo-bench: \(name): \(error)")
        }
    }

    /// Traps unless exactly the first call was received.
    func takeInitial() {
        expect(initials == 1 && updates == 0, "\(name): \(initials) first calls and \(updates) updates")
    }

    /// Traps if any call was received since the last check.
    func takeNothing() {
        expect(initials == 1 && updates == 0, "\(name): \(updates) updates instead of none")
    }

    /// Traps unless exactly one callback was received since the last check, with that change.
    func take(_ expected: ExpectedChange) {
        expect(initials == 1 && updates == 1, "\(name): \(updates) updates instead of 1")
        expect(matches(expected), "\(name): \(summary) instead of \(expected)")
        updates = 0
    }

    private func matches(_ expected: ExpectedChange) -> Bool {
        switch expected {
        case .indices(let deletions, let insertions, let modifications):
            return self.deletions == deletions && self.insertions == insertions
                && self.modifications == modifications
        case .reordered(let old, let new):
            // Computed here, outside of what is measured.
            let currentModifications = RealmCollectionChange.update(
                (), deletions: deletions, insertions: insertions, modifications: modifications
            ).currentModifications
            return deletions.count == insertions.count && Set(deletions).isSubset(of: old)
                && insertions.count + modifications.count == new.count
                && (insertions + currentModifications).sorted() == new
        }
    }

    private var summary: String {
        "\(deletions.count) deletions, \(insertions.count) insertions, \(modifications.count) modifications"
    }
}

/// A recorder of the observers whose callbacks ran, by their numbers.
final class CallbackRecorder {
    private let name: String
    private var numbers: [Int] = []

    init(_ name: String, observers: Int) {
        self.name = name
        numbers.reserveCapacity(observers)
    }

    func add(_ number: Int) { numbers.append(number) }

    /// Traps unless exactly those observers were notified since the last check, each once.
    func take(_ expected: some Sequence<Int>) {
        let notified = numbers.sorted()
        expect(
            notified.elementsEqual(expected),
            "\(name): \(notified.count) callbacks, not those that had to come")
        numbers.removeAll(keepingCapacity: true)
    }
}

/// A counter of callbacks that all run on one thread.
///
/// The atomics allow sendable handlers to share it. Only one thread writes, so that plain loads and stores suffice, which cost no
/// more than those of an ordinary variable.
final class Tally: Sendable {
    private let calls = Atomic<Int>(0)
    private let lastValue = Atomic<Int>(0)

    var count: Int { calls.load(ordering: .relaxed) }

    /// The value that was passed to the last callback.
    var last: Int { lastValue.load(ordering: .relaxed) }

    func add(_ value: Int = 0) {
        calls.store(calls.load(ordering: .relaxed) + 1, ordering: .relaxed)
        lastValue.store(value, ordering: .relaxed)
    }

    func reset() {
        calls.store(0, ordering: .relaxed)
    }

    /// Traps unless exactly that many callbacks ran since the last check.
    @inline(__always)
    func take(_ expected: Int, _ name: String) {
        expect(count == expected, "\(name): \(count) callbacks instead of \(expected)")
        reset()
    }
}
