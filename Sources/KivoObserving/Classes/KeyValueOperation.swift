#if !canImport(ObjectiveC)
import Foundation

/// An operation with the members of ``KeyValueObservable`` and ``KeyValueObserver`` as members that subclasses `override`; see
/// ``KeyValueObject``.
///
/// Observers of the states are notified when the operation becomes ready or is cancelled, and when ``start()`` begins to execute it
/// and ends. An asynchronous operation overrides `start()` and announces its states itself: `willChangeValue(for: \.isFinished)`.
open class KeyValueOperation: Operation, KeyValueObservable, KeyValueObserver, @unchecked Sendable {
    // Proof of `Sendable`: the stored property is atomic; those of subclasses are their affair, as in `Operation`.

    private let readiness = ReportedReadiness()

    /// The operation that this thread is about to execute.
    private static let starting = ThreadLocalPointer()

    /// Cancels the operation, and notifies the observers of `isCancelled`.
    open override func cancel() {
        if isCancelled || isFinished { return super.cancel() }
        (self as any KeyValueObservable).willChangeValue(forKey: "isCancelled")
        super.cancel()
        (self as any KeyValueObservable).didChangeValue(forKey: "isCancelled")
    }

    /// A Boolean value that indicates whether the operation can be executed. Observers are notified on the thread that ends the last
    /// operation on which this one depends, changes the dependencies or cancels.
    open override var isReady: Bool { readiness.checked(self) { super.isReady } }

    /// A Boolean value that indicates whether the operation is executing.
    open override var isExecuting: Bool {
        let isExecuting = super.isExecuting
        // Foundation reads the state when it has changed, before it calls `main()`.
        let address = Unmanaged.passUnretained(self).toOpaque()
        guard isExecuting, Self.starting.value == address else { return isExecuting }
        Self.starting.value = nil
        (self as any KeyValueObservable).didChangeValue(forKey: "isExecuting")
        (self as any KeyValueObservable).willChangeValue(forKey: "isExecuting")
        return isExecuting
    }

    /// Runs the operation, and notifies the observers of `isExecuting` and `isFinished`: on the thread that runs it, of its end
    /// soon after it has finished.
    open override func start() {
        if isFinished { return super.start() }
        let object = self as any KeyValueObservable
        object.willChangeValue(forKey: "isFinished")
        if isCancelled { super.start() } else { execute(object) }
        object.didChangeValue(forKey: "isFinished")
    }

    private func execute(_ object: any KeyValueObservable) {
        object.willChangeValue(forKey: "isExecuting")
        let outer = Self.starting.value
        let address = Unmanaged.passUnretained(self).toOpaque()
        Self.starting.value = address
        super.start()
        let hasExecuted = Self.starting.value != address
        Self.starting.value = outer
        if hasExecuted { return object.didChangeValue(forKey: "isExecuting") }
        // It was cancelled at the last moment, or the subclass has a state of its own.
        object.withdrawChange(forKey: "isExecuting")
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
