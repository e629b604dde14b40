import Kivo

/// The value of `@StateRealmObject` and `@ObservedRealmObject`: an object, a projection, a list, a set or a map.
///
/// It has three forms. Held is the *live* value, which is observed and written. Shown is its frozen form, or the value itself while
/// that is unmanaged. Once it was deleted or its realm invalidated, an empty unmanaged value stands in for both.
@MainActor
package final class ValueStorage<Value: ThreadConfined & Equatable> {
    nonisolated package let relay = ChangeRelay()
    private let kind: ValueKind<Value>
    private var held: Value
    private var frozen = FrozenCache<Value>()
    private lazy var substitute = kind.makeDefault()
    private lazy var watch = ChangeWatch(kind, keyPaths: nil) { [weak self] in self?.handle($0) }

    /// Holds the live form of a value.
    package init(_ value: Value, _ kind: ValueKind<Value>) {
        self.kind = kind
        held = Self.liveForm(value)
        relay.demandChanged = { [weak self] isNeeded in
            guard let self else { return }
            if isNeeded { self.watch.begin(self.held) } else { self.watch.end() }
        }
    }

    /// A frozen value as the live one of the main actor, if that is still there.
    private static func liveForm(_ value: Value) -> Value {
        value.isFrozen && !value.isInvalidated ? value.thaw() ?? value : value
    }

    /// The live value; an empty one if that is gone. Setting it notifies the views.
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

    /// The value as a view shows it: frozen if it is managed; an empty one if it is gone.
    package var shown: Value {
        if held.isInvalidated { return substitute }
        if held.realm == nil { return held }
        watchIfNowPossible()
        return frozen.frozenForm(of: held)
    }

    /// A collection of an unmanaged object can be observed once the object was added to a realm.
    private func watchIfNowPossible() {
        if relay.hasSubscribers, !watch.isRunning { watch.begin(held) }
    }

    private func handle(_ event: ValueKind<Value>.Event) {
        // A change between the evaluation of the body and the first call is in no later call.
        if event == .initial, !frozen.isBehind(held) { return }
        frozen.removeAll()
        relay.send()
    }
}
