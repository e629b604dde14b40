import Foundation
import Kivo
import Synchronization

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
