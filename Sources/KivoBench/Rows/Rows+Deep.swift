import Kivo

/// The cost of changes of other objects for a listener of elements that link to them.
extension Rows {
    private static let elements = 100_000

    static var deep: [Row] {
        [
            Row("deep.unrelated", .delivery, .us, .atMost(5)) { fixtures in
                try modify(fixtures, "deep.unrelated") { _ in
                    fixtures.size(elements)
                } expecting: { _ in
                    nil
                }
            },
            Row("deep.related", .delivery, .us, .atMost(20)) { fixtures in
                try modify(fixtures, "deep.related") {
                    $0.below(fixtures.size(elements))
                } expecting: {
                    $0
                }
            },
        ]
    }

    /// Measures the refresh after another realm modifies an item. The observed list contains objects that each lead to their own
    /// item over three links. One more item has no links to it.
    ///
    /// - Parameters:
    ///   - pick: the item to modify.
    ///   - expecting: the element that counts as modified, if there is one.
    private static func modify(
        _ fixtures: Fixtures, _ name: String, _ pick: (inout SplitMix64) -> Int,
        expecting: (Int) -> Int?
    ) throws -> Samples {
        let store = try fixtures.emptyStore()
        let realm = store.realm
        let holder = try realm.write {
            let holder = realm.create(DeepHolder.self)
            for _ in 0..<fixtures.size(elements) {
                let element = realm.create(DeepElement.self)
                let first = realm.create(DeepFirst.self)
                let second = realm.create(DeepSecond.self)
                (element.first, first.second, second.third) = (first, second, realm.create(Item.self))
                holder.elements.append(element)
            }
            realm.create(Item.self)
            return holder
        }
        let recorder = CollectionRecorder(name)
        let token = holder.elements.observe { (change: RealmCollectionChange<List<DeepElement>>) in
            recorder.record(change)
        }
        defer { token.invalidate() }
        let writer = try store.writer()
        try store.settle()
        recorder.takeInitial()
        var random = SplitMix64(state: 21)
        return try Sampling.steps(atMost: 1_001) {
            let picked = pick(&random)
            try writer.write { $0.objects(Item.self)[picked].value += 1 }
            let time = nanoseconds { _ = realm.refresh() }
            if let element = expecting(picked) {
                recorder.take(.indices(modifications: [element]))
            } else {
                recorder.takeNothing()
            }
            return time
        }
    }
}
