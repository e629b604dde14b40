import KivoObserving

/// An observation of all properties of one object, before and after it becomes managed. Ends when invalidated or released.
package final class AnyChangeObservation {
    private var registrations: [CallbackRegistration]

    fileprivate init(_ registrations: [CallbackRegistration]) { self.registrations = registrations }

    deinit { invalidate() }

    /// Ends the observation. Further calls have no effect.
    package func invalidate() {
        while let registration = registrations.popLast() { KeyValueRegistration.end(registration) }
    }
}

extension ObjectBase {
    /// Observes every persisted property of the object, and its deletion.
    ///
    /// Unlike other key-value observers, this one does not prevent an unmanaged object from being added to a realm: it continues
    /// with the managed object. For user interfaces, which observe objects that a form edits before they are saved.
    ///
    /// - Parameter body: a closure that is called inside each assignment, and inside each mutation of a collection.
    /// - Returns: a token that keeps the observation alive; it does not keep the object alive.
    package final func observeAnyChange(_ body: @escaping () -> Void) -> AnyChangeObservation {
        let names = kivoInfo.properties.filter(\.isStored).map(\.name) + ["isInvalidated"]
        return AnyChangeObservation(
            names.map { name in
                let registration = CallbackRegistration(WatchedKeyPath(name), isCarried: true) { moment in
                    if case .did = moment { body() }
                }
                kivoInfo.keyValue.register(registration, on: self)
                return registration
            })
    }

    /// Whether a key of this instance is observed, for tests.
    package final var isObservedByKey: Bool { kivoState.contains(.observed) }
}
