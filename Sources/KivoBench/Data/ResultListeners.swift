import Kivo

/// Many listeners to results of one table. Their conditions on `value` all differ, and values around the median meet all of them.
/// About one in a thousand items meets each condition.
final class ResultListeners {
    /// The values that meet all conditions, and those that meet none.
    static let hits = ItemData.median - 100..<ItemData.median + 100
    static let misses = 0..<ItemData.median - 10_000

    let store: Store
    /// An item with a value among `hits`.
    let hit: Item
    /// An item with a value among `misses`.
    let miss: Item
    /// An object of another class.
    let other: Keyed
    private let recorders: [CollectionRecorder]
    /// The position of `hit` in the results of each listener.
    private let positions: [Int]
    private let tokens: [NotificationToken]

    init(_ fixtures: Fixtures) throws {
        let name = "result listeners"
        let store = try fixtures.emptyStore()
        let realm = store.realm
        try realm.addItems(fixtures.size(100_000), name: ItemData.name)
        let items = realm.objects(Item.self)
        let middle = items.count / 2
        let (hit, miss) = (items[middle], items[middle + 1])
        other = try realm.write {
            hit.value = Self.hits.lowerBound
            miss.value = Self.misses.lowerBound
            return realm.create(Keyed.self)
        }
        let before = Array(items[0..<middle].map { $0.value })
        let conditions = (0..<fixtures.size(10_000)).map(Self.condition)
        let recorders = conditions.map { _ in CollectionRecorder(name) }
        tokens = zip(conditions, recorders).map { condition, recorder in
            items.where { $0.value >= condition.lowerBound && $0.value < condition.upperBound }
                .observe { (change: RealmCollectionChange<Results<Item>>) in recorder.record(change) }
        }
        let near = before.filter { abs($0 - ItemData.median) < 2_000 }
        positions = conditions.map { condition in near.count { condition.contains($0) } }
        (self.store, self.hit, self.miss, self.recorders) = (store, hit, miss, recorders)
        try store.settle()
        for recorder in recorders { recorder.takeInitial() }
    }

    private static func condition(_ index: Int) -> Range<Int> {
        let start = ItemData.median - 900 + index * 7 % 800
        return start..<(start + 1_000 + index / 800)
    }

    /// Traps unless every listener was notified that `hit` was modified, and of no other change.
    func takeHit() {
        for (recorder, position) in zip(recorders, positions) {
            recorder.take(.indices(modifications: [position]))
        }
    }

    /// Traps if a listener was notified of a change.
    func takeNothing() {
        for recorder in recorders { recorder.takeNothing() }
    }
}
