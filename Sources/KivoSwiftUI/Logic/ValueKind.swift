import Kivo

/// A running observation. It ends when it is invalidated or released.
package protocol ChangeObservation: AnyObject {
    /// Ends the observation. Further calls have no effect.
    func endObserving()
}

extension NotificationToken: ChangeObservation {
    package func endObserving() { invalidate() }
}

extension AnyChangeObservation: ChangeObservation {
    package func endObserving() { invalidate() }
}

/// The functions that observe values of one type, and that create the substitute for a deleted one.
package struct ValueKind<Value: ThreadConfined> {
    /// An event of an observation.
    package enum Event {
        /// The first call, before any change.
        case initial
        /// The value changed, or was deleted.
        case changed
    }

    /// Begins to observe a live value, at a pace if it is a collection. Returns nil if the value is an unmanaged collection, which cannot
    /// be observed.
    let observe:
        (Value, [String]?, Realm.Pacing, @escaping @MainActor (Event) -> Void) -> (any ChangeObservation)?
    /// Returns an empty, unmanaged value.
    let makeDefault: () -> Value

    package init(
        observe:
            @escaping (Value, [String]?, Realm.Pacing, @escaping @MainActor (Event) -> Void) -> (
                any ChangeObservation
            )?, makeDefault: @escaping () -> Value
    ) {
        (self.observe, self.makeDefault) = (observe, makeDefault)
    }
}

extension ValueKind where Value: ObjectBase {
    /// The kind of managed and unmanaged objects and embedded objects.
    package static var object: ValueKind {
        ValueKind(
            observe: { object, keyPaths, _, report in
                let changed = { MainActor.assumeIsolated { report(.changed) } }
                if object.realm == nil { return object.observeAnyChange(changed) }
                return object._observe(keyPaths, on: nil) { (_: ObjectChange<ObjectBase>) in changed() }
            }, makeDefault: { Value() })
    }
}

extension ValueKind where Value: ProjectionObservable {
    /// The kind of projections of managed and unmanaged objects.
    package static var projection: ValueKind {
        ValueKind(
            observe: { projection, keyPaths, _, report in
                let changed = { MainActor.assumeIsolated { report(.changed) } }
                if projection.realm == nil { return projection.rootObject.observeAnyChange(changed) }
                return projection._observe(keyPaths, on: nil) { (_: ObjectChange<Value>) in changed() }
            }, makeDefault: { Value(projecting: Value.Root()) })
    }
}

extension ValueKind where Value: RealmCollection {
    /// Returns the kind of lists, sets and results.
    package static func collection(default makeDefault: @escaping () -> Value) -> ValueKind {
        ValueKind(
            observe: { collection, keyPaths, pacing, report in
                if collection.realm == nil { return nil }
                let block = { (change: RealmCollectionChange<Value>) in
                    let event: Event
                    if case .initial = change { event = .initial } else { event = .changed }
                    MainActor.assumeIsolated { report(event) }
                }
                if pacing == .everyTurn { return collection._observe(keyPaths, on: nil, calling: block) }
                return collection.observe(keyPaths: keyPaths, pacing: pacing, block)
            }, makeDefault: makeDefault)
    }
}

extension ValueKind where Value: RealmKeyedCollection {
    /// Returns the kind of maps.
    package static func map(default makeDefault: @escaping () -> Value) -> ValueKind {
        ValueKind(
            observe: { map, keyPaths, _, report in
                if map.realm == nil { return nil }
                return map._observe(keyPaths, on: nil) { (change: RealmMapChange<Value>) in
                    let event: Event
                    if case .initial = change { event = .initial } else { event = .changed }
                    MainActor.assumeIsolated { report(event) }
                }
            }, makeDefault: makeDefault)
    }
}
