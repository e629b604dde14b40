/// The change that a collection observer received.
struct CollectionDelivery: Equatable {
    var deletions: [Int]
    var insertions: [Int]
    /// Positions before the change.
    var modifications: [Int]
    /// The modified elements, as positions after the change.
    var currentModifications: [Int]
}

/// A notification of a map observer, with keys.
struct MapDelivery: Equatable {
    var deletions: [String]
    var insertions: [String]
    var modifications: [String]
}

/// The change that an observer of sections received. Places are pairs of a section's index and an element's in it.
struct SectionsDelivery: Equatable {
    var deletions: [[Int]]
    var insertions: [[Int]]
    /// Places before the change.
    var modifications: [[Int]]
    /// The modified elements, as places after the change.
    var currentModifications: [[Int]]
    var sectionDeletions: [Int]
    var sectionInsertions: [Int]
}

/// A notification of any observer, in the terms of the public API.
enum DeliveredChange: Equatable {
    case collection(CollectionDelivery)
    case map(MapDelivery)
    case sections(SectionsDelivery)
    /// The names of the changed properties, sorted.
    case object(changed: [String])
    case objectDeleted
    /// An error where there should have been a change.
    case failure(String)
}

/// One call of an observer.
struct Delivery: Equatable {
    var change: DeliveredChange
    /// The contents that the observer saw before.
    var before: JSONValue
    /// The contents of the observed thing during the call.
    var contents: JSONValue
}

/// Collects the calls of one observer.
final class ChangeRecorder {
    private(set) var initialContents: JSONValue?
    private(set) var initialCalls = 0
    private(set) var deliveries: [Delivery] = []
    /// Reads what is seen through the observed thing now; set when the observer is registered.
    var readContents: () -> JSONValue = { .null }
    /// Called during each call of the observer, when it is noted: with nil for the initial one.
    var didRecord: ((Delivery?) -> Void)?
    /// The contents after a write of which the observer was not notified.
    private var shown: JSONValue?

    /// Objects have no initial call; they begin with what is seen at registration.
    func startWithoutInitialCall() {
        initialContents = readContents()
    }

    func recordInitial(contents: JSONValue) {
        initialCalls += 1
        initialContents = contents
        didRecord?(nil)
    }

    /// Takes note of what is seen now, of which the observer is not told.
    func skip() { shown = readContents() }

    func record(_ change: DeliveredChange, contents: JSONValue) {
        let before = shown ?? deliveries.last?.contents ?? initialContents ?? .null
        shown = nil
        let delivery = Delivery(change: change, before: before, contents: contents)
        deliveries.append(delivery)
        didRecord?(delivery)
    }
}
