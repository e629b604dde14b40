import Foundation
import KivoEngine
import TestRandomness
import XCTest

@testable import Kivo

class EvictionItem: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var group: String
    @Persisted var text: String
    @Persisted var next: EvictionItem?
    @Persisted var tags: List<String>
    @Persisted var numbers: List<Int>
    @Persisted(originProperty: "next") var previous: LinkingObjects<EvictionItem>
}

private func text(_ id: Int, _ round: Int = 0) -> String { "the text of item \(id), round \(round)" }

/// Nodes that are the same in the file leave the memory, and nobody notices.
final class EvictionTests: FileTestCase {
    private func small(_ cacheSize: Int, _ name: String? = nil) -> Realm.Configuration {
        var configuration = configuration
        configuration.cacheSize = cacheSize
        configuration.separation = name
        configuration.checkpoints.allowance = 1 << 16
        configuration.checkpoints.smallestTail = 1 << 12
        configuration.checkpoints.smallestTailOfClosing = 1
        configuration.checkpoints.tailShare = 1 << 10
        return configuration
    }

    private static func key(_ index: Int) -> Int { index * 7_919 % 1_000_003 }

    private func fill(_ realm: Realm, _ count: Int) throws {
        try realm.write {
            for index in 0..<count {
                let item = EvictionItem()
                item.id = EvictionTests.key(index)
                item.group = "group \(index % 100), which has a long name"
                item.text = text(item.id)
                item.tags.append(objectsIn: ["tag \(index)", "another tag that is long"])
                // Some have pages of their own.
                if index % 500 == 0 { item.numbers.append(objectsIn: 0..<400) }
                realm.add(item)
            }
        }
    }

    private func closedFile(_ count: Int) throws {
        try withRealm(small(.max)) { try fill($0, count) }
        try waitUntilClosed()
    }

    private func open(_ configuration: Realm.Configuration) throws -> Realm {
        try Realm(configuration: configuration)
    }

    func testWhatIsReadStaysBelowTheLimit() throws {
        let count = 6_000
        try closedFile(count)
        let limit = 1 << 20
        let realm = try open(small(limit))
        let cache = realm.instance.store.heap.cache
        for _ in 0..<2 {
            var (sum, highest) = (0, 0)
            for item in realm.objects(EvictionItem.self) {
                XCTAssertEqual(item.text, text(item.id))
                XCTAssertEqual(item.tags.count, 2)
                sum += item.id
                highest = max(highest, cache.byteCount)
            }
            XCTAssertEqual(sum, (0..<count).reduce(0) { $0 + EvictionTests.key($1) })
            XCTAssertLessThan(highest, limit * 5 / 4)
        }
        XCTAssertGreaterThan(cache.evictions, 20)
        var random = RandomSource()
        for _ in 0..<2_000 {
            let id = EvictionTests.key(random.below(count))
            XCTAssertEqual(realm.object(ofType: EvictionItem.self, forPrimaryKey: id)?.text, text(id))
        }
        XCTAssertLessThan(cache.byteCount, limit * 5 / 4)
        let sorted = realm.objects(EvictionItem.self).sorted(byKeyPath: "id", ascending: false)
        for index in stride(from: 0, to: count, by: 7) {
            XCTAssertEqual(sorted[index].text, text(sorted[index].id))
        }
        XCTAssertLessThan(cache.byteCount, limit * 5 / 4)
        XCTAssertEqual(
            realm.objects(EvictionItem.self).where { $0.text.contains("item 1") }.count,
            (0..<count).count { "\(EvictionTests.key($0))".hasPrefix("1") })
    }

