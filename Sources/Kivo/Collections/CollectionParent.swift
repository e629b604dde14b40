import KivoEngine

/// Something that a property keeps, and that changes without being assigned.
protocol ChangesByItself: AnyObject {
    /// Whom it tells of its changes.
    var parent: CollectionParent { get }
}

/// The key-value observing side of a collection: the object that an unmanaged one is a property of, once that property
/// is observed, and observations of the collection itself.
///
/// Confined with the collection.
@usableFromInline
final class CollectionParent {
    /// The observations of the object, which let go of this when they end. Not a weak reference: those make counting
    /// references to the object slow.
    @exclusivity(unchecked) private unowned(unsafe) var observations: Observations?
    private var column = 0
    /// The observations of the collection itself.
    var ownObservations: Observations?
    /// The recorder, if the collection was returned by a recording instance.
    var recorder: KeyPathRecorder?

    deinit { if let observations = takeObservations() { Observations.endWithSubject(observations) } }

    /// Gives the reference to the observations of a managed collection away.
    private func takeObservations() -> Unmanaged<Observations>? {
        guard let own = ownObservations, own.isManaged else { return nil }
        ownObservations = nil
        return Unmanaged.passRetained(own)
    }

    /// Starts to report changes as those of a column; with nil, ends that.
    func set(_ observations: Observations?, _ column: Int) {
        self.observations = observations
        self.column = column
    }

    /// Carries out a change, telling key-value observers of the parent.
    @usableFromInline
    func changing(_ kind: CollectionChangeKind, _ body: () -> Void) {
        guard let observations else { return body() }
        observations.changing(column, kind, body)
    }
}
