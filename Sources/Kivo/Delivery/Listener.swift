import KivoEngine

/// One listener of a realm, an object or a collection. Confined with its realm instance.
class Listener {
    /// The changes that the listener has received so far.
    private(set) final var progress: ListenerProgress
    /// The consumer that reads the changes of this listener, or nil if the listener itself is called.
    final var consumer: (any ChangeConsumer)?
    /// The listener of which this one is a part, and which retains it; nil if this one is registered itself.
    final unowned(unsafe) var joint: Listener?
    /// Whether a part of another listener has not taken the changes yet that the other one is about to be called with.
    final var isBehind = false
    /// The moved elements of the change with which a part of another listener is called.
    final var moves: [CollectionChanges.Move] = []
    /// The moment at which the observation began.
    final let began = EventMoment.now
    /// Whether the listener is none of the program's, so that events and reports leave it out.
    final var isInternal = false
    /// The call that is being made, and what events show of the listener. Only if events are received.
    @exclusivity(unchecked) final var notedCall: ListenerCall?
    @exclusivity(unchecked) final var facts: ListenerFacts?

    init(hasInitial: Bool) { progress = hasInitial ? .awaitingFirstCall : .upToDate }

    final func take(_ event: ListenerProgress.Event) { progress.take(event) }

    /// Records that a change concerns the listener. Returns whether the listener was up to date before.
    final func noteConcerned(since version: UInt64) -> Bool {
        guard case .upToDate = progress else { return false }
        progress.take(.concerned(since: version))
        return true
    }

    /// The observed value, for the developer of the program.
    var subject: String { "a realm" }

    /// The interest by which the listener is found, or nil if it listens to the realm.
    var interest: Interest? { nil }

    /// The version that the listener's view shows if it is ahead of what the listener has seen, or nil.
    var aheadVersion: UInt64? { nil }

    /// Called once the listener can be found.
    func didRegister(_ registration: Registration) {}

    /// Makes the first call.
    func callInitial() {}

    /// Computes what the changes mean for the listener, and calls it if they affect it.
    func deliver(_ pending: PendingChanges) {}

    /// Whether the listener may have to be notified of changes after the version that it is at. If not, this call may record the
    /// changes; otherwise it leaves the listener as it is, if its consumer reads the changes.
    func isAffected(by pending: PendingChanges) -> Bool { true }

    /// Records changes of which the listener is not notified.
    func skip(_ pending: PendingChanges) {}
}

/// A consumer that reads the changes of a listener itself. The listener does not call it with changes; it only notifies it that
/// there are some. Confined with the realm instance, except for members that are documented as thread-safe.
protocol ChangeConsumer: AnyObject {
    /// The registration that the observation's token has, if it is another one than that by which the listener is found.
    var access: Registration? { get }

    /// The pinned version that the listener is at while it is not registered, or nil while it is.
    var pinnedVersion: UInt64? { get }

    /// Returns the changes from a version that the listener's view shows ahead of what the listener has seen, if the consumer keeps
    /// that version, to the end of other changes.
    func changes(since version: UInt64, leadingTo pending: PendingChanges) -> PendingChanges?

    /// Whether the consumer ends the registration of its listener itself when there are changes.
    var endsRegistration: Bool { get }

    /// Whether the consumer reads the changes of its listener after it was notified that there are some.
    var readsChanges: Bool { get }

    /// Called when there are changes since a version. The version is pinned during the call. The listener is no longer registered,
    /// unless the consumer ends the registration.
    func didChange(since version: UInt64)

    /// Called when the realm was invalidated, so that no more changes follow.
    func didEnd()
}

extension ChangeConsumer {
    var access: Registration? { nil }
    var endsRegistration: Bool { false }
    var readsChanges: Bool { true }

    func changes(since version: UInt64, leadingTo pending: PendingChanges) -> PendingChanges? { nil }
}

/// The changes that a listener has received, from its registration to its end.
enum ListenerProgress {
    enum Event {
        /// A change after a version concerns the listener.
        case concerned(since: UInt64)
        /// The listener was called, or skips the changes that concern it.
        case caughtUp
        /// The observed object or collection no longer exists.
        case ended
    }

    case awaitingFirstCall
    /// The listener has received all changes that concern it and that the registry has searched.
    case upToDate
    /// The listener has received all changes that concern it up to a version; there are more.
    case outdated(since: UInt64)
    case ended

    /// Whether the listener may have to be called.
    var isDue: Bool {
        switch self {
        case .awaitingFirstCall, .outdated: true
        case .upToDate, .ended: false
        }
    }

    /// Applies an event. The progress changes nowhere else.
    mutating func take(_ event: Event) {
        switch (event, self) {
        case (.concerned(let since), .upToDate): self = .outdated(since: since)
        case (.concerned, _), (.caughtUp, .ended): break
        case (.caughtUp, _): self = .upToDate
        case (.ended, _): self = .ended
        }
    }
}
