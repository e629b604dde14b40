import Dispatch
import Foundation
import Kivo
import Synchronization

extension Rows {
    static var asynchronous: [Row] {
        [
            Row("thread.latency/scheduler", .delivery, .us, .atMost(100), measure: latencyOfTurns),
            Row("thread.latency/refresh", .delivery, .us, .atMost(30), measure: latencyOfRefreshes),
            Row("async.writes", .delivery, .us, .atMost(10), usesDisk: true, measure: writeInGroups),
            Row("async.overhead", .delivery, .us, .atMost(5), measure: writeAsynchronously),
        ]
    }

    /// Measures from the beginning of another thread's write to the callback on this thread, which sleeps in its run loop.
    private static func latencyOfTurns(_ fixtures: Fixtures) throws -> Samples {
        try latency(fixtures, "thread.latency/scheduler") { _, told, written in
            while told() == 0 { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
            written.wait()
        }
    }

    /// Measures the same latency when a condition variable wakes this thread, which then refreshes.
    private static func latencyOfRefreshes(_ fixtures: Fixtures) throws -> Samples {
        try latency(fixtures, "thread.latency/refresh") { realm, told, written in
            written.wait()
            _ = realm.refresh()
            expect(told() == 1, "thread.latency/refresh: a refresh told nobody")
        }
    }

    private static func latency(
        _ fixtures: Fixtures, _ name: String, _ wait: (Realm, () -> Int, Signal) -> Void
    ) throws -> Samples {
        let store = try fixtures.items(1_000)
        let item = store.realm.objects(Item.self)[0]
        var (calls, end) = (0, UInt64(0))
        let token = item.observe { (_: ObjectChange<Item>) in
            calls += 1
            end = DispatchTime.now().uptimeNanoseconds
        }
        defer { token.invalidate() }
        try store.settle()
        let writer = LatencyWriter(store.configuration)
        defer { writer.stop() }
        return Sampling.steps(atMost: 2_000) {
            // After this pause the other thread sleeps, and this one is about to sleep.
            Thread.sleep(forTimeInterval: 0.0005)
            calls = 0
            writer.write()
            wait(store.realm, { calls }, writer.written)
            expect(calls == 1, "\(name): \(calls) calls")
            return Double(end - writer.begun.load(ordering: .acquiring))
        }
    }

    /// Measures queued writes of one value each, from the first call until the last write is durable.
    private static func writeInGroups(_ fixtures: Fixtures) throws -> Samples {
        let realm = try Realm(configuration: try fixtures.fileConfiguration())
        try realm.addItems(fixtures.size(1_000), name: ItemData.name)
        let item = realm.objects(Item.self)[fixtures.size(1_000) / 2]
        let count = fixtures.size(10_000)
        return try Sampling.repetitions { try asynchronousWrites(realm, item, count) / Double(count) }
    }

    /// Measures the extra cost of a queued write in memory, compared with a synchronous one in the same round.
    private static func writeAsynchronously(_ fixtures: Fixtures) throws -> Samples {
        let realm = try fixtures.items(1_000).realm
        let item = realm.objects(Item.self)[fixtures.size(1_000) / 2]
        let count = fixtures.size(10_000)
        return try Sampling.repetitions(9) {
            let queued = try asynchronousWrites(realm, item, count)
            let atOnce = try nanoseconds {
                for value in 0..<count { try realm.write { item.value = value } }
            }
            return (queued - atOnce) / Double(count)
        }
    }

    private static func asynchronousWrites(_ realm: Realm, _ item: Item, _ count: Int) throws -> Double {
        var (written, completed) = (0, 0)
        let time = nanoseconds {
            for value in 0..<count {
                realm.writeAsync {
                    item.value = value
                    written += 1
                } onComplete: { error in
                    expect(error == nil, "an asynchronous write failed")
                    completed += 1
                }
            }
            while completed < count { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
        }
        expect(written == count && item.value == count - 1, "asynchronous writes are missing")
        return time
    }
}

extension Rows {
    static var streams: [Row] {
        [
            Row("stream.memory", .delivery, .bytes, .atMost(1_048_576)) { fixtures in
                let commits = fixtures.size(100_000)
                return Samples(try (0..<5).map { _ in try MemoryProbe.stream.askChild(commits) })
            },
            Row("stream.hop", .delivery, .us, .atMost(30), measure: hop),
        ]
    }

    /// Measures from a listener's callback to the same change in a loop over the stream, while another thread writes.
    private static func hop(_ fixtures: Fixtures) throws -> Samples {
        let rounds = fixtures.size(2_000)
        return Samples(
            steps: try MainActorRun.wait {
                let configuration = Realm.Configuration(
                    inMemoryIdentifier: "stream.hop", objectTypes: [Item.self, Holder.self])
                let realm = try await Realm(configuration: configuration)
                try realm.addItems(1_000, name: ItemData.name)
                let items = realm.objects(Item.self)
                var called: UInt64 = 0
                let token = items.observe { _ in called = DispatchTime.now().uptimeNanoseconds }
                defer { token.invalidate() }
                var iterator = items.changes.makeAsyncIterator()
                _ = await iterator.next(isolation: MainActor.shared)
                let writer = LatencyWriter(configuration, delay: 0.0002)
                defer { writer.stop() }
                var samples: [Double] = []
                for _ in 0..<rounds {
                    called = 0
                    writer.write()
                    guard
                        case .update(_, [], [], let modified)? = await iterator.next(
                            isolation: MainActor.shared)
                    else { fatalError("kivo-bench: stream.hop was told something else") }
                    expect(modified == [0], "stream.hop was told of another item")
                    // Sometimes the change is in the stream before any listener is called.
                    if called == 0 { continue }
                    samples.append(Double(DispatchTime.now().uptimeNanoseconds - called))
                }
                return samples
            })
    }
}

/// A stream of changes whose consumer is busy while the realm commits.
enum StalledStream {
    /// Returns the number of resident bytes by which the process grows during some commits.
    static func bytes(commits: Int) throws -> Double {
        try MainActorRun.wait {
            let configuration = Realm.Configuration(
                inMemoryIdentifier: "kivo-bench-stream", objectTypes: [Item.self, Holder.self])
            let realm = try await Realm(configuration: configuration)
            try realm.addItems(1_000, name: ItemData.name)
            let items = realm.objects(Item.self)
            var iterator = items.changes.makeAsyncIterator()
            _ = await iterator.next(isolation: MainActor.shared)
            var random = SplitMix64(state: 11)
            func commit(_ count: Int) throws {
                for _ in 0..<count {
                    try realm.write { items[Int(random.next() % 1_000)].value = random.value() }
                }
            }
            // The first commits load code and tables of a fixed size.
            try commit(1_000)
            guard case .update? = await iterator.next(isolation: MainActor.shared) else {
                fatalError("kivo-bench: a busy consumer was told nothing")
            }
            let before = MemoryProbe.resident()
            try commit(commits)
            let bytes = MemoryProbe.resident() - before
            guard
                case .update(_, [], [], let modifications)? = await iterator.next(isolation: MainActor.shared)
            else { fatalError("kivo-bench: a busy consumer was told something else") }
            expect(modifications.count == 1_000, "stream.memory: \(modifications.count) items changed")
            return Double(bytes)
        }
    }
}

/// Runs code of the main actor from the main thread, and returns when it is done.
enum MainActorRun {
    static func wait<Value: Sendable>(
        _ body: @escaping @MainActor @Sendable () async throws -> Value
    ) throws -> Value {
        let outcome = Outcome<Value>()
        Task { @MainActor in
            do { outcome.set(.success(try await body())) } catch { outcome.set(.failure(error)) }
        }
        while true {
            if let result = outcome.value { return try result.get() }
            _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
        }
    }

    private final class Outcome<Value: Sendable>: Sendable {
        private let state = Mutex<Result<Value, any Error>?>(nil)

        var value: Result<Value, any Error>? { state.withLock { $0 } }

        func set(_ value: Result<Value, any Error>) { state.withLock { $0 = value } }
    }
}
