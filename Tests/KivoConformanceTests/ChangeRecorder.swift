/// What a collection observer was told.
struct CollectionDelivery: Equatable {
    var deletions: [Int]
    var insertions: [Int]
    var modifications: [Int]
}

/// What a map observer was told: keys.
struct MapDelivery: Equatable {
    var deletions: [String]
    var insertions: [String]
    var modifications: [String]
}

/// What an observer of sections was told. Places are pairs of a section's index and an element's in it.
struct SectionsDelivery: Equatable {
    var deletions: [[Int]]
    var insertions: [[Int]]
    var modifications: [[Int]]
    var sectionDeletions: [Int]
    var sectionInsertions: [Int]
}

/// What an observer was told, in the terms of the public API.
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
    /// What the observer had seen before.
    var before: JSONValue
    /// What was seen through the observed thing during the call.
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
    /// What is seen after a write that the observer was not told of.
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
