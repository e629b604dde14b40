/// What a realm instance is in the middle of while code of the user's runs.
///
/// Callbacks nest: one may write, and a write first delivers what is due to the others.
enum InstanceActivity {
    /// How many calls are under way, one inside of the other.
    struct Depth: Equatable {
        /// Deliveries to the listeners of collections and objects.
        var deliveries = 0
        /// Rounds of the realm's observers.
        var rounds = 0
    }

    enum Event {
        case deliveryBegan, deliveryEnded, roundBegan, roundEnded, moveAnnounced, moveMade
    }

    case idle
    case calling(Depth)
    /// Key-value observers are told that the instance is about to move to another version.
    case announcingMove(inside: Depth)

    private var depth: Depth {
        switch self {
        case .idle: Depth()
        case .calling(let depth), .announcingMove(inside: let depth): depth
        }
    }

    /// Whether callbacks of listeners or of the realm's observers run.
    var isCalling: Bool { depth != Depth() }

    /// Whether a delivery to listeners is under way.
    var isDelivering: Bool { depth.deliveries > 0 }

    /// Whether a move is announced and not made yet.
    var isAnnouncingMove: Bool { if case .announcingMove = self { true } else { false } }

    /// The one place where the activity changes.
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
