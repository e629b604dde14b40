import Foundation
import Kivo

extension Rows {
    private static let million = 1_000_000

    /// The observed view, and the effect of a modification on its rows.
    enum View: String, CaseIterable {
        case filtered, sorted, unsorted

        func results(_ realm: Realm) -> Results<Item> {
            let items = realm.objects(Item.self)
            switch self {
            case .filtered: return items.where { $0.value > ItemData.median }
            case .sorted: return items.sorted(byKeyPath: "value")
            case .unsorted: return items
            }
        }

        func model(_ values: [Int]) -> any ViewModel {
            switch self {
            case .filtered: FilteredModel(values)
            case .sorted: SortedModel(values)
            case .unsorted: WholeModel()
            }
        }
    }

    static var views: [Row] {
        [
            view(.filtered, "1", modified: 1, .atMost(0.01)),
            view(.filtered, "100", modified: 100, .atMost(0.5)),
            view(.filtered, "10k", modified: 10_000, .atMost(30)),
            view(.sorted, "1", modified: 1, .atMost(0.02)),
            view(.sorted, "100", modified: 100, .atMost(1)),
            view(.sorted, "10k", modified: 10_000, .atMost(60)),
            view(.unsorted, "1", modified: 1, .atMost(0.01)),
            view(.unsorted, "100", modified: 100, .atMost(0.3)),
            view(.unsorted, "10k", modified: 10_000, .atMost(20)),
            Row("view.build", .fast, .ms, measure: build),
        ]
    }

    /// Measures building the view of half of a million items, from the query through the first call of its observer.
    private static func build(_ fixtures: Fixtures) throws -> Samples {
        let realm = try fixtures.items(million).realm
        let expected = realm.objects(Item.self).count { $0.value > ItemData.median }
        return try Sampling.repetitions(7) {
            var found = 0
            var token: NotificationToken?
            let time = try nanoseconds {
                token = realm.objects(Item.self).where { $0.value > ItemData.median }
                    .observe { (change: RealmCollectionChange<Results<Item>>) in
                        if case .initial(let items) = change { found = items.count }
                    }
                try realm.write {}
                _ = realm.refresh()
            }
            token?.invalidate()
            expect(found == expected, "view.build found \(found) instead of \(expected)")
            return time
        }
    }

    private static func view(_ view: View, _ label: String, modified: Int, _ target: Target) -> Row {
        self.view("view.\(view.rawValue)/\(label)", view, rows: million, modified: modified, target)
    }

    /// Returns a row that measures the refresh after another realm modifies some rows. All rows are observed.
    static func view(
        _ name: String, _ view: View, rows: Int, modified: Int, _ target: Target? = nil
    ) -> Row {
        Row(name, .queries, .ms, target) { fixtures in
            let store = try fixtures.items(rows)
            let realm = store.realm
            let writer = try store.writer()
            let recorder = CollectionRecorder(name)
            let token = view.results(realm).observe { (change: RealmCollectionChange<Results<Item>>) in
                recorder.record(change)
            }
            defer { token.invalidate() }
            try store.settle()
            recorder.takeInitial()
            var model = view.model(realm.objects(Item.self).map { $0.value })
            var random = SplitMix64(state: 10)
            return try Sampling.steps(atMost: 101) {
                let positions = random.distinct(fixtures.size(modified), below: fixtures.size(rows))
                let values = try writer.write { modify(view, $0, positions, &random) }
                let expected = model.assign(values)
                let time = nanoseconds { _ = realm.refresh() }
                recorder.take(expected)
                return time
            }
        }
    }

    /// Assigns random values to the rows at the given positions of the table, and returns the rows with their values.
    private static func modify(
        _ view: View, _ realm: Realm, _ positions: [Int], _ random: inout SplitMix64
    ) -> [(row: Int, value: Int)] {
        let items = realm.objects(Item.self)
        return positions.map { position in
            let item = items[position]
            var value = random.value()
            // A row that is not in the view before or after the change would cause a refresh without a notification.
            while view == .filtered, !FilteredModel.isMatch(item.value), !FilteredModel.isMatch(value) {
                value = random.value()
            }
            item.value = value
            return (position, value)
        }
    }
}

/// The cost of a change for a listener of sections.
extension Rows {
    private static let sectionSize = 10_000

    static var sections: [Row] {
        [
            sections("sections.one", rows: million, .atMost(0.02)),
            Row("sections.build", .fast, .ms, .atMost(50), measure: buildSections),
        ]
    }

    /// Measures building sections of 100k items, by the first letter of their names.
    private static func buildSections(_ fixtures: Fixtures) throws -> Samples {
        let realm = try fixtures.items(100_000).realm
        let count = fixtures.size(100_000)
        return Sampling.repetitions(7) {
            var found = (sections: 0, rows: 0)
            let time = nanoseconds {
                let sections = realm.objects(Item.self).sectioned(
                    by: { String($0.name.prefix(1)) },
                    sortDescriptors: [Kivo.SortDescriptor(keyPath: "name")])
                found = (sections.count, sections.reduce(0) { $0 + $1.count })
            }
            expect(found == (16, count), "sections.build found \(found)")
            return time
        }
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
