import KivoEngine

/// The versions of a store that values of `Realm.Version` pin. Such a value does not retain the store: when the store closes, its
/// versions are released. Thread-safe.
final class HeldVersions: Sendable {
    private struct State: Sendable {
        weak var store: Store?
        /// The number of pins of each version.
        var pins: [UInt64: Int] = [:]
    }

    private let state = Lock(State())

    /// Returns a pin of a version, which takes over a pin that the caller has made.
    func hold(_ version: UInt64, of store: Store) -> VersionPin {
        state.withLock { state in
            state.store = store
            state.pins[version, default: 0] += 1
        }
        return VersionPin(self, version)
    }

    fileprivate func release(_ version: UInt64) {
        // The store is released outside of the lock: this may be the last reference.
        let store = state.withLock { state -> Store? in
            // A store that is closing releases all versions itself.
            guard let store = state.store, let count = state.pins[version] else { return nil }
            state.pins[version] = count > 1 ? count - 1 : nil
            return store
        }
        store?.unpin(version)
    }

    /// Returns the versions that are still pinned, each as often as it is. Later releases do nothing.
    func close() -> [UInt64] {
        state.withLock { state in
            defer { state.pins = [:] }
            return state.pins.flatMap { Array(repeating: $0.key, count: $0.value) }
        }
    }
}

/// A pin of a version, until it is released.
final class VersionPin: Sendable {
    private let holder: HeldVersions
    private let version: UInt64

    fileprivate init(_ holder: HeldVersions, _ version: UInt64) {
        (self.holder, self.version) = (holder, version)
    }

    deinit { holder.release(version) }
}
