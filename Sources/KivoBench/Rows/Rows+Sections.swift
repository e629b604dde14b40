import Foundation
import Kivo

/// The cost of a change for a listener of sections.
extension Rows {
    private static let million = 1_000_000
    private static let sectionSize = 10_000

    static var sections: [Row] {
        [sections("sections.one", rows: million, .atMost(0.02))]
    }

    /// Returns a row that measures the refresh after another realm assigns a random value to one row. All rows are observed in
    /// sections by value.
    static func sections(_ name: String, rows: Int, _ target: Target? = nil) -> Row {
        Row(name, .delivery, .ms, target) { fixtures in
            let store = try fixtures.items(rows)
            let realm = store.realm
            let writer = try store.writer()
            let sections = realm.objects(Item.self).sectioned(
                by: { $0.value / sectionSize }, sortDescriptors: [Kivo.SortDescriptor(keyPath: "value")])
            let recorder = SectionsRecorder(name)
            let token = sections.observe { recorder.record($0) }
            defer { token.invalidate() }
            try store.settle()
            recorder.takeInitial()
            var values = Array(realm.objects(Item.self).map { $0.value })
            var model = SortedModel(values)
            let count = fixtures.size(rows)
            expect(sections.count == ItemData.values / sectionSize, "\(name): \(sections.count) sections")
            var random = SplitMix64(state: 22)
            return try Sampling.steps(atMost: 1_001) {
                let (row, value) = (random.below(count), random.value())
                let before = place(of: row, values[row], model)
                try writer.write { $0.objects(Item.self)[row].value = value }
                _ = model.assign([(row, value)])
                values[row] = value
                let time = nanoseconds { _ = realm.refresh() }
                recorder.take(from: before, to: place(of: row, value, model))
                return time
            }
        }
    }

    private static func place(of row: Int, _ value: Int, _ model: SortedModel) -> IndexPath {
        let section = value / sectionSize
        return [section, model.position(of: row) - model.count(below: section * sectionSize)]
    }
}

/// A recorder of the last change that a handler of sections received.
private final class SectionsRecorder {
    private let name: String
    private var initials = 0
    private var updates = 0
    private var places: (deletions: [IndexPath], insertions: [IndexPath], modifications: [IndexPath])?

    init(_ name: String) { self.name = name }

    func record(_ change: SectionedResultsChange<some Any>) {
        switch change {
        case .initial: initials += 1
        case .update(_, let deletions, let insertions, let modifications, let inserted, let deleted):
            expect(inserted.isEmpty && deleted.isEmpty, "\(name): sections came or went")
            updates += 1
            places = (deletions, insertions, modifications)
        }
    }

    /// Traps unless exactly the first call was received.
    func takeInitial() {
        expect(initials == 1 && updates == 0, "\(name): \(initials) first calls and \(updates) updates")
    }

    /// Traps unless exactly one callback was received since the last check, with the move of one row between two places.
    func take(from before: IndexPath, to after: IndexPath) {
        let isRight =
            before == after
            ? places! == ([], [], [after]) : places! == ([before], [after], [])
        expect(
            initials == 1 && updates == 1 && isRight,
            "\(name): from \(before) to \(after) was told in \(updates) updates as \(places!)")
        updates = 0
    }
}
