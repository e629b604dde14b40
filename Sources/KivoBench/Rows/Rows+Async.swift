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
