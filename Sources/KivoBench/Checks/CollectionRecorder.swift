import Kivo

/// What an observed collection has to report.
enum ExpectedChange {
    /// Exactly these, each ascending.
    case indices(deletions: [Int] = [], insertions: [Int] = [], modifications: [Int] = [])
    /// Elements that had the old positions, and have the new ones, some of which moved: those are deletions and
    /// insertions, the others modifications. Which of them are said to have moved is the library's choice.
    case reordered(old: [Int], new: [Int])
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
