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
        ]
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
