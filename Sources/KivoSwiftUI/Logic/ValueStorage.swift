import Kivo

/// The value of `@StateRealmObject` and `@ObservedRealmObject`: an object, a projection, a list, a set or a map.
///
/// It has three forms. The storage holds the *live* value, which is observed and written. Views read its frozen form, or the
/// value itself while it is unmanaged. After it was deleted or its realm invalidated, an empty unmanaged value replaces both.
@MainActor
package final class ValueStorage<Value: ThreadConfined & Equatable> {
    nonisolated package let relay = ChangeRelay()
    private let kind: ValueKind<Value>
    private var held: Value
    private var frozen = FrozenCache<Value>()
    private lazy var substitute = kind.makeDefault()
    private lazy var watch = ChangeWatch(kind, keyPaths: nil) { [weak self] in self?.handle($0) }

    /// Creates a storage of the live form of a value.
    package init(_ value: Value, _ kind: ValueKind<Value>) {
        self.kind = kind
        held = Self.liveForm(value)
        relay.demandChanged = { [weak self] isNeeded in
            guard let self else { return }
            if isNeeded { self.watch.begin(self.held) } else { self.watch.end() }
        }
    }

    /// Returns the live form of a frozen value on the main actor, if it still exists; otherwise the value itself.
    private static func liveForm(_ value: Value) -> Value {
        value.isFrozen && !value.isInvalidated ? value.thaw() ?? value : value
    }

    /// The live value, or an empty one if that no longer exists. Setting it notifies the views.
    package var live: Value {
        get {
            if held.isInvalidated { return substitute }
            watchIfNowPossible()
            return held
        }
        set {
            let value = Self.liveForm(newValue)
            let isAnother = value != held || (value.realm == nil) != (held.realm == nil)
            held = value
            frozen.removeAll()
            if relay.hasSubscribers { watch.begin(value) }
            if isAnother { relay.send() }
        }
    }

    /// The value for views: frozen if it is managed, and an empty one if it no longer exists.
    package var shown: Value {
        if held.isInvalidated { return substitute }
        if held.realm == nil { return held }
        watchIfNowPossible()
        return frozen.frozenForm(of: held)
    }

    /// Begins to observe, if possible: a collection of an unmanaged object can be observed after the object was added to a realm.
    private func watchIfNowPossible() {
        if relay.hasSubscribers, !watch.isRunning { watch.begin(held) }
    }

    private func handle(_ event: ValueKind<Value>.Event) {
        // No later call reports a change between the evaluation of the body and the first call.
        if event == .initial, !frozen.isOutdated(held) { return }
        frozen.removeAll()
        relay.send()
    }
}

/// A cache of the frozen form of a live value, one for each version. Views show and compare the frozen form.
///
/// SwiftUI stores the values of a body and compares them later, when a live value would have changed. All reads of one version
/// return the same frozen value, so that a query is evaluated once for each version.
package struct FrozenCache<Value: ThreadConfined> {
    private var frozen: Value?

    /// Returns the frozen form of a valid, managed value. A value that was created in the open write transaction is returned as
    /// it is.
    package mutating func frozenForm(of live: Value) -> Value {
        guard !live.isFrozen, let realm = live.realm else { return live }
        let version = realm.freeze()
        if let frozen, frozen.realm == version { return frozen }
        // The version before an open write does not have the objects that it created.
        if realm.isInWriteTransaction { return live._handover(version) ?? live }
        let fresh = live.freeze()
        frozen = fresh
        return fresh
    }

    /// Whether the cached frozen form is of another version than the live value.
    package func isOutdated(_ live: Value) -> Bool {
        guard let frozen, !live.isInvalidated, let realm = live.realm else { return false }
        return frozen.realm != realm.freeze()
    }

    /// Releases the frozen form and its version.
    package mutating func removeAll() { frozen = nil }
}
