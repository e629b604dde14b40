import KivoEngine

/// An object in a property that changes without an assignment to the property.
protocol ChangesByItself: AnyObject {
    /// The parent that is notified of its changes.
    var parent: CollectionParent { get }
}

/// The key-value observing state of a collection: for an unmanaged collection, the object whose property it is, once that
/// property is observed; and the observations of the collection itself.
///
/// Confined with the collection.
@usableFromInline
final class CollectionParent {
    /// The observations of the object, which reset this reference when they end. Not a weak reference, because that slows down
    /// reference counting of the object.
    @exclusivity(unchecked) private unowned(unsafe) var observations: Observations?
    private var column = 0
    /// The observations of the collection itself.
    var ownObservations: Observations?
    /// The recorder, if the collection was returned by a recording instance.
    var recorder: KeyPathRecorder?

    deinit { if let observations = takeObservations() { Observations.endWithSubject(observations) } }

    /// Transfers ownership of the observations of a managed collection to the caller.
    private func takeObservations() -> Unmanaged<Observations>? {
        guard let own = ownObservations, own.isManaged else { return nil }
        ownObservations = nil
        return Unmanaged.passRetained(own)
    }

    /// Begins to report changes as changes of a column; nil ends that.
    func set(_ observations: Observations?, _ column: Int) {
        self.observations = observations
        self.column = column
    }

    /// Makes a change and notifies key-value observers of the parent.
    @usableFromInline
    func changing(_ kind: CollectionChangeKind, _ body: () -> Void) {
        guard let observations else { return body() }
        observations.changing(column, kind, body)
    }
}
