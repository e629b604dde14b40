/// What holds a registration: the observations of its subject, or the link of an instance that has no other registration.
@usableFromInline
package class RegistrationHolder {
    /// The observations, if these hold the registration.
    var observations: KeyValueObservations? { nil }

    /// Removes a registration. The caller holds the subject, or the structure's lock if the subject is shared.
    ///
    /// - Returns: what the caller releases outside of any lock.
    @discardableResult
    func detach(_ observation: KeyValueRegistration) -> KeyPathNode? { nil }

    /// Ends a registration on a shared subject that may be torn down at the same time.
    static func end(shared observation: KeyValueRegistration) {
        let root = ObservationLocks.structure.withLock { observation.home?.detach(observation) }
        withExtendedLifetime(root) {}
    }
}
