/// One of the observers of a scenario that follows steps.
struct StepObserver: Decodable, Sendable {
    var name: String
    var thing: ObservedThing
    /// The observer that observes the very same instance. Kivo's observers share nothing, so that it makes no difference.
    var sameCollectionAs: String?
    /// Whether it is registered by a step.
    var late: Bool?
    /// The reactions during its calls.
    var onNotify: [Reaction]?

    private enum CodingKeys: String, CodingKey {
        case name, late
        case sameCollectionAs = "same_collection_as"
        case onNotify = "on_notify"
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        name = try fields.decode(String.self, forKey: .name)
        sameCollectionAs = try fields.decodeIfPresent(String.self, forKey: .sameCollectionAs)
        late = try fields.decodeIfPresent(Bool.self, forKey: .late)
        onNotify = try fields.decodeIfPresent([Reaction].self, forKey: .onNotify)
        thing = try ObservedThing(from: decoder)
    }
}

/// The reaction of an observer during its n-th call; the initial one is number 0.
struct Reaction: Decodable, Sendable {
    struct OtherWrite: Decodable, Sendable {
        var ops: [Operation]
    }

    var nth: Int
    var write: ObservingWrite?
    var otherWrite: OtherWrite?
    var refresh: Bool?
    var stop: String?

    private enum CodingKeys: String, CodingKey {
        case nth, write, refresh, stop
        case otherWrite = "other_write"
    }
}

/// A write on the observing connection.
struct ObservingWrite: Decodable, Sendable {
    var ops: [Operation]
    /// The observers that must not be notified of it.
    var suppress: [String]?
    /// Whether it is cancelled, not committed.
    var cancel: Bool?
}

/// One step of a scenario.
enum Step: Decodable, Sendable {
    case write(ObservingWrite)
    case otherWrite([Operation])
    case deliver
    case refresh
    case observe(String)
    case stop(String)

    private enum CodingKeys: String, CodingKey {
        case `do`, by, ops, name
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        switch try fields.decode(String.self, forKey: .do) {
        case "write" where try fields.decode(String.self, forKey: .by) == "other":
            self = .otherWrite(try fields.decode([Operation].self, forKey: .ops))
        case "write": self = .write(try ObservingWrite(from: decoder))
        case "deliver": self = .deliver
        case "refresh": self = .refresh
        case "observe": self = .observe(try fields.decode(String.self, forKey: .name))
        case "stop": self = .stop(try fields.decode(String.self, forKey: .name))
        case let name:
            throw DecodingError.dataCorruptedError(
                forKey: .do, in: fields, debugDescription: "unknown step \(name)")
        }
    }
}
