import Foundation
import KivoEngine

/// What can be observed by typed key path.
public protocol _KeyValueObservedObject: AnyObject {}

extension ObjectBase: _KeyValueObservedObject {}

extension _KeyValueObservedObject where Self: ObjectBase {
    /// Observes a key path.
    ///
    /// The handler is called inside of each assignment (an equal value counts), for managed objects also when the realm
    /// moves to a newer version: then once, from the first to the last value. A path through links follows them: each of
    /// its parts is watched, and when one changes the handler is called once, whatever leads there. Lists are observed
    /// through their property, with kinds and indexes; `isInvalidated` like a property; computed properties if the
    /// class declares what they depend on.
    ///
    /// From the reference page "React to Changes", "Key-value Observation".
    ///
    /// - Parameters:
    ///   - keyPath: what to observe. Traps if nothing could ever be told about it: if it is neither persisted nor
    ///     declared to depend on what is, if it leads to linking objects or into the elements of a collection.
    ///   - options: what the handler wants to be told.
    ///   - changeHandler: what to call.
    /// - Returns: a token that keeps the observation alive; it does not keep the object alive.
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
                    let old = notice.hasOld ? TypedObservation.typed(notice.old, subject, keyPath) : nil
                    let new = notice.hasNew ? TypedObservation.typed(notice.new, subject, keyPath) : nil
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

    /// An observation of a property that is no collection. Its values are read as they are.
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
                case .will(let isTold):
                    if wantsOld { olds?.push(subject.kivoRead(keyPath, offset, observation)) }
                    if !isTold { return }
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

    /// The value of a property that is no collection; of an unmanaged object from where it is stored, if that is known.
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
    ///   - observer: is told of changes; held weakly.
    ///   - keyPath: the name of a property, a path through links, `"isInvalidated"`, or a collection operator at the end
    ///     of a path, as in `"dogs.@count"`. Traps if it leads to linking objects or into the elements of a collection.
    ///     Nothing is ever told about a key that the class does not have, unless it announces changes of it.
    ///   - options: what the observer wants to be told.
    ///   - context: handed back with each notification, and to tell registrations apart.
    public final func addObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String,
        options: NSKeyValueObservingOptions = [],
        context: UnsafeMutableRawPointer? = nil
    ) {
        let path = WatchedKeyPath(keyPath)
        kivoAdd(NamedObservation(observer, path, options, context))
    }

    /// Removes a registration of an observer for a key path: the last one, whatever its context. Traps if there is none.
    public final func removeObserver(_ observer: any KeyValueObserver, forKeyPath keyPath: String) {
        kivoRemove(observer, keyPath, nil)
    }

    /// Removes a registration of an observer for a key path with a context. Traps if there is none.
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

    /// A typed key path, taken apart.
    @usableFromInline
    final func kivoWatched(_ keyPath: AnyKeyPath) -> WatchedKeyPath {
        if kivoAttachment == nil, kivoIsPrototype { return WatchedKeyPath("", []) }
        return (kivoObservations?.info ?? kivoInfo).keyValue.watched(keyPath)
    }

    @usableFromInline
    final func kivoIsDirect(_ path: WatchedKeyPath) -> Bool { path.isDirect }

    @usableFromInline
    final func kivoOffset(_ path: WatchedKeyPath) -> Int { path.offset }

    /// Whether nobody but the registry uses this instance. Initialisers may register observers nevertheless.
    private final var kivoIsPrototype: Bool {
        if kivoRow.state & RowReference.recording != 0 { return true }
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

    /// The observations, if there ever were any.
    final var kivoObservations: Observations? {
        guard let attachment = kivoAttachment, kivoRow.state & RowReference.recording == 0 else { return nil }
        return unsafeDowncast(attachment, to: Observations.self)
    }

    /// Ends the observations of a managed object that is being torn down. Those of an unmanaged one end with it.
    @inline(never)
    final func kivoEndObservations() {
        if isManaged, let observations = takeObservations() { Observations.endWithSubject(observations) }
    }

    /// Gives the object's reference to its observations away.
    private final func takeObservations() -> Unmanaged<Observations>? {
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

    /// Makes the collections of an unmanaged object report their changes to it.
    private final func kivoAdoptCollections(_ info: ClassInfo, _ observations: Observations) {
        info.bindUnmanaged(self)
        guard info.hasCollections else { return }
        for property in info.properties where property.wrapper.isCached {
            let held = property.wrapper.held(property.address(in: self)) as? any ChangesByItself
            if let held { observations.adopt(held.parent, property.column) }
        }
    }

    /// The value of a key, as observers see it. An object that is gone has nothing but its `isInvalidated` and the
    /// collections it kept.
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

extension Observations {
    /// Removes the last registration that matches; false if there is none.
    func remove(
        _ observer: any KeyValueObserver, _ keyPath: String, _ context: UnsafeMutableRawPointer??
    ) -> Bool {
        let found = registrations.last {
            ($0 as? NamedObservation)?.isRegistration(of: observer, keyPath, context) ?? false
        }
        guard let found else { return false }
        remove(found)
        return true
    }
}
