#if !canImport(ObjectiveC)
import Foundation

/// An operation with the members of ``KeyValueObservable`` and ``KeyValueObserver`` as members that subclasses `override`; see
/// ``KeyValueObject``.
///
/// Observers of the states are notified when the operation becomes ready or is cancelled, and when ``start()`` begins to execute it
/// and ends. An asynchronous operation overrides `start()` and its states. It declares on which ``Observed`` property they depend, by
/// ``keyPathsForValuesAffectingValue(forKey:)``, or announces them itself: `willChangeValue(for: \.isFinished)`.
open class KeyValueOperation: Operation, KeyValueObservable, KeyValueObserver, @unchecked Sendable {
    // Proof of `Sendable`: the stored property is atomic; those of subclasses are their affair, as in `Operation`.

    private let readiness = ReportedReadiness()

    /// Cancels the operation, and notifies the observers of `isCancelled`.
    open override func cancel() {
        if isCancelled || isFinished { return super.cancel() }
        (self as any KeyValueObservable).willChangeValue(forKey: "isCancelled")
        super.cancel()
        (self as any KeyValueObservable).didChangeValue(forKey: "isCancelled")
    }

    /// A Boolean value that indicates whether the operation can be executed. Observers are notified on the thread that ends the last
    /// operation on which this one depends, changes the dependencies or cancels.
    open override var isReady: Bool {
        OperationStates.begin(self)
        return readiness.checked(self) { super.isReady }
    }

    /// A Boolean value that indicates whether the operation is executing.
    open override var isExecuting: Bool { OperationRun.state("isExecuting", of: self, super.isExecuting) }

    /// A Boolean value that indicates whether the operation has finished or was cancelled before it was executed.
    open override var isFinished: Bool { OperationRun.state("isFinished", of: self, super.isFinished) }

    /// Runs the operation, and notifies the observers of `isExecuting` and `isFinished` on the thread that runs it: before the
    /// operations and queues that wait for it continue.
    open override func start() {
        // Observers learn of the end before Foundation notes it: until then a second start would trap there.
        if super.isFinished { return }
        OperationRun.perform(self) { super.start() }
    }

    /// Returns the key paths on which a key's value depends; see ``KeyValueObservable/keyPathsForValuesAffectingValue(forKey:)``.
    open class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        DeclaredDependencies.keys(affecting: key, of: self)
    }

    /// Returns whether assignments to a key notify observers by themselves; see
    /// ``KeyValueObservable/automaticallyNotifiesObservers(forKey:)``.
    open class func automaticallyNotifiesObservers(forKey key: String) -> Bool { true }

    /// Returns the computed properties that have names, besides the operation's states; see
    /// ``KeyValueObservable/computedProperties()``.
    open class func computedProperties() -> [String: AnyKeyPath] { [:] }

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
