import KivoEngine

/// The user code that a realm instance is calling.
///
/// Callbacks nest: one may write, and a write first delivers pending changes to the other listeners.
enum InstanceActivity {
    /// The number of calls that are running, one inside of the other.
    struct Depth: Equatable {
        /// Deliveries to the listeners of collections and objects.
        var deliveries = 0
        /// Rounds of calls to the realm's observers.
        var rounds = 0
    }

    enum Event {
        case deliveryBegan, deliveryEnded, roundBegan, roundEnded, moveAnnounced, moveMade
    }

    case idle
    case calling(Depth)
    /// Key-value observers are being notified that the instance is about to move to another version.
    case announcingMove(inside: Depth)

    private var depth: Depth {
        switch self {
        case .idle: Depth()
        case .calling(let depth), .announcingMove(inside: let depth): depth
        }
    }

    /// Whether callbacks of listeners or of the realm's observers run.
    var isCalling: Bool { depth != Depth() }

    /// Whether a delivery to listeners is running.
    var isDelivering: Bool { depth.deliveries > 0 }

    /// Whether a move was announced and not made yet.
    var isAnnouncingMove: Bool { if case .announcingMove = self { true } else { false } }

    /// Applies an event. The activity changes nowhere else.
    mutating func take(_ event: Event) {
        var depth = depth
        switch event {
        case .deliveryBegan: depth.deliveries += 1
        case .deliveryEnded: depth.deliveries -= 1
        case .roundBegan: depth.rounds += 1
        case .roundEnded: depth.rounds -= 1
        case .moveAnnounced:
            self = .announcingMove(inside: depth)
            return
        case .moveMade: break
        }
        assert(event == .moveMade || !isAnnouncingMove, "a call began while a move was announced")
        self = depth == Depth() ? .idle : .calling(depth)
    }
}

/// A realm instance, as the delivery to its listeners sees it.
protocol DeliveryHost: AnyObject {
    /// The version that the listeners see after a delivery, and its snapshot and tables.
    var version: UInt64 { get }
    /// The number of the first version with the data of that version.
    var dataVersion: UInt64 { get }
    var snapshot: Snapshot { get }
    /// Returns the number of the first version with the data of a pinned one.
    func dataVersion(of version: UInt64) -> UInt64
    var catalog: Catalog { get }
    /// Whether the open transaction has changed anything. The state that is read then is no version, so nothing is delivered.
    var hasUncommittedChanges: Bool { get }
    /// The store that keeps the versions that listeners compare with.
    var pins: any VersionPins { get }
    var activity: InstanceActivity { get set }
    /// The turns in which deliveries are made.
    var turns: Turns { get }
    /// The name of the realm, and a description of where its listeners are called.
    var eventName: EventName { get }
    var home: String { get }
    /// Whether its listeners are called on the main thread.
    var isOnMainThread: Bool { get }
    /// The owner that tokens retain.
    var registrationOwner: any RegistrationOwner { get }
}

/// An object that holds versions until they are unpinned.
protocol VersionPins: AnyObject {
    /// Pins a version that is pinned already, and returns its snapshot.
    @discardableResult
    func pin(_ version: UInt64) -> Snapshot

    /// Unpins a version that was pinned once.
    func unpin(_ version: UInt64)

    /// Returns the changes from a pinned version to a later one.
    func changes(from: UInt64, to: UInt64) -> RowChangeSet
}

/// The owner of the realm instance to which a registration belongs. Tokens retain it.
protocol RegistrationOwner: AnyObject {
    /// Cancels a registration, on any thread, and releases its listener where the instance belongs.
    func end(_ registration: Registration)

    /// Logs a message if the token of a registration was released before the first call of its listener.
    func logIfUnused(_ registration: Registration)
}
