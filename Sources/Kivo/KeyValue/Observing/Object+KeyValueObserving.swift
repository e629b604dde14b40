import Foundation
import KivoEngine

/// An object that can be observed by typed key path.
public protocol _KeyValueObservedObject: AnyObject {}

extension ObjectBase: _KeyValueObservedObject {}

extension _KeyValueObservedObject where Self: ObjectBase {
    /// Observes a key path.
    ///
    /// The handler is called inside each assignment, even of an equal value. For managed objects it is also called when the realm
    /// advances to a newer version: then once, with the first and the last value. A path through links follows them. Each
    /// component is watched, and one change calls the handler once, even if several key paths lead to it. Lists are observed
    /// through their property, with kinds and indexes. `isInvalidated` is observed like a property, and so are computed
    /// properties if the class declares their dependencies.
    ///
    /// From realm-swift's page "React to Changes", "Key-value Observation".
    ///
    /// - Parameters:
    ///   - keyPath: the key path to observe.
    ///   - options: the values and the additional notifications that the handler receives.
    ///   - changeHandler: the closure that is called with each change.
    /// - Returns: a token that keeps the observation alive; it does not keep the object alive.
    /// - Precondition: The key path is persisted, or declared to depend on persisted properties. It leads neither to linking objects
    ///   nor into the elements of a collection.
    @inlinable
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping (Self, KeyValueObservedChange<Value>) -> Void
    ) -> KeyValueObservation {
        let path = kivoWatched(keyPath)
        let observation: TypedObservation
        if kivoIsDirect(path) {
            observation = kivoDirect(keyPath, path, options, changeHandler)
        } else {
            observation = TypedObservation(
                path, options,
                general: { subject, notice in
                    let subject = unsafeDowncast(subject, to: Self.self)
                    let old = notice.old.isAbsent ? nil : TypedObservation.typed(notice.old, subject, keyPath)
                    let new = notice.new.isAbsent ? nil : TypedObservation.typed(notice.new, subject, keyPath)
                    changeHandler(
                        subject,
                        KeyValueObservedChange(
                            kind: notice.kind.change, newValue: new, oldValue: old,
                            indexes: notice.kind.indexes, isPrior: notice.isPrior))
                })
        }
        kivoAdd(observation)
        return KeyValueObservation(observation)
    }

    /// Creates an observation of a property that is not a collection. Its values are read with their own type.
    @inlinable @inline(__always)
    func kivoDirect<Value>(
        _ keyPath: KeyPath<Self, Value>, _ path: WatchedKeyPath, _ options: NSKeyValueObservingOptions,
        _ handler: @escaping (Self, KeyValueObservedChange<Value>) -> Void
    ) -> TypedObservation {
        let (wantsOld, wantsNew) = (options.contains(.old), options.contains(.new))
        let offset = kivoOffset(path)
        let olds = wantsOld ? TypedObservation.OldValues<Value>() : nil
        return TypedObservation(
            path, options,
            direct: { subject, stage, observation in
                let subject = unsafeDowncast(subject, to: Self.self)
                var (old, new): (Value?, Value?)
                var isPrior = false
                switch stage {
                case .will(let hasPrior):
                    if wantsOld { olds?.push(subject.kivoRead(keyPath, offset, observation)) }
                    if !hasPrior { return }
                    isPrior = true
                    old = olds?.last ?? nil
                case .did:
                    if wantsOld { old = olds?.pop() }
                    if wantsNew { new = subject.kivoRead(keyPath, offset, observation) }
                case .initial:
                    if wantsNew { new = subject.kivoRead(keyPath, offset, observation) }
                }
                handler(
                    subject,
                    KeyValueObservedChange(
                        kind: .setting, newValue: new, oldValue: old, indexes: nil, isPrior: isPrior))
            })
    }

    /// Returns the value of a property that is not a collection. An unmanaged object's value is read from its storage, if the
    /// offset is known.
    @inlinable @inline(__always)
    func kivoRead<Value>(
        _ keyPath: KeyPath<Self, Value>, _ offset: Int, _ observation: TypedObservation
    ) -> Value? {
        if offset >= 0, kivoRow.columns == nil {
            let address = Unmanaged.passUnretained(self).toOpaque() + offset
            // The value is the wrapper's first field.
            if let value = address.assumingMemoryBound(to: Value?.self).pointee { return value }
        }
        return observation.isReadable(self) ? self[keyPath: keyPath] : TypedObservation.missing()
    }
}

