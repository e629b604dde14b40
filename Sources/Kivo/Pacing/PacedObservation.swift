import KivoEngine

/// An observation whose changes are delivered at a pace of its own. Confined with its realm instance.
///
///                  a change concerns it
///     listening ─────────────────────────► holding ──► delivered when it is due, or by hand
///         ▲                                                         │
///         └─────────────────────────────────────────────────────────┘
///
/// While the observation is listening, its listener is registered like any other. As soon as a change concerns the listener, its
/// registration ends: later commits cost nothing. The version that the listener has seen stays pinned until the changes from there
/// are delivered. A paused observation is not registered, and holds from the beginning of the pause.
final class PacedObservation {
    enum State {
        /// The listener is registered.
        case listening(Registration)
        /// The listener was not called for the first time, and is not registered.
        case holdingFirstCall
        /// The listener has seen a version, which is pinned, and is not registered.
        case holding(since: UInt64, Snapshot)
        case ended
    }

    /// The registration that the token has. It holds the listener, and no change finds the listener by it. While the observation is
    /// listening, the listener's other registration ends with it.
    let access: Registration
    private let rule: Realm.Pacing.Rule
    private let pins: any VersionPins
    private let calls: CallCount
    /// Whether held changes are only delivered by hand.
    var isPaused = false { didSet { if isPaused { due = nil } } }
    private(set) var state: State
    /// The version that the listener's view shows, pinned, if it is ahead of what the listener has seen.
    private var ahead: (version: UInt64, snapshot: Snapshot)?
    /// Whether the registry's list of those that become due with time has the observation.
    var isTimed = false
    /// The moment at which held changes are delivered, or nil if only by hand.
    private(set) var due: ContinuousClock.Instant?
    /// The moment of the last call.
    private var lastCall: ContinuousClock.Instant?
    /// The data that the realm showed when it was last checked whether it is at rest.
    private var restingData: UInt64?

    /// Takes over a registered listener.
    init(
        _ registration: Registration, _ listener: Listener, _ rule: Realm.Pacing.Rule, _ calls: CallCount,
        _ pins: any VersionPins
    ) {
        access = Registration(0, listener, registration.label)
        (self.rule, self.calls, self.pins) = (rule, calls, pins)
        state = .listening(registration)
        _ = access.accompany(registration)
    }

    deinit { take(.ended) }

    /// The listener, or nil if the observation was cancelled, here or elsewhere.
    var listener: Listener? { access.listener }

    // MARK: State

    /// Changes the state, which changes nowhere else. Pins the version that is held, and unpins the one that was.
    func take(_ new: State) {
        let old = state
        state = new
        if case .holding(let version, _) = new { pins.pin(version) }
        if case .holding(let version, _) = old { pins.unpin(version) }
        guard case .ended = new else { return }
        due = nil
        keepAhead(nil)
    }

    /// Holds the changes since a version that is pinned.
    func hold(since version: UInt64) {
        let snapshot = pins.pin(version)
        take(.holding(since: version, snapshot))
        pins.unpin(version)
    }

    /// Pins the version that the listener's view shows ahead of what the listener has seen, in place of the one before.
    func keepAhead(_ version: UInt64?) {
        let before = ahead
        ahead = version.map { ($0, pins.pin($0)) }
        if let before { pins.unpin(before.version) }
    }

    /// Returns the changes from the version of the view that is ahead to the end of other changes.
    func changes(since version: UInt64, leadingTo pending: PendingChanges) -> PendingChanges? {
        guard let ahead, ahead.version == version else { return nil }
        let changes = pins.changes(from: version, to: pending.to)
        return PendingChanges(changes, from: ahead, to: pending.to, pending.new, pending.catalog)
    }

    // MARK: Pace

    /// Decides when changes are delivered that are held from now on.
    func schedule(at now: ContinuousClock.Instant, data: UInt64) {
        (due, restingData) = (nil, data)
        if isPaused { return }
        due =
            switch rule {
            case .everyTurn: now
            case .manual: nil
            case .rest(let duration): now + duration
            case .interval(let interval): max(now, lastCall.map { $0 + interval } ?? now)
            }
    }

    /// Returns whether held changes are due. If the realm was not at rest for long enough, they will be due later.
    func isDue(at now: ContinuousClock.Instant, data: UInt64) -> Bool {
        guard let due, due <= now else { return false }
        if case .rest(let duration) = rule, restingData != data {
            (self.due, restingData) = (now + duration, data)
            return false
        }
        return true
    }

    /// Delivers changes. If they turn out to be none, so that the observer is not called, no interval begins.
    func deliver(at now: ContinuousClock.Instant, _ body: () -> Void) {
        let (before, count) = (lastCall, calls.value)
        lastCall = now
        body()
        if calls.value == count, lastCall == now { lastCall = before }
    }
}

/// The number of calls of an observer.
final class CallCount {
    var value = 0
}

/// A reference from a listener to the observation that paces it. It is weak, because the observation retains the listener.
final class Pacer: ChangeConsumer {
    private weak var observation: PacedObservation?
    private unowned let registry: ListenerRegistry

    init(_ observation: PacedObservation, _ registry: ListenerRegistry) {
        (self.observation, self.registry) = (observation, registry)
    }

    /// The registration that the token has.
    var access: Registration? { observation?.access }

    var pinnedVersion: UInt64? {
        if case .holding(let version, _)? = observation?.state { version } else { nil }
    }

    /// The registration may have been cancelled elsewhere, with that of the token, and is then still in the index.
    var endsRegistration: Bool { true }

    func changes(since version: UInt64, leadingTo pending: PendingChanges) -> PendingChanges? {
        observation?.changes(since: version, leadingTo: pending)
    }

    func didChange(since version: UInt64) { observation.map { registry.hold($0, since: version) } }
    func didEnd() { observation?.take(.ended) }
}
