import Foundation
import Kivo

/// The cost of key-value observed objects of a realm.
extension Rows {
    static var keyValueRefreshing: [Row] {
        [
            refresh("kvo.refresh/all", changed: 10_000, .atMost(3.5)),
            refresh("kvo.refresh/one", changed: 1, .atMost(0.01)),
        ]
    }

    static var keyValueDeleting: [Row] {
        [
            Row("kvo.delete/50k", .observing, .us, .atMost(1.2)) {
                try deleteBesideObserved($0, observed: 50_000, elements: 10)
            },
            Row("kvo.delete/long", .observing, .us, .atMost(1.2)) {
                try deleteBesideObserved($0, observed: 1, elements: 100_000)
            },
        ]
    }

    /// Returns a row that measures the refresh after another realm has changed some of 10k observed objects.
    private static func refresh(_ name: String, changed: Int, _ target: Target) -> Row {
        Row(name, .kvo, .ms, target) { fixtures in
            let store = try fixtures.items(10_000)
            let realm = store.realm
            let writer = try store.writer()
            let items = Array(realm.objects(Item.self))
            let recorder = CallbackRecorder(name, observers: items.count)
            let tokens = items.enumerated().map { number, item in
                item.observe(\.value, options: []) { _, _ in recorder.add(number) }
            }
            defer { for token in tokens { token.invalidate() } }
            try store.settle()
            recorder.take([])
            var random = SplitMix64(state: 12)
            return try Sampling.steps(atMost: 101) {
                let positions = random.distinct(fixtures.size(changed), below: items.count)
                try writer.write { other in
                    let items = other.objects(Item.self)
                    for position in positions { items[position].value = random.value() }
                }
                let time = nanoseconds { _ = realm.refresh() }
                recorder.take(positions)
                return time
            }
        }
    }

    /// Measures each deletion of an object beside key-value observed objects with lists. The deleted objects are of the class of
    /// the lists' elements, one in each write.
    private static func deleteBesideObserved(
        _ fixtures: Fixtures, observed: Int, elements: Int
    ) throws -> Samples {
        let store = try fixtures.emptyStore()
        let realm = store.realm
        let (owners, length) = (fixtures.size(observed), observed == 1 ? fixtures.size(elements) : elements)
        let listed = min(owners * length, fixtures.size(100_000))
        let deletions = 1_200
        try realm.addItems(listed + deletions, name: ItemData.name)
        let items = Array(realm.objects(Item.self))
        try realm.write {
            for owner in 0..<owners {
                let start = owner * length % listed
                realm.create(Holder.self).items.append(objectsIn: items[start..<(start + length)])
            }
        }
        let holders = Array(realm.objects(Holder.self))
        let recorder = CallbackRecorder("kvo.delete", observers: owners)
        let tokens = holders.enumerated().map { number, holder in
            holder.observe(\.items, options: []) { _, _ in recorder.add(number) }
        }
        defer { for token in tokens { token.invalidate() } }
        try store.settle()
        recorder.take([])
        var rest = items[listed...]
        let samples = try Sampling.steps(atMost: 1_000) {
            let item = rest.removeLast()
            realm.beginWrite()
            let time = nanoseconds { realm.delete(item) }
            try realm.commitWrite()
            return time
        }
        expect(realm.objects(Item.self).count == listed + rest.count, "kvo.delete did not delete")
        recorder.take([])
        // Changes of the lists prove that they are observed.
        try realm.write { for holder in holders { holder.items.removeLast() } }
        recorder.take(holders.indices)
        return samples
    }
}