extension ObjectBase {
    /// Registers an observer of a key path by name.
    ///
    /// - Parameters:
    ///   - observer: the object that is notified of changes; held weakly.
    ///   - keyPath: the name of a property, a path through links, `"isInvalidated"`, or a collection operator at the end of a
    ///     path, as in `"dogs.@count"`. A key that the class does not have is never notified, unless the class announces changes
    ///     of it.
    ///   - options: the values and the additional notifications that the observer receives.
    ///   - context: a pointer that each notification passes back; it also distinguishes registrations.
    /// - Precondition: The key path does not lead to linking objects or into the elements of a collection.
    public final func addObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String,
        options: NSKeyValueObservingOptions = [],
        context: UnsafeMutableRawPointer? = nil
    ) {
        let path = WatchedKeyPath(keyPath)
        kivoAdd(NamedObservation(observer, path, options, context))
    }

    /// Removes the last registration of an observer for a key path, with any context.
    ///
    /// - Precondition: There is a registration of the observer.
    public final func removeObserver(_ observer: any KeyValueObserver, forKeyPath keyPath: String) {
        kivoRemove(observer, keyPath, nil)
    }

    /// Removes the last registration of an observer for a key path with a context.
    ///
    /// - Precondition: There is a registration of the observer.
    public final func removeObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?
    ) {
        kivoRemove(observer, keyPath, .some(context))
    }

    private final func kivoRemove(
        _ observer: any KeyValueObserver, _ keyPath: String, _ context: UnsafeMutableRawPointer??
    ) {
        if kivoObservations?.remove(observer, keyPath, context) ?? false || kivoIsPrototype { return }
        trap(
            """
            Cannot remove an observer of '\(keyPath)' from an object of class '\(type(of: self).className())': it is \
            not registered.
            """)
    }

    /// Returns the components of a typed key path.
    @usableFromInline
    final func kivoWatched(_ keyPath: AnyKeyPath) -> WatchedKeyPath {
        if kivoAttachment == nil, kivoIsPrototype { return WatchedKeyPath("", []) }
        return (kivoObservations?.info ?? kivoInfo).keyValue.watched(keyPath)
    }

    @usableFromInline
    final func kivoIsDirect(_ path: WatchedKeyPath) -> Bool { path.isDirect }

    @usableFromInline
    final func kivoOffset(_ path: WatchedKeyPath) -> Int { path.offset }

    /// Whether only the class registry uses this instance. The registry runs initialisers, which may register observers.
    private final var kivoIsPrototype: Bool {
        if kivoState.contains(.recording) { return true }
        return kivoAttachment == nil && Registry.isLocating(type(of: self))
    }

    @usableFromInline
    final func kivoAdd(_ observation: KeyValueRegistration) {
        if kivoAttachment == nil, kivoIsPrototype { return }
        if isFrozen { trap("An object of a frozen realm does not change and cannot be observed.") }
        if isManaged, observation.path.text != "isInvalidated", observation.path.text != "invalidated" {
            locateOrTrap()
        }
        let observations = kivoMakeObservations()
        if observation.path.head == nil { observation.path.check(from: observations.info!) }
        observations.add(observation)
    }

    /// The class's description.
    final var kivoInfo: ClassInfo { isManaged ? kivoContext.info : Registry.info(type(of: self)) }

    /// The observations, or nil if none were ever needed.
    final var kivoObservations: Observations? {
        guard let attachment = kivoAttachment, !kivoState.contains(.recording) else { return nil }
        return unsafeDowncast(attachment, to: Observations.self)
    }

    /// Ends the observations of a managed object that is being torn down. An unmanaged object releases its observations itself.
    @inline(never)
    final func kivoEndObservations() {
        if isManaged, let observations = takeObservations() { Observations.endWithSubject(observations) }
    }

    /// Transfers ownership of the observations to the caller.
    private final func takeObservations() -> Unmanaged<AnyObject>? {
        guard let observations = kivoObservations else { return nil }
        kivoAttachment = nil
        return Unmanaged.passRetained(observations)
    }

    final func kivoMakeObservations() -> Observations {
        if isManaged {
            kivoInstance!.checkConfinement { "an object of class '\(self.kivoContext.info.name)'" }
        }
        if let known = kivoObservations { return known }
        let row = isManaged ? RowID(table: kivoContext.table, key: kivoRow.key) : nil
        let info = kivoInfo
        let observations = Observations(self, info, kivoInstance, row)
        kivoAttachment = observations
        if !isManaged { kivoAdoptCollections(info, observations) }
        return observations
    }

    /// Makes the collections of an unmanaged object report their changes to its observations.
    private final func kivoAdoptCollections(_ info: ClassInfo, _ observations: Observations) {
        info.bindUnmanaged(self)
        guard info.hasCollections else { return }
        for property in info.properties where property.wrapper.isCached {
            let held = property.wrapper.held(property.address(in: self)) as? any ChangesByItself
            if let held { observations.adopt(held.parent, property.column) }
        }
    }

    /// Returns the value of a key for observers. An invalidated object has only `isInvalidated`, ignored properties and the
    /// collections that it cached.
    final func kivoObservedValue(_ name: String) -> Any? {
        if name == "isInvalidated" { return isInvalidated }
        if isManaged, isInvalidated {
            if let property = kivoContext.info.ignoredProperty(named: name) {
                return property.wrapper.value(property.address(in: self))
            }
            guard let property = kivoContext.info.property(named: name) else { return nil }
            return property.wrapper.cachedCollection(property.address(in: self))
        }
        return value(forKey: name)
    }
}
