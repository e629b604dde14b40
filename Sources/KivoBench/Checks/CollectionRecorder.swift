import Kivo

/// A change that an observed collection must report.
enum ExpectedChange {
    /// Exactly these positions, each array ascending.
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
            return deletions.count == insertions.count && Set(deletions).isSubset(of: old)
                && insertions.count + modifications.count == new.count
                && (insertions + modifications).sorted() == new
        }
    }

    private var summary: String {
        "\(deletions.count) deletions, \(insertions.count) insertions, \(modifications.count) modifications"
    }
}
