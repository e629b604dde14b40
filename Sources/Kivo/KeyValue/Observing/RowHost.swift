import KivoEngine
import KivoObserving

/// The realm of one managed object or collection that is observed. Confined with it, but for ``liveSubject``.
///
/// The realm's ``KeyValueRegistry`` holds the observations of the row, which hold this.
final class RowHost: SubjectHost {
    let row: RowID
    /// The realm's instance, which lives as long as the subject.
    private unowned(unsafe) let instance: RealmInstance
    let handle: InstanceHandle
    private weak var subject: AnyObject?

    init(_ subject: AnyObject, _ row: RowID, _ instance: RealmInstance) {
        self.subject = subject
        self.row = row
        self.instance = instance
        handle = instance.handle
    }

    var isCurrent: Bool { handle.isCurrent }
    var liveSubject: AnyObject? { subject }
    var ender: any ObservationEnder { handle }

    func willRegister() { instance.releaseEndedElsewhere() }

    /// Registers the row with its realm when the first recipient is added.
    func beginListening(_ observations: KeyValueObservations) {
        instance.turns.enable()
        instance.keyValueRegistry.add(observations, row)
        instance.noteObservedRow()
    }

    /// Removes the row from its realm's registry when the last recipient is removed.
    func endListening(_ observations: KeyValueObservations) {
        instance.keyValueRegistry.remove(observations, row)
    }
}

extension InstanceHandle: ObservationEnder {
    func whileObserving(_ body: () -> Void) {
        guard let instanceOwner else { return }
        withExtendedLifetime(instanceOwner) { body() }
    }
}

extension OpenChange: OpenRowChanges {}

/// The observations of model objects and collections, which can be rows of a realm.
extension KeyValueObservations: CollectionObserver {
    /// Ends the observations of a subject that is being torn down, on any thread. A foreign thread transfers the subject's one
    /// reference to the realm's own thread: no other thread may read the observations, nor release them last.
    static func endWithSubject(_ reference: Unmanaged<AnyObject>) {
        let observations = Unmanaged<KeyValueObservations>.fromOpaque(reference.toOpaque())
        guard let host = observations._withUnsafeGuaranteedRef({ $0.rowHost }) else {
            return observations.release()
        }
        let handle = host.handle
        guard handle.isCurrent else { return handle.leave(ended: reference) }
        let instance = handle.instanceOwner?.instance
        observations.takeRetainedValue().endWithSubject(instance?.keyValueRegistry)
    }

    /// Ends all registrations after the subject was torn down.
    func endWithSubject(_ registry: KeyValueRegistry?) {
        if let row = rowHost?.row { registry?.remove(self, row) }
        endRegistrations()
    }

    /// The realm of a managed subject.
    private var rowHost: RowHost? { host.map { unsafeDowncast($0, to: RowHost.self) } }
}
