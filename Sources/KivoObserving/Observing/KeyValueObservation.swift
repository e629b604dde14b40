import Foundation

/// A change that a typed key-value observer receives.
public struct KeyValueObservedChange<Value> {
    /// The kind of the change.
    public let kind: NSKeyValueChange
    /// The value after the change, if the options contain `new`. For inserted or replaced elements of a collection, only the new
    /// elements. A value that is present and nil is `.some(nil)`.
    public let newValue: Value?
    /// The value before the change, if the options contain `old`. For removed or replaced elements of a collection, only the old
    /// elements. A value that is present and nil is `.some(nil)`.
    public let oldValue: Value?
    /// The positions of the affected elements of an ordered collection: after the change for insertions, before it
    /// otherwise.
    public let indexes: IndexSet?
    /// A Boolean value that indicates whether this notification is sent before the change.
    public let isPrior: Bool

    @inlinable
    package init(
        kind: NSKeyValueChange, newValue: Value?, oldValue: Value?, indexes: IndexSet?, isPrior: Bool
    ) {
        self.kind = kind
        self.newValue = newValue
        self.oldValue = oldValue
        self.indexes = indexes
        self.isPrior = isPrior
    }
}

/// A token that keeps a typed key-value observation alive: the observation ends when the token is invalidated or released.
///
/// Store it in a property. The optimizer releases a local variable, and an array of tokens in one, after its last use: before the
/// end of the scope. `withExtendedLifetime(token) { … }` holds it for a piece of code.
///
/// It does not keep the observed object alive. The token of a managed object can be invalidated and released on any thread. If
/// that is a foreign thread, the handler is released on the object's own thread, soon after.
public final class KeyValueObservation {
    private var observation: KeyValueRegistration?

    @usableFromInline
    init(_ observation: KeyValueRegistration) { self.observation = observation }

    deinit { invalidate() }

    /// Ends the observation. Further calls have no effect.
    public func invalidate() {
        guard let observation = observation.take() else { return }
        KeyValueRegistration.end(consume observation)
    }
}
