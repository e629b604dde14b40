import Foundation
import KivoEngine
// Key-value observing and coding of classes that are no models, with the types that models have in common with them.
@_exported import KivoObserving

extension ObjectBase: KeyValueObservable {
    public final var _observing: _ObservedClass {
        if let observations = kivoObservations { return _ObservedClass(observations.subjectClass) }
        if kivoIsPrototype {
            return _ObservedClass(KeylessClass.prototype)
        }
        return _ObservedClass(kivoInfo.keyValue)
    }

    /// Whether only the class registry uses this instance. The registry runs initialisers, which may register observers.
    final var kivoIsPrototype: Bool {
        if kivoState.contains(.recording) { return true }
        return kivoAttachment == nil && Registry.isLocating(type(of: self))
    }

    /// The class's description.
    final var kivoInfo: ClassInfo { isManaged ? kivoContext.info : Registry.info(type(of: self)) }

    /// The observations, or nil if none were ever needed.
    final var kivoObservations: KeyValueObservations? {
        guard let attachment = kivoAttachment, !kivoState.contains(.recording) else { return nil }
        return unsafeDowncast(attachment, to: KeyValueObservations.self)
    }

    /// Ends the observations of a managed object that is being torn down. An unmanaged object releases its observations itself.
    @inline(never)
    final func kivoEndObservations() {
        if isManaged, let observations = takeObservations() {
            KeyValueObservations.endWithSubject(observations)
        }
    }

    /// Transfers ownership of the observations to the caller.
    private final func takeObservations() -> Unmanaged<AnyObject>? {
        guard let observations = kivoObservations else { return nil }
        kivoAttachment = nil
        return Unmanaged.passRetained(observations)
    }

    final func kivoMakeObservations() -> KeyValueObservations {
        if isManaged {
            kivoInstance!.checkConfinement { "an object of class '\(self.kivoContext.info.name)'" }
        }
        if let known = kivoObservations { return known }
        let host = kivoInstance.map { RowHost(self, RowID(table: kivoContext.table, key: kivoRow.key), $0) }
        let info = kivoInfo
        let observations = KeyValueObservations(self, info.keyValue, host: host)
        kivoAttachment = observations
        if !isManaged { kivoAdoptCollections(info, observations) }
        return observations
    }

    /// Makes the collections of an unmanaged object report their changes to its observations.
    private final func kivoAdoptCollections(_ info: ClassInfo, _ observations: KeyValueObservations) {
        info.bindUnmanaged(self)
        guard info.hasCollections else { return }
        for property in info.properties where property.wrapper.isCached {
            let held = property.wrapper.held(property.address(in: self)) as? any ChangesByItself
            if let held {
                held.parent.set(observations, property.column)
                observations.append(dependent: held.parent)
            }
        }
    }

    /// Returns the value of a key for observers. An invalidated object has only `isInvalidated`, ignored properties and the
    /// collections that it cached.
    final func kivoObservedValue(_ name: String) -> Any? {
        if name == "isInvalidated" || name == "invalidated" { return isInvalidated }
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

// Key-value observing and coding of classes that are no models, with the types that models' have in common with it.
