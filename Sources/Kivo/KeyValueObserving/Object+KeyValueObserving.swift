import Foundation
import KivoEngine

/// What can be observed by typed key path.
public protocol _KeyValueCodingAndObserving: AnyObject {}

extension ObjectBase: _KeyValueCodingAndObserving {}

extension _KeyValueCodingAndObserving where Self: ObjectBase {
    /// Observes one property by key path.
    ///
    /// The handler is called inside of each assignment (an equal value counts), for managed objects also when the realm
    /// moves to a newer version: then once, from the first to the last value. Lists are observed through their property,
    /// with kinds and indexes, `isInvalidated` like a property. Linking objects cannot be observed.
    ///
    /// From the reference page "React to Changes", "Key-value Observation".
    ///
    /// - Parameters:
    ///   - keyPath: the property. Traps if it is not persisted.
    ///   - options: what the handler wants to be told.
    ///   - changeHandler: what to call.
    /// - Returns: a token that keeps the observation alive; it holds the object weakly.
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        guard let name = KeyPathRecorder.name(of: keyPath, root: type(of: self)) else {
            trap(
                "Key path '\(keyPath)' does not lead to a persisted property of class '\(Self.className())'.")
        }
        let observation = Observation(kivoObservable(name), options) { subject, record in
            guard let subject = subject as? Self else { return }
            changeHandler(
                subject,
                NSKeyValueObservedChange(
                    kind: record.kind, newValue: record.new.flatMap { typed($0) },
                    oldValue: record.old.flatMap { typed($0) }, indexes: record.indexes,
                    isPrior: record.isPrior))
        }
        let observations = kivoMakeObservations()
        observations.add(observation)
        return NSKeyValueObservation(observations, observation)
    }
}

/// A value as an observer's type has it; nil as `.some(nil)` where the type is optional.
private func typed<Value>(_ value: Any?) -> Value? {
    if let value { return value as? Value }
    return (Value.self as? any AnyOptional.Type)?.none as? Value
}

extension ObjectBase {
    /// Registers an observer of a property by name.
    ///
    /// - Parameters:
    ///   - observer: is told of changes; held weakly.
    ///   - keyPath: the name of a persisted property, or `"isInvalidated"`. An unknown one traps.
    ///   - options: what the observer wants to be told.
    ///   - context: handed back with each notification, and to tell registrations apart.
    public final func addObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String,
        options: NSKeyValueObservingOptions = [],
        context: UnsafeMutableRawPointer? = nil
    ) {
        let observation = Observation(kivoObservable(keyPath), options, observer: observer, context: context)
        {
            [weak observer] subject, record in
            observer?.observeValue(
                forKeyPath: keyPath, of: subject, change: record.dictionary, context: context)
        }
        kivoMakeObservations().add(observation)
    }

    /// Removes a registration of an observer for a property: any one, whatever its context. Traps if there is none.
    public final func removeObserver(_ observer: any KeyValueObserver, forKeyPath keyPath: String) {
        kivoRemove(keyPath) { $0.observer === observer }
    }

    /// Removes a registration of an observer for a property with a context. Traps if there is none.
    public final func removeObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?
    ) {
        kivoRemove(keyPath) { $0.observer === observer && $0.context == context }
    }

    private final func kivoRemove(_ keyPath: String, _ isMatch: (Observation) -> Bool) {
        guard let observations = kivoObservations,
            let observation = observations.entries.last(where: { $0.name == keyPath && isMatch($0) })
        else {
            trap(
                """
                Cannot remove an observer of '\(keyPath)' from an object of class '\(type(of: self).className())': it is \
                not registered.
                """)
        }
        observations.remove(observation)
    }

    /// The observations, if there were any.
    final var kivoObservations: Observations? { kivoAttachment as? Observations }

    final func kivoMakeObservations() -> Observations {
        if isManaged { kivoCore!.checkConfinement { "an object of class '\(self.kivoContext.info.name)'" } }
        let observations: Observations
        if let known = kivoObservations {
            observations = known
        } else {
            let row = isManaged ? RowID(table: kivoContext.table, key: kivoRow.key) : nil
            observations = Observations(self, kivoCore, row) { subject, name in
                unsafeDowncast(subject, to: ObjectBase.self).kivoObservedValue(name)
            }
            kivoAttachment = observations
            if !isManaged { kivoAdoptCollections() }
        }
        kivoRow.state |= RowReference.observed
        return observations
    }

    /// Makes the collections of an unmanaged object report their changes to it.
    private final func kivoAdoptCollections() {
        let info = Registry.info(type(of: self))
        info.bind(self)
        for property in info.properties where property.wrapper.isCached {
            (kivoValue(property) as? any AnyAssignableCollection)?.parent.set(self, property.name)
        }
    }

    final func kivoObservedValue(_ name: String) -> Any? {
        if name == "isInvalidated" { return isInvalidated }
        if isManaged, isInvalidated { return nil }
        return kivoValue(kivoProperty(name))
    }

    /// A name that can be observed; traps otherwise.
    final func kivoObservable(_ name: String) -> String {
        if name == "isInvalidated" || name == "invalidated" { return "isInvalidated" }
        if isManaged { locateOrTrap() }
        let info = isManaged ? kivoContext.info : Registry.info(type(of: self))
        if name.contains(".") {
            trap(
                "Key path '\(name)' of class '\(info.name)' leads through links; observe the property itself."
            )
        }
        let property = kivoProperty(name)
        if property.type.collection == .linkingObjects {
            trap(
                """
                Linking objects '\(info.name).\(name)' cannot be observed by key-value observing: use \
                'LinkingObjects.observe'.
                """)
        }
        if isFrozen { trap("An object of a frozen realm does not change and cannot be observed.") }
        return name
    }
}