    func testWhatIsWrittenStaysBelowTheLimit() throws {
        try XCTSkipUnless(NodeSlot.isPublishing, "with the thread sanitizer, what was written stays")
        let limit = 1 << 20
        let realm = try open(small(limit))
        let cache = realm.instance.store.heap.cache
        var written = 0
        for commit in 0..<40 {
            try realm.write {
                for _ in 0..<500 {
                    realm.create(
                        EvictionItem.self,
                        value: ["id": EvictionTests.key(written), "text": text(EvictionTests.key(written))])
                    written += 1
                }
            }
            if commit % 8 == 7 {
                while realm.instance.store.isMakingCheckpoint { Thread.sleep(forTimeInterval: 0.001) }
                realm.refresh()
                XCTAssertLessThan(cache.byteCount, limit * 5 / 4)
            }
        }
        XCTAssertGreaterThan(cache.evictions, 20)
        XCTAssertTrue(realm.objects(EvictionItem.self).allSatisfy { $0.text == text($0.id) })
    }

    /// Realms, results, objects, key-value observers and streams are told of changes, and of nothing else.
    @MainActor
    func testObserversAreNotToldOfEvictions() async throws {
        try closedFile(3_000)
        let realm = try open(small(0))
        let results = realm.objects(EvictionItem.self).where { $0.group.starts(with: "group 0") }
        let object = try XCTUnwrap(realm.objects(EvictionItem.self).first)
        var (told, observed) = (0, 0)
        let tokens = [
            realm.observe { _, _ in told += 1 },
            results.observe { change in if case .update = change { told += 1 } },
            object.observe { _ in told += 1 },
        ]
        let observation = object.observe(\.text) { _, _ in observed += 1 }
        let cache = realm.instance.store.heap.cache
        for round in 0..<5 {
            let before = cache.evictions
            XCTAssertTrue(realm.objects(EvictionItem.self).allSatisfy { $0.text == text($0.id) || round > 0 })
            realm.refresh()
            try await Task.sleep(for: .milliseconds(20))
            XCTAssertGreaterThan(cache.evictions, before)
            XCTAssertEqual(told, 3 * round)
            XCTAssertEqual(observed, round)
            let other = try open(small(0))
            XCTAssertEqual(other.objects(EvictionItem.self).count, 3_000)
            try realm.write { object.text = "round \(round)" }
            // An object is told of a commit of its own realm like the others.
            realm.refresh()
            try await Task.sleep(for: .milliseconds(20))
            XCTAssertEqual(object.text, "round \(round)")
        }
        withExtendedLifetime((tokens, observation)) {}
    }

    func testFrozenObjectsStayAsTheyWere() throws {
        try closedFile(5_000)
        let realm = try open(small(0))
        let frozen = realm.objects(EvictionItem.self).freeze()
        let some = stride(from: 0, to: 5_000, by: 97).map { frozen[$0] }
        let texts = some.map(\.text)
        for round in 1..<4 {
            try realm.write {
                for item in realm.objects(EvictionItem.self) { item.text = text(item.id, round) }
            }
            XCTAssertTrue(realm.objects(EvictionItem.self).allSatisfy { $0.text == text($0.id, round) })
            while realm.instance.store.isMakingCheckpoint { Thread.sleep(forTimeInterval: 0.001) }
            realm.refresh()
        }
        XCTAssertEqual(some.map(\.text), texts)
        XCTAssertTrue(frozen.allSatisfy { $0.text == text($0.id) })
    }

