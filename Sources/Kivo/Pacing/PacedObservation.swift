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

    /// The registration that the token has. It holds the listener, and no change finds the listener by it.
    let access: Registration
    private let rule: Realm.Pacing.Rule
    private let pins: any VersionPins
    var isPaused = false
    var state: State
    /// The moment at which held changes are delivered, or nil if only by hand.
    private(set) var due: ContinuousClock.Instant?
    /// The moment of the last delivery.
    private var lastDelivery: ContinuousClock.Instant?
    /// The data that the realm showed when it was last checked whether it is at rest.
    private var restingData: UInt64?

    /// Takes over a registered listener.
    init(
        _ registration: Registration, _ listener: Listener, _ rule: Realm.Pacing.Rule, _ pins: any VersionPins
    ) {
        access = Registration(0, listener)
        (self.rule, self.pins) = (rule, pins)
        state = .listening(registration)
    }

    deinit { if case .holding(let version, _) = state { pins.unpin(version) } }

    /// The listener, or nil if the observation was cancelled, here or elsewhere.
    var listener: Listener? { access.listener }

    /// Decides when changes are delivered that are held from now on.
    func schedule(at now: ContinuousClock.Instant, data: UInt64) {
        (due, restingData) = (nil, data)
        if isPaused { return }
        due =
            switch rule {
            case .everyTurn: now
            case .manual: nil
            case .rest(let duration): now + duration
            case .interval(let interval): max(now, lastDelivery.map { $0 + interval } ?? now)
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

    /// Records that held changes are delivered now.
    func didDeliver(at now: ContinuousClock.Instant) { (due, lastDelivery) = (nil, now) }
}

/// A reference from a listener to the observation that paces it. It is weak, because the observation retains the listener.
final class Pacer: ChangeConsumer {
    private weak var observation: PacedObservation?
    private unowned let registry: ListenerRegistry

    init(_ observation: PacedObservation, _ registry: ListenerRegistry) {
        (self.observation, self.registry) = (observation, registry)
    }

    var pinnedVersion: UInt64? {
        if case .holding(let version, _)? = observation?.state { version } else { nil }
    }

    var isCancelled: Bool { observation?.listener == nil }

    func didChange(since version: UInt64) { observation.map { registry.hold($0, since: version) } }
    func didEnd() { observation?.state = .ended }
}
