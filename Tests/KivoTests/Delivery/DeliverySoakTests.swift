import Dispatch
import Foundation
import Kivo
import TestRandomness
import XCTest

/// Random writers, and listeners of every kind, on threads, queues, the main run loop and actors, all of one realm at once:
/// each listener's changes are applied to a table, which has to show at every step what its collection holds.
///
/// Takes a few seconds; `KIVO_SOAK_SECONDS=600` in the environment makes it ten minutes, which pays off under the thread
/// sanitizer:
///
///     KIVO_SANITIZE_THREAD=1 KIVO_SOAK_SECONDS=600 swift test --sanitize=thread --filter DeliverySoakTests
final class DeliverySoakTests: FileTestCase {
    private static let seconds =
        ProcessInfo.processInfo.environment["KIVO_SOAK_SECONDS"].flatMap(Double.init)
        ?? Double(TestEffort.count(1, full: 2))

    func testEverybodyWritesAndIsToldInMemory() throws {
        try soak(Realm.Configuration(inMemoryIdentifier: name), seconds: Self.seconds)
    }

    func testEverybodyWritesAndIsToldWithAFile() throws {
        try soak(Realm.Configuration(fileURL: file), seconds: Self.seconds)
    }

    /// The problems that the participants found, and whether they have to end.
    private struct State: Sendable {
        var problems: [String] = []
        var callCount = 0
        var running = 0
    }

    private func soak(_ configuration: Realm.Configuration, seconds: Double) throws {
        let realm = try Realm(configuration: configuration)
        try realm.write {
            realm.add(SoakBox())
            for id in 0..<10 { realm.create(SoakItem.self, value: ["id": id, "value": id * 9]) }
        }
        let end = Date(timeIntervalSinceNow: seconds)
        let state = Shared(State())
        let report: @Sendable (SoakWatcher) -> Void = { watcher in
            let (problems, count) = (watcher.problems, watcher.callCount)
            state.update {
                $0.problems += problems
                $0.callCount += count
                $0.running -= 1
            }
        }
        state.update { $0.running = 6 }
        for number in 0..<2 { startWriter("writer \(number)", configuration, end, state) }
        startThread("refreshing by hand", configuration, end, report) { watcher in
            if !watcher.realm.refresh() { Thread.sleep(forTimeInterval: 0.001) }
        }
        startThread("run loop", configuration, end, report) { _ in
            _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.005))
        }
        startQueue(configuration, end, report)
        Task.detached { await ActorParticipant().run(configuration, end, report) }
        let watcher = SoakWatcher(realm, "main")
        while Date() < end || state.value.running > 0 {
            _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.005))
            if Date() < end { watcher.write() }
        }
        watcher.finish()
        XCTAssertEqual(state.value.problems + watcher.problems, [])
        XCTAssertGreaterThan(state.value.callCount + watcher.callCount, 100)
    }

    /// A thread that only writes.
    private func startWriter(
        _ place: String, _ configuration: Realm.Configuration, _ end: Date, _ state: Shared<State>
    ) {
        Thread {
            do {
                let realm = try Realm(configuration: configuration)
                var edits = SoakEdits("soak \(place)")
                while Date() < end {
                    try realm.write { edits.make(in: realm) }
                    if edits.chance(20) { Thread.sleep(forTimeInterval: 0.001) }
                }
            } catch {
                state.update { $0.problems.append("\(place): \(error)") }
            }
            state.update { $0.running -= 1 }
        }.start()
    }

    /// A thread with listeners, which are called by what `turn` does; it writes now and then.
    private func startThread(
        _ place: String, _ configuration: Realm.Configuration, _ end: Date,
        _ report: @escaping @Sendable (SoakWatcher) -> Void, turn: @escaping @Sendable (SoakWatcher) -> Void
    ) {
        Thread {
            guard let realm = try? Realm(configuration: configuration) else { return }
            let watcher = SoakWatcher(realm, place)
            var edits = SoakEdits("turns \(place)")
            while Date() < end {
                turn(watcher)
                if edits.chance(20) { watcher.write() }
                if edits.chance(5) { watcher.replaceListener() }
            }
            watcher.finish()
            report(watcher)
        }.start()
    }

    /// A watcher that belongs to a serial queue, which the blocks of its turns hand on.
    private final class QueueParticipant: @unchecked Sendable {
        // Touched on the queue only.
        private var watcher: SoakWatcher?
        private let queue = DispatchQueue(label: "soak")

        func start(
            _ configuration: Realm.Configuration, _ end: Date,
            _ report: @escaping @Sendable (SoakWatcher) -> Void
        ) {
            queue.async { [self] in
                guard let realm = try? Realm(configuration: configuration, queue: queue) else { return }
                watcher = SoakWatcher(realm, "queue")
                takeTurn(until: end, report)
            }
        }

        private func takeTurn(until end: Date, _ report: @escaping @Sendable (SoakWatcher) -> Void) {
            queue.asyncAfter(deadline: .now() + 0.002) { [self] in
                guard let watcher else { return }
                if Date() < end {
                    watcher.write()
                    return takeTurn(until: end, report)
                }
                watcher.finish()
                report(watcher)
                self.watcher = nil
            }
        }
    }

    private func startQueue(
        _ configuration: Realm.Configuration, _ end: Date, _ report: @escaping @Sendable (SoakWatcher) -> Void
    ) {
        QueueParticipant().start(configuration, end, report)
    }

    /// A watcher that belongs to an actor, which also writes without waiting for the writer's place.
    private actor ActorParticipant {
        func run(
            _ configuration: Realm.Configuration, _ end: Date,
            _ report: @escaping @Sendable (SoakWatcher) -> Void
        ) async {
            guard let realm = try? await Realm.open(configuration: configuration) else { return }
            let watcher = SoakWatcher(realm, "actor")
            var edits = SoakEdits("turns actor")
            while Date() < end {
                try? await Task.sleep(nanoseconds: 2_000_000)
                watcher.write()
                if edits.chance(30) { try? await realm.asyncWrite { edits.make(in: realm) } }
            }
            watcher.finish()
            report(watcher)
        }
    }
}
