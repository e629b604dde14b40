import Foundation
import Kivo
import Synchronization

/// Observers that are called at a pace of their own.
extension Rows {
    static var paced: [Row] {
        [
            // The processor's time for each second, of a listener's thread: 30 % of a core.
            Row("pace.told", .pace, .ms, .atMost(300)) { fixtures in
                try told(fixtures, pacing: .every(.milliseconds(16)))
            },
            Row("pace.everyTurn", .pace, .ms, nil) { fixtures in try told(fixtures, pacing: .everyTurn) },
            Row("pace.memory", .pace, .bytes, .atMost(2_097_152)) { fixtures in
                let commits = fixtures.size(100_000)
                return Samples(try (0..<5).map { _ in try MemoryProbe.paused.askChild(commits) })
            },
        ]
    }

    /// Measures the time that a listener of sorted rows takes on its thread, while another thread commits 10,000 times a second.
    private static func told(_ fixtures: Fixtures, pacing: Realm.Pacing) throws -> Samples {
        let configuration = Realm.Configuration(
            inMemoryIdentifier: "kivo-bench-pace", objectTypes: [Item.self, Holder.self])
        let realm = try Realm(configuration: configuration)
        let count = fixtures.size(100_000)
        try realm.addItems(count, name: ItemData.name)
        let sorted = realm.objects(Item.self).sorted(byKeyPath: "value")
        var (calls, shown) = (0, 0)
        let token = sorted.observe(pacing: pacing) { change in
            guard case .update(let items, _, _, _) = change else { return }
            calls += 1
            // What a table shows of it.
            for index in 0..<min(20, items.count) { shown &+= items[index].value }
        }
        realm.refresh()
        let writer = SteadyWriter(configuration, count)
        let samples = (0..<5).map { _ in
            let (start, begin) = (threadTime(), ContinuousClock.now)
            let end = begin + .milliseconds(400)
            while ContinuousClock.now < end {
                _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05))
            }
            let passed = (ContinuousClock.now - begin).components
            let seconds = Double(passed.seconds) + Double(passed.attoseconds) / 1e18
            return Double(threadTime() - start) / seconds
        }
        writer.end()
        expect(calls > 0 && writer.commits > 0, "pace.told was told nothing")
        keep(shown)
        token.invalidate()
        return Samples(samples)
    }

    /// The processor's time of this thread, in nanoseconds.
    private static func threadTime() -> UInt64 {
        #if os(Windows)
        0
        #else
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
        #endif
    }
}

/// A thread that changes a random row every tenth of a millisecond.
private final class SteadyWriter: Sendable {
    private let isEnding = Atomic(false)
    private let count = Atomic(0)
    private let done = DispatchSemaphore(value: 0)

    init(_ configuration: Realm.Configuration, _ rows: Int) {
        Thread { [self] in
            write(configuration, rows)
            done.signal()
        }.start()
    }

    var commits: Int { count.load(ordering: .relaxed) }

    private func write(_ configuration: Realm.Configuration, _ rows: Int) {
        guard let realm = try? Realm(configuration: configuration) else { return }
        let items = realm.objects(Item.self)
        var random = SplitMix64(state: 48)
        var next = ContinuousClock.now
        while !isEnding.load(ordering: .relaxed) {
            try? realm.write { items[random.below(rows)].value = random.value() }
            count.add(1, ordering: .relaxed)
            next = max(next + .microseconds(100), .now - .milliseconds(1))
            let wait = (next - .now).components.attoseconds / 1_000_000_000
            if wait > 0 { Thread.sleep(forTimeInterval: Double(wait) / 1e9) }
        }
    }

    func end() {
        isEnding.store(true, ordering: .relaxed)
        done.wait()
    }
}

/// An observer that is paused while the realm commits.
enum PausedObserver {
    /// Returns the number of resident bytes by which the process grows during some commits.
    static func bytes(commits: Int) throws -> Double {
        let configuration = Realm.Configuration(
            inMemoryIdentifier: "kivo-bench-paused", objectTypes: [Item.self, Holder.self])
        let realm = try Realm(configuration: configuration)
        try realm.addItems(1_000, name: ItemData.name)
        let items = realm.objects(Item.self)
        var modified = 0
        let token = items.observe(pacing: .everyTurn) { change in
            if case .update(_, _, _, let modifications) = change { modified = modifications.count }
        }
        realm.refresh()
        token.pause()
        var random = SplitMix64(state: 11)
        func commit(_ count: Int) throws {
            for _ in 0..<count {
                try realm.write { items[random.below(1_000)].value = random.value() }
            }
        }
        // The first commits load code and tables of a fixed size.
        try commit(1_000)
        token.deliverNow()
        let before = MemoryProbe.resident()
        try commit(commits)
        let bytes = MemoryProbe.resident() - before
        token.deliverNow()
        expect(modified == 1_000, "pace.memory: \(modified) items changed")
        return Double(bytes)
    }
}
