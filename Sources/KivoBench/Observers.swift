import Kivo
import Synchronization

/// Counts callbacks that all come on one thread.
///
/// The atomics let handlers that have to be sendable share it; as only one thread writes, a plain load and store
/// do, and they cost no more than those of an ordinary variable.
final class Tally: Sendable {
    private let calls = Atomic<Int>(0)
    private let lastValue = Atomic<Int>(0)

    var count: Int { calls.load(ordering: .relaxed) }

    /// What the last callback brought along.
    var last: Int { lastValue.load(ordering: .relaxed) }

    func add(_ value: Int = 0) {
        calls.store(calls.load(ordering: .relaxed) + 1, ordering: .relaxed)
        lastValue.store(value, ordering: .relaxed)
    }

    func reset() {
        calls.store(0, ordering: .relaxed)
    }

    /// Traps unless exactly that many callbacks came since the last check.
    @inline(__always)
    func take(_ expected: Int, _ name: String) {
        expect(count == expected, "\(name): \(count) callbacks instead of \(expected)")
        reset()
    }
}

/// What an observed collection has to report.
enum ExpectedChange {
    /// So many of each.
    case counts(deletions: Int, insertions: Int, modifications: Int)
    /// So many elements got new values and were put elsewhere in the order, or stayed where they were.
    case reordered(Int)
    /// Exactly these.
    case indices(deletions: [Int] = [], insertions: [Int] = [], modifications: [Int] = [])
}

/// Keeps what a collection's handler was last told.
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

    /// Traps unless exactly the first call came.
    func takeInitial() {
        expect(initials == 1 && updates == 0, "\(name): \(initials) first calls and \(updates) updates")
    }

    /// Traps if anything came since the last check.
    func takeNothing() {
        expect(initials == 1 && updates == 0, "\(name): \(updates) updates instead of none")
    }

    /// Traps unless exactly one callback came since the last check, and with that change.
    func take(_ expected: ExpectedChange) {
        expect(initials == 1 && updates == 1, "\(name): \(updates) updates instead of 1")
        expect(matches(expected), "\(name): \(summary) instead of \(expected)")
        updates = 0
    }

    private func matches(_ expected: ExpectedChange) -> Bool {
        switch expected {
        case .counts(let deletions, let insertions, let modifications):
            return self.deletions.count == deletions && self.insertions.count == insertions
                && self.modifications.count == modifications
        case .reordered(let count):
            // How few moves explain a new order is the library's choice, that they add up is not.
            return deletions.count == insertions.count && Set(insertions).union(modifications).count >= count
        case .indices(let deletions, let insertions, let modifications):
            return self.deletions == deletions && self.insertions == insertions
                && self.modifications == modifications
        }
    }

    private var summary: String {
        "\(deletions.count) deletions, \(insertions.count) insertions, \(modifications.count) modifications"
    }
}
