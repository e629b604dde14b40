/// The thing that a scenario observes. Only the fields that the known kinds of observers need.
struct ObservedThing: Decodable, Sendable {
    var kind: String
    var `class`: String
    var id: Int?
    var prop: String?
    /// Nil means that there is no filter; an empty array is a filter that lets no modification through.
    var keypaths: [String]?
    /// Conditions of a query; all must hold.
    var `where`: [Condition]?
    /// Steps that order a query, in the order in which they are applied.
    var ordering: [OrderingStep]?
    /// The source of a query, if it is not a whole class.
    var list: ListSource?
    /// The property by which a query is put in sections.
    var sectionBy: String?
    /// The divisor of that property, an int.
    var sectionMod: Int?

    private enum CodingKeys: String, CodingKey {
        case kind, `class`, id, prop, keypaths, `where`, ordering, list
        case sectionBy = "section_by"
        case sectionMod = "section_mod"
    }
}

/// A property that a query compares with a value.
struct Condition: Decodable, Sendable {
    /// A property, or one behind links: `link.value`.
    var prop: String
    var cmp: Sign
    var value: JSONValue

    enum Sign: String, Decodable {
        case greater = ">"
        case greaterOrEqual = ">="
        case equal = "=="
        case notEqual = "!="
    }
}

/// One step of a query's ordering.
enum OrderingStep: Decodable, Sendable {
    case sort([SortKey])
    case distinct([String])

    struct SortKey: Decodable, Sendable {
        var prop: String
        var ascending: Bool
    }

    private enum CodingKeys: String, CodingKey {
        case sort, distinct
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        if let names = try fields.decodeIfPresent([String].self, forKey: .distinct) {
            self = .distinct(names)
        } else {
            self = .sort(try fields.decode([SortKey].self, forKey: .sort))
        }
    }
}

/// The list that a query is over.
struct ListSource: Decodable, Sendable {
    var `class`: String
    var id: Int
    var prop: String
}

extension ObservedThing {
    /// Why the public API cannot observe it as it stands, nil if it can.
    var obstacle: String? {
        keypaths?.isEmpty == true ? "an empty array of key paths is no filter in the public API" : nil
    }
}

extension Scenario {
    /// The scenario in terms of the public API. In the API an empty array of key paths means that there is no filter. In the
    /// corpus it means that modifications never count, so it becomes the path of a property that the scenario never assigns.
    var playable: Scenario {
        guard observe?.keypaths?.isEmpty == true else { return self }
        let isAssigned = transactions?.joined().contains { operation in
            if case .edit(_, _, "id", _) = operation { true } else { false }
        }
        var scenario = self
        if isAssigned != true { scenario.observe?.keypaths = ["id"] }
        return scenario
    }
}
