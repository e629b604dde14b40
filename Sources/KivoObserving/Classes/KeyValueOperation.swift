#if !canImport(ObjectiveC)
import Foundation

/// An operation with the members of ``KeyValueObservable`` and ``KeyValueObserver`` as members that subclasses `override`; see
/// ``KeyValueObject``.
///
/// The states have names, and observers are notified when the operation is cancelled and when ``start()`` ends. An asynchronous
/// operation overrides `start()` and announces its states itself, by key path: `willChangeValue(for: \\.isFinished)`.
open class KeyValueOperation: Operation, KeyValueObservable, KeyValueObserver, @unchecked Sendable {
    // Proof of `Sendable`: there are no stored properties; those of subclasses are their affair, as in `Operation`.

    /// Cancels the operation, and notifies the observers of `isCancelled`.
    open override func cancel() {
        if isCancelled || isFinished { return super.cancel() }
        (self as any KeyValueObservable).willChangeValue(forKey: "isCancelled")
        super.cancel()
        (self as any KeyValueObservable).didChangeValue(forKey: "isCancelled")
    }

    /// Runs the operation, and notifies the observers of `isFinished`: on the thread that runs it, soon after it has finished.
    open override func start() {
        if isFinished { return super.start() }
        (self as any KeyValueObservable).willChangeValue(forKey: "isFinished")
        super.start()
        (self as any KeyValueObservable).didChangeValue(forKey: "isFinished")
    }

    /// Returns the key paths on which a key's value depends; see ``KeyValueObservable/keyPathsForValuesAffectingValue(forKey:)``.
    open class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        DeclaredDependencies.keys(affecting: key, of: self)
    }

    /// Returns whether assignments to a key notify observers by themselves; see
    /// ``KeyValueObservable/automaticallyNotifiesObservers(forKey:)``.
    open class func automaticallyNotifiesObservers(forKey key: String) -> Bool { true }

    /// Returns the computed properties that have names: the operation's states. Overrides add to those of `super`.
    open class func computedProperties() -> [String: AnyKeyPath] {
        [
            "isFinished": \Operation.isFinished, "isExecuting": \Operation.isExecuting,
            "isCancelled": \Operation.isCancelled, "isReady": \Operation.isReady,
        ]
    }

    /// A Boolean value that indicates whether all stored properties can be read by name; see
    /// ``KeyValueObservable/accessInstanceVariablesDirectly``.
    open class var accessInstanceVariablesDirectly: Bool { true }

    /// Returns the value of a key; see ``KeyValueObservable/value(forKey:)``.
    open func value(forKey key: String) -> Any? { ReflectedClass.value(of: self, forKey: key) }

    /// Sets the value of a key; see ``KeyValueObservable/setValue(_:forKey:)``.
    open func setValue(_ value: Any?, forKey key: String) {
        ReflectedClass.setValue(value, of: self, forKey: key)
    }

    /// Handles a read of a key that the class does not have. Traps unless a subclass overrides it.
    open func value(forUndefinedKey key: String) -> Any? { ReflectedClass.trapUndefined(key, of: self) }

    /// Handles an assignment to a key that the class does not have. Traps unless a subclass overrides it.
    open func setValue(_ value: Any?, forUndefinedKey key: String) {
        ReflectedClass.trapUndefined(assigned: key, of: self)
    }

    /// Handles an assignment of nil to a property that is not optional. Traps unless a subclass overrides it.
    open func setNilValueForKey(_ key: String) { ReflectedClass.trapNil(key, of: self) }

    /// Receives a notification. Traps unless a subclass that registers as an observer overrides it.
    open func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        NamedObservation.trapUnhandled(keyPath, self)
    }
}
#endif
