/// The reference of an instance to its observations, in the storage of its observed properties.
///
/// The instance releases this when it is torn down, and nothing else holds it. The observations themselves can be held by other
/// threads for a moment, inside of the structure's lock.
@usableFromInline
final class ObservedLink {
    let observations: KeyValueObservations

    init(_ observations: KeyValueObservations) { self.observations = observations }

    deinit { observations.endRegistrations() }

    /// Whether reads are being recorded on any thread.
    @usableFromInline static var isRecording: Bool { ReadRecorder.isActive }

    /// Whether this code runs inside `withObservationTracking`.
    @usableFromInline static var isTracking: Bool { ReadProbe.isNoting }

    /// Returns the recipients of changes of a property.
    @usableFromInline
    func recipients(ofColumn column: Int) -> KeyValueObservations.ColumnRecipients {
        observations.recipients(ofColumn: column)
    }

    /// Performs an assignment to a property, and notifies its observers. The caller holds the owner. The storage is accessed only at
    /// the moment of the change, and not while observers are called.
    @usableFromInline
    func change(
        _ owner: AnyObject, _ column: Int, _ recipients: KeyValueObservations.ColumnRecipients,
        _ assign: () -> Void
    ) {
        switch recipients {
        case .none: assign()
        case .value(let observation), .one(let observation): Self.change(owner, observation, assign)
        case .path(let observation, let canReroute):
            guard !observation.isRemoved, !observation.isBusy, let subject = observation.liveSubject,
                observation.isShared || !observation.isInvalidated(subject)
            else { return assign() }
            Self.change(subject, observation, canReroute: canReroute, assign)
        case .many:
            var change = OpenChange()
            change.openColumn(observations, column, owner)
            assign()
            change.close(.wholesale)
        }
    }

    private static func change(
        _ subject: AnyObject, _ observation: KeyValueRegistration, canReroute: Bool = false,
        _ assign: () -> Void
    ) {
        if observation.isRemoved { return assign() }
        var ticket: UInt32 = 0
        if observation.needsWill {
            ticket = observation.nextTicket()
            observation.willChange(subject, .wholesale, ticket)
        }
        assign()
        if observation.isRemoved { return }
        if canReroute { observation.refreshTree() }
        observation.didChange(subject, .wholesale, ticket)
    }
}
