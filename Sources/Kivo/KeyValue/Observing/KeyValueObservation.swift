import Foundation

/// A change, as a typed key-value observer is told of it.
public struct KeyValueObservedChange<Value> {
    /// What kind of change it is.
    public let kind: NSKeyValueChange
    /// The value after the change, if asked for: of a collection that gained or replaced elements, those. Present-and-nil
    /// is `.some(nil)`.
    public let newValue: Value?
    /// The value before the change, if asked for: of a collection that lost or replaced elements, those.
    /// Present-and-nil is `.some(nil)`.
    public let oldValue: Value?
    /// The positions of the affected elements of an ordered collection: after the change for insertions, before it
    /// otherwise.
    public let indexes: IndexSet?
    /// Whether this is the notification before the change.
    public let isPrior: Bool

    @inlinable
    init(kind: NSKeyValueChange, newValue: Value?, oldValue: Value?, indexes: IndexSet?, isPrior: Bool) {
        self.kind = kind
        self.newValue = newValue
        self.oldValue = oldValue
        self.indexes = indexes
        self.isPrior = isPrior
    }
}

/// Keeps a typed key-value observation alive: it ends when invalidated or released.
///
/// Does not keep the observed object alive. That of a managed object can be invalidated and released on any thread; if
/// that is not the object's own, the handler is let go of there, soon after.
public final class KeyValueObservation {
    private var observation: KeyValueRegistration?

    @usableFromInline
    init(_ observation: KeyValueRegistration) { self.observation = observation }

    deinit { invalidate() }

    /// Ends the observation. Doing it again is harmless.
    public func invalidate() {
        guard let observation = observation.take() else { return }
        KeyValueRegistration.end(consume observation)
    }
}
