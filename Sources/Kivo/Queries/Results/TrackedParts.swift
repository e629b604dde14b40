/// The elements of a result that code inside `withObservationTracking` has read.
enum OrderPart {
    /// The first element.
    case beginning
    /// Elements at any positions: those up to the highest position that was read.
    case positions
    /// All elements.
    case all
    /// The last element.
    case last
}

/// The objects that record reads of one result inside `withObservationTracking`, each while an observer waits for a change.
struct TrackedParts {
    private weak var beginning: AnyObject?
    private weak var positions: AnyObject?
    private weak var all: AnyObject?
    private weak var last: AnyObject?

    subscript(part: OrderPart) -> AnyObject? {
        get {
            switch part {
            case .beginning: beginning
            case .positions: positions
            case .all: all
            case .last: last
            }
        }
        set {
            switch part {
            case .beginning: beginning = newValue
            case .positions: positions = newValue
            case .all: all = newValue
            case .last: last = newValue
            }
        }
    }
}
