import Foundation
import Kivo

/// The cost of listeners for a commit that concerns all of them, or none.
extension Rows {
    static var resultListeners: [Row] {
        [
            Row("views.hit/10k", .observing, .ms, .atMost(10)) { fixtures in
                let listeners = try fixtures.resultListeners()
                var random = SplitMix64(state: 15)
                return try Sampling.steps(atMost: 101) {
                    let value = random.value(in: ResultListeners.hits, except: listeners.hit.value)
                    let time = try setOne(listeners.store.realm, listeners.hit, value)
                    listeners.takeHit()
                    return time
                }
            },
            Row("views.miss/10k", .observing, .ms, .atMost(3)) { fixtures in
                let listeners = try fixtures.resultListeners()
                var random = SplitMix64(state: 16)
                return try Sampling.steps(atMost: 101) {
                    let value = random.value(in: ResultListeners.misses, except: listeners.miss.value)
                    let time = try setOne(listeners.store.realm, listeners.miss, value)
                    listeners.takeNothing()
                    return time
                }
            },
            Row("views.other/10k", .observing, .us, .atMost(20)) { fixtures in
                let listeners = try fixtures.resultListeners()
                let (realm, other) = (listeners.store.realm, listeners.other)
                return try Sampling.steps(atMost: 1_001) {
                    let time = try nanoseconds {
                        realm.beginWrite()
                        other.value += 1
                        try realm.commitWrite()
                        _ = realm.refresh()
                    }
                    listeners.takeNothing()
                    return time
                }
            },
        ]
    }

    static var listListeners: [Row] {
        [
            Row("lists.other/10k", .observing, .us, .atMost(20), measure: modifyBesideLists),
            Row("hub.small", .observing, .us, .atMost(20), measure: modifyHub),
        ]
    }

    /// Measures a commit that modifies an item beside 10k observed lists of ten items each, none of which contains it.
    private static func modifyBesideLists(_ fixtures: Fixtures) throws -> Samples {
        let store = try fixtures.emptyStore()
        let realm = store.realm
        let (owners, length) = (fixtures.size(10_000), 10)
        try realm.addItems(owners + 1, name: ItemData.name)
        let items = Array(realm.objects(Item.self))
        try realm.write {
            for owner in 0..<owners {
                let elements = (0..<length).map { items[(owner + $0) % owners] }
                realm.create(Holder.self).items.append(objectsIn: elements)
            }
        }
        let lists = Array(realm.objects(Holder.self)).map { $0.items }
        let recorders = lists.map { _ in CollectionRecorder("lists.other/10k") }
        let tokens = zip(lists, recorders).map { list, recorder in
            list.observe { (change: RealmCollectionChange<List<Item>>) in recorder.record(change) }
        }
        defer { for token in tokens { token.invalidate() } }
        try store.settle()
        for recorder in recorders { recorder.takeInitial() }
        var random = SplitMix64(state: 17)
        return try Sampling.steps(atMost: 1_001) {
            let value = random.value()
            let time = try setOne(realm, items[owners], value)
            for recorder in recorders { recorder.takeNothing() }
            return time
        }
    }

    /// Measures the refresh after another realm modifies an item. Three objects in the observed list link to the item, and so do
    /// a million other objects.
    private static func modifyHub(_ fixtures: Fixtures) throws -> Samples {
        let store = try fixtures.emptyStore()
        let realm = store.realm
        let wheel = try realm.write {
            let hub = realm.create(Item.self)
            for _ in 0..<fixtures.size(1_000_000) { realm.create(Spoke.self).hub = hub }
            return realm.create(Wheel.self)
        }
        let spokes = realm.objects(Spoke.self)
        try realm.write {
            for part in 1...3 { wheel.spokes.append(spokes[spokes.count * part / 4]) }
        }
        let recorder = CollectionRecorder("hub.small")
        let token = wheel.spokes.observe { (change: RealmCollectionChange<List<Spoke>>) in
            recorder.record(change)
        }
        defer { token.invalidate() }
        let writer = try store.writer()
        try store.settle()
        recorder.takeInitial()
        return try Sampling.steps(atMost: 1_001) {
            try writer.write { $0.objects(Item.self)[0].value += 1 }
            let time = nanoseconds { _ = realm.refresh() }
            recorder.take(.indices(modifications: [0, 1, 2]))
            return time
        }
    }
}

extension Rows {
    static var fanout: [Row] {
        [
            Row("fanout.all", .queries, .ms, .atMost(6)) { try fanoutAll("fanout.all", $0, nil) },
            Row("fanout.one", .queries, .us, .atMost(10)) { try fanoutOne("fanout.one", $0, nil) },
            Row("fanout.keypath/all", .observing, .ms, .atMost(8)) {
                try fanoutAll("fanout.keypath/all", $0, ["value"])
            },
            Row("fanout.keypath/one", .observing, .us, .atMost(10)) {
                try fanoutOne("fanout.keypath/one", $0, ["value"])
            },
        ]
    }

    /// Measures one commit that modifies all observed objects, from its beginning to the last callback.
    private static func fanoutAll(
        _ name: String, _ fixtures: Fixtures, _ keyPaths: [String]?
    ) throws -> Samples {
        try withObservedItems(fixtures, name, keyPaths) { realm, items, recorder in
            var random = SplitMix64(state: 7)
            return try Sampling.steps(atMost: 11) {
                let time = try nanoseconds {
                    realm.beginWrite()
                    for item in items { item.value = random.value() }
                    try realm.commitWrite()
                    _ = realm.refresh()
                }
                recorder.take(items.indices)
                return time
            }
        }
    }

    /// Measures one commit that modifies one of the observed objects.
    private static func fanoutOne(
        _ name: String, _ fixtures: Fixtures, _ keyPaths: [String]?
    ) throws -> Samples {
        try withObservedItems(fixtures, name, keyPaths) { realm, items, recorder in
            var random = SplitMix64(state: 8)
            return try Sampling.steps(atMost: 5_000) {
                let number = random.below(items.count)
                let time = try setOne(realm, items[number], random.value())
                recorder.take([number])
                return time
            }
        }
    }

    /// Calls `body` with 10k objects that have one observer each.
    private static func withObservedItems(
        _ fixtures: Fixtures, _ name: String, _ keyPaths: [String]?,
        _ body: (Realm, [Item], CallbackRecorder) throws -> Samples
    ) throws -> Samples {
        let store = try fixtures.items(10_000)
        let items = Array(store.realm.objects(Item.self))
        let recorder = CallbackRecorder(name, observers: items.count)
        let tokens = items.enumerated().map { observe($1, $0, keyPaths: keyPaths, recorder) }
        defer { for token in tokens { token.invalidate() } }
        try store.settle()
        recorder.take([])
        return try body(store.realm, items, recorder)
    }
}
