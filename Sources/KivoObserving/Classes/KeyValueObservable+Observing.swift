import Foundation

extension KeyValueObservable {
    /// Observes a key path.
    ///
    /// The handler is called inside each assignment, even of an equal value. For managed objects it is also called when the realm
    /// advances to a newer version: then once, with the first and the last value. A path through links follows them. Each
    /// component is watched, and one change calls the handler once, even if several key paths lead to it. Lists are observed
    /// through their property, with kinds and indexes. `isInvalidated` is observed like a property, and so are computed
    /// properties if the class declares their dependencies. In a class that is no model, a computed property without a name
    /// depends on the observed properties that it reads. The key path is read once, when it is first observed.
    ///
    /// A handler that belongs to an actor, as closures in code of the main actor do, is called only there. For changes that happen
    /// elsewhere, iterate over ``values(of:)`` or ``changes(of:options:)``, or declare the handler `@Sendable`: then it belongs to no
    /// actor.
    ///
    /// From realm-swift's page "React to Changes", "Key-value Observation".
    ///
    /// - Parameters:
    ///   - keyPath: the key path to observe.
    ///   - options: the values and the additional notifications that the handler receives.
    ///   - changeHandler: the closure that is called with each change.
    /// - Returns: a token that keeps the observation alive; it does not keep the object alive.
    /// - Precondition: The key path of a model is persisted, or declared to depend on persisted properties. It leads neither to
    ///   linking objects nor into the elements of a collection. It unwraps no property with `!` that is nil now. In a plain
    ///   class it reads a property that is observed, or is named or announced. The property is changed only on the actor to which
    ///   the handler belongs, if it belongs to one.
    @inlinable
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping @isolated(any) (Self, KeyValueObservedChange<Value>) -> Void
    ) -> KeyValueObservation {
        let path = TypedObservation.watched(keyPath, of: self)
        let observation =
            path.isDirect
            ? TypedObservation.direct(self, keyPath, path, options, changeHandler)
            : TypedObservation.general(self, keyPath, path, options, changeHandler)
        return observation.token(self)
    }

    /// Registers an observer of a key path by name.
    ///
    /// - Parameters:
    ///   - observer: the object that is notified of changes; held weakly.
    ///   - keyPath: the name of a property, a path through links, `"isInvalidated"`, or a collection operator at the end of a
    ///     path, as in `"dogs.@count"`.
    ///   - options: the values and the additional notifications that the observer receives.
    ///   - context: a pointer that each notification passes back; it also distinguishes registrations.
    /// - Precondition: The key path does not lead to linking objects or into the elements of a collection. In a plain class it
    ///   leads through a property that is observed, named or announced.
    public func addObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String,
        options: NSKeyValueObservingOptions = [],
        context: UnsafeMutableRawPointer?
    ) {
        _observing.base.register(
            NamedObservation(observer, WatchedKeyPath(keyPath), options, context), on: self)
    }

    /// Registers an observer of a key path by name, like ``addObserver(_:forKeyPath:options:context:)`` without a context.
    public func addObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = []
    ) {
        _observing.base.register(
            NamedObservation(observer, WatchedKeyPath(keyPath), options, nil), on: self)
    }

    /// Removes the last registration of an observer for a key path, with any context.
    ///
    /// - Precondition: There is a registration of the observer.
    public func removeObserver(_ observer: any KeyValueObserver, forKeyPath keyPath: String) {
        remove(observer, keyPath, nil)
    }

    /// Removes the last registration of an observer for a key path with a context.
    ///
    /// - Precondition: There is a registration of the observer.
    public func removeObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?
    ) {
        remove(observer, keyPath, .some(context))
    }

    private func remove(
        _ observer: any KeyValueObserver, _ keyPath: String, _ context: UnsafeMutableRawPointer??
    ) {
        let subjectClass = _observing.base
        if subjectClass.observations(of: self)?.remove(observer, keyPath, context) ?? false { return }
        if subjectClass.isPrototype(self) { return }
        trap(
            """
            Cannot remove an observer of '\(keyPath)' from an object of class '\(subjectClass.name)': it is not \
            registered.
            """)
    }
}