    /// Threads that read versions of their own, frozen ones among them, while another one writes, checkpoints and compactions are
    /// made, and everything that can be is evicted all the time.
    func testThreadsReadWhatTheyShould() throws {
        try closedFile(2_000)
        let configuration = small(0)
        let count = Sanitizer.isPresent ? 20 : TestEffort.count(60, full: 600)
        let isDone = Shared(false)
        let group = DispatchGroup()
        var random = RandomSource()
        for _ in 0..<3 {
            let seed = random.next()
            Thread {
                var random = RandomSource(seed: seed)
                var kept: [(Results<EvictionItem>, Int)] = []
                while !isDone.value {
                    do {
                        guard let realm = try? Realm(configuration: configuration) else {
                            return XCTFail("no realm")
                        }
                        for _ in 0..<5 {
                            realm.refresh()
                            let items = realm.objects(EvictionItem.self)
                            // Each version has one round, written into all objects of a group.
                            let group = "group \(random.below(100)), which has a long name"
                            let texts = Set(
                                items.where { $0.group == group }.map { $0.text.split(separator: ",").last! })
                            XCTAssertEqual(texts.count, 1, "\(texts)")
                            let item = items[random.below(items.count)]
                            XCTAssertTrue(item.text.hasPrefix("the text of item \(item.id),"), item.text)
                            XCTAssertEqual(item.tags.count, 2)
                            XCTAssertTrue(item.numbers.isEmpty || item.numbers.reduce(0, +) == 400 * 399 / 2)
                            if random.chance(10), kept.isEmpty {
                                let frozen = items.where { $0.group == group }.freeze()
                                kept.append((frozen, frozen.reduce(0) { $0 &+ $1.text.hashValue }))
                            }
                        }
                        if random.chance(60), let (frozen, sum) = kept.popLast() {
                            XCTAssertEqual(frozen.reduce(0) { $0 &+ $1.text.hashValue }, sum)
                        }
                    }
                }
                group.leave()
            }.start()
            group.enter()
        }
        let realm = try open(configuration)
        for round in 1...count {
            try realm.write {
                let group = "group \(random.below(100)), which has a long name"
                for item in realm.objects(EvictionItem.self).where({ $0.group == group }) {
                    item.text = text(item.id, round)
                }
            }
        }
        isDone.update { $0 = true }
        group.wait()
        XCTAssertGreaterThan(realm.instance.store.heap.cache.evictions, 20)
    }

    /// Long lists have nodes above others, all of which are evicted while other threads read them.
    func testThreadsReadLongListsThatAreEvicted() throws {
        let (count, length) = (12, 5_000)
        try withRealm(small(.max)) { realm in
            try realm.write {
                for id in 0..<count {
                    let item = EvictionItem()
                    item.id = id
                    item.numbers.append(objectsIn: 0..<length)
                    realm.add(item)
                }
            }
        }
        try waitUntilClosed()
        let configuration = small(0)
        let rounds = Sanitizer.isPresent ? 10 : TestEffort.count(40, full: 400)
        let group = DispatchGroup()
        for thread in 0..<3 {
            group.enter()
            Thread {
                defer { group.leave() }
                guard let realm = try? Realm(configuration: configuration) else { return XCTFail("no realm") }
                for round in 0..<rounds {
                    realm.refresh()
                    for id in 0..<count {
                        let item = realm.object(
                            ofType: EvictionItem.self, forPrimaryKey: (id + thread + round) % count)
                        XCTAssertEqual(item?.numbers.reduce(0, +), length * (length - 1) / 2)
                    }
                }
            }.start()
        }
        group.wait()
        try waitUntilClosed()
    }

    /// Lists that grow beyond a page and become short again, strings that are replaced, frozen realms that come and go, checkpoints
    /// and compactions: everything is as in a model, and closing leaves nothing behind.
    func testListsAndStringsOfRandomEditsBesideFrozenRealms() throws {
        var random = RandomSource()
        for _ in TestEffort.rounds(40, within: 1) {
            let seed = random.next()
            try run(seed: seed, cacheSize: random.chance(50) ? 0 : 1 << (12 + random.below(6)))
            try waitUntilClosed()
            try FileManager.default.removeItem(at: file)
        }
    }

    private struct Model: Equatable {
        var text: String
        var numbers: [Int]
        var tags: [String]
    }

    private func check(_ realm: Realm, _ models: [Int: Model], _ words: String) {
        for item in realm.objects(EvictionItem.self) {
            let found = Model(text: item.text, numbers: Array(item.numbers), tags: Array(item.tags))
            XCTAssertEqual(found, models[item.id], "\(words), item \(item.id)")
        }
        XCTAssertEqual(realm.objects(EvictionItem.self).count, models.count, words)
    }

