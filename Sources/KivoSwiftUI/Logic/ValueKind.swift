import Kivo

/// A running observation, which ends when it is invalidated or released.
package protocol ChangeObservation: AnyObject {
    /// Ends the observation. Doing it again is harmless.
    func endObserving()
}

extension NotificationToken: ChangeObservation {
    package func endObserving() { invalidate() }
}

extension AnyChangeObservation: ChangeObservation {
    package func endObserving() { invalidate() }
}

/// How values of one type are observed, and what stands in for one that was deleted.
package struct ValueKind<Value: ThreadConfined> {
    /// An event of an observation.
    package enum Event {
        /// The first call, before any change.
        case initial
        /// The value changed, or was deleted.
        case changed
    }

    /// Begins to observe a live value; nil if it is an unmanaged collection, which cannot be observed.
    let observe: (Value, [String]?, @escaping @MainActor (Event) -> Void) -> (any ChangeObservation)?
    /// An empty, unmanaged value.
    let makeDefault: () -> Value

    package init(
        observe:
            @escaping (Value, [String]?, @escaping @MainActor (Event) -> Void) -> (
                any ChangeObservation
            )?, makeDefault: @escaping () -> Value
    ) {
        (self.observe, self.makeDefault) = (observe, makeDefault)
    }
}

extension ValueKind where Value: ObjectBase {
    /// Objects and embedded objects, managed or not.
    package static var object: ValueKind {
        ValueKind(
            observe: { object, keyPaths, report in
                let changed = { MainActor.assumeIsolated { report(.changed) } }
                if object.realm == nil { return object.observeAnyChange(changed) }
                return object._observe(keyPaths, on: nil) { (_: ObjectChange<ObjectBase>) in changed() }
            }, makeDefault: { Value() })
    }
}

extension ValueKind where Value: ProjectionObservable {
    /// Projections of managed and unmanaged objects.
    package static var projection: ValueKind {
        ValueKind(
            observe: { projection, keyPaths, report in
                let changed = { MainActor.assumeIsolated { report(.changed) } }
                if projection.realm == nil { return projection.rootObject.observeAnyChange(changed) }
                return projection._observe(keyPaths, on: nil) { (_: ObjectChange<Value>) in changed() }
            }, makeDefault: { Value(projecting: Value.Root()) })
    }
}

extension ValueKind where Value: RealmCollection {
    /// Lists, sets and results.
    package static func collection(default makeDefault: @escaping () -> Value) -> ValueKind {
        ValueKind(
            observe: { collection, keyPaths, report in
                if collection.realm == nil { return nil }
                return collection._observe(keyPaths, on: nil) { (change: RealmCollectionChange<Value>) in
                    let event: Event
                    if case .initial = change { event = .initial } else { event = .changed }
                    MainActor.assumeIsolated { report(event) }
                }
            }, makeDefault: makeDefault)
    }
}

extension ValueKind where Value: RealmKeyedCollection {
    /// Maps.
    package static func map(default makeDefault: @escaping () -> Value) -> ValueKind {
        ValueKind(
            observe: { map, keyPaths, report in
                if map.realm == nil { return nil }
                return map._observe(keyPaths, on: nil) { (change: RealmMapChange<Value>) in
                    let event: Event
                    if case .initial = change { event = .initial } else { event = .changed }
                    MainActor.assumeIsolated { report(event) }
                }
            }, makeDefault: makeDefault)
    }
}
