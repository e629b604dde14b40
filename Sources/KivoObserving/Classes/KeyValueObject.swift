import Foundation

#if canImport(ObjectiveC)
/// The superclass of ``KeyValueObject``: none of Foundation's, which has key-value observing of its own here.
nonisolated open class KeyValueObjectRoot {
    /// Creates an object.
    public init() {}
}
#else
/// The superclass of ``KeyValueObject``.
public typealias KeyValueObjectRoot = NSObject
#endif

/// A base class with the members of ``KeyValueObservable`` and ``KeyValueObserver`` as members that subclasses `override`.
///
/// It stands in for `NSObject` where Foundation has no key-value observing. A class that is written for Cocoa keeps its
/// `override class func keyPathsForValuesAffectingValue(forKey:)`, its `override func observeValue(…)` and its calls of `super`.
/// Other classes need no base class: the conformance to ``KeyValueObservable`` is enough.
nonisolated open class KeyValueObject: KeyValueObjectRoot, KeyValueObservable, KeyValueObserver {
    /// Returns the key paths on which a key's value depends; see ``KeyValueObservable/keyPathsForValuesAffectingValue(forKey:)``.
    open class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        DeclaredDependencies.keys(affecting: key, of: self)
    }

    /// Returns whether assignments to a key notify observers by themselves; see
    /// ``KeyValueObservable/automaticallyNotifiesObservers(forKey:)``.
    open class func automaticallyNotifiesObservers(forKey key: String) -> Bool { true }

    /// Returns the computed properties that have names; see ``KeyValueObservable/computedProperties()``.
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