    private func run(seed: UInt64, cacheSize: Int) throws {
        var random = RandomSource(seed: seed)
        var models: [Int: Model] = [:]
        for session in 0..<3 {
            let realm = try open(small(cacheSize))
            var frozen: [(realm: Realm, models: [Int: Model])] = []
            for round in 0..<30 {
                let words = "seed \(seed), session \(session), round \(round)"
                try realm.write {
                    for _ in 0..<(1 + random.below(20)) {
                        let id = random.below(600)
                        let object = realm.object(ofType: EvictionItem.self, forPrimaryKey: id)
                        let item =
                            object
                            ?? realm.create(
                                EvictionItem.self, value: ["id": id, "group": "a group that is long"])
                        var model = models[id] ?? Model(text: "", numbers: [], tags: [])
                        switch random.below(5) {
                        case 0:
                            model.text = String(
                                repeating: "text \(random.below(1_000)) ", count: random.below(4))
                            item.text = model.text
                        case 1 where model.numbers.count > 100:
                            let rest = random.below(40)
                            model.numbers.removeSubrange(0..<(model.numbers.count - rest))
                            item.numbers.removeSubrange(0..<(item.numbers.count - rest))
                        case 1, 2:
                            let more = (0..<random.below(500)).map { _ in random.below(100) }
                            model.numbers += more
                            item.numbers.append(objectsIn: more)
                        case 3 where model.tags.count > 60:
                            model.tags.removeFirst(model.tags.count - 3)
                            item.tags.removeSubrange(0..<(item.tags.count - 3))
                        default:
                            let more = (0..<random.below(120)).map {
                                "tag \($0) of \(random.below(1_000)), which is long"
                            }
                            model.tags += more
                            item.tags.append(objectsIn: more)
                        }
                        models[id] = model
                    }
                }
                if random.chance(30) {
                    while realm.instance.store.isMakingCheckpoint { Thread.sleep(forTimeInterval: 0.0005) }
                }
                realm.refresh()
                if random.chance(40) { check(realm, models, words) }
                if random.chance(25) { frozen.append((realm.freeze(), models)) }
                if random.chance(25), let some = frozen.randomElement(using: &random) {
                    check(some.realm, some.models, words + ", frozen")
                }
                if frozen.count > 2 || random.chance(20), !frozen.isEmpty {
                    frozen.remove(at: random.below(frozen.count))
                }
            }
            check(realm, models, "seed \(seed), session \(session)")
            for some in frozen { check(some.realm, some.models, "seed \(seed), session \(session), frozen") }
        }
    }

    func testAStampedResultIsNotEvaluatedAgain() throws {
        try closedFile(4_000)
        let realm = try open(small(0))
        let state = try XCTUnwrap(realm.objects(EvictionItem.self).sorted(byKeyPath: "text").queryState)
        _ = state.rows
        let (stamp, generation) = (state.stamp, realm.instance.reader.pointee.generation)
        XCTAssertEqual(realm.objects(EvictionItem.self).reduce(0) { $0 + $1.tags.count }, 8_000)
        XCTAssertGreaterThan(realm.instance.reader.pointee.generation, generation)
        XCTAssertEqual(state.stamp, stamp)
    }

    func testThereIsNoLimitUnlessOneIsSet() {
        XCTAssertEqual(CacheSize.size([:]), .max)
        XCTAssertEqual(CacheSize.size(["KIVO_CACHE_SIZE": "5"]), 5)
        XCTAssertEqual(CacheSize.size(["KIVO_CACHE_SIZE": "x"]), .max)
        var configuration = configuration
        configuration.cacheSize = -1
        XCTAssertEqual(configuration.cacheLimit, 0)
    }
}
