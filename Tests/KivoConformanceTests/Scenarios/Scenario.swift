import Foundation

/// The shape of a scenario's data: for every class, the type text of every property ("int", "list<Item>", ...).
typealias ConformanceSchema = [String: [String: String]]

/// One file of the corpus, see `FORMAT.md` there.
struct ConformanceFamily: Decodable, Sendable {
    var format: Int
    var family: String
    var schema: ConformanceSchema
    var scenarios: [Scenario]
}

/// One scenario: a start state, the observed thing, some transactions, and the notifications that the observers have to
/// receive.
struct Scenario: Decodable, Sendable {
    var name: String
    /// Replaces the schema of the file.
    var schema: ConformanceSchema?
    /// The objects of each class in creation order.
    var initial: [String: [[String: JSONValue]]]
    /// Nil in the families that do not follow the coalesced procedure.
    var observe: ObservedThing?
    /// Nil except in the families that observe properties of chosen objects.
    var observeObjects: [ObservedObject]?
    /// Whether all transactions together are one of the observing connection, which is then cancelled.
    var rollback: Bool?
    var transactions: [[Operation]]?
    var before: JSONValue?
    var after: JSONValue?
    var expected: JSONValue?
    var expectedIfComputedPerCommit: JSONValue?
    var flags: Set<Flag>?
    /// The fields of families that follow steps: observers, steps, and the expected events of each step.
    var observers: [StepObserver]?
    var steps: [Step]?
    var expectedInitialEvents: [JSONValue]?
    var expectedEvents: [[JSONValue]]?
    /// The contents at the end, by observer.
    var final: [String: JSONValue]?

    /// A part of a recorded delivery that is not to be taken literally.
    enum Flag: String, Decodable {
        case staleIndexesOnOwnerDeletion = "stale-indexes-on-owner-deletion"
        case movedElementAlsoReplaced = "moved-element-also-replaced"
        case referenceRaisedError = "reference-raised-error"
        case notReproducible = "not-reproducible"
        case changeLostByReference = "change-lost-by-reference"
    }

    private enum CodingKeys: String, CodingKey {
        case name, schema, initial, observe, rollback, transactions, before, after, expected
        case observeObjects = "observe_objects"
        case expectedIfComputedPerCommit = "expected_if_computed_per_commit"
        case flags, observers, steps, final
        case expectedInitialEvents = "expected_initial_events"
        case expectedEvents = "expected_events"
    }

    /// Everything that counts as a correct delivery.
    ///
    /// The recorded engine reports the deletion of the owner of an empty collection. The library above it does not call observers
    /// then.
    var acceptable: [JSONValue] {
        let isEmpty = before?.elements?.isEmpty ?? before?.members?.isEmpty ?? false
        return [expected, expectedIfComputedPerCommit].compactMap(\.self).map { expected in
            isEmpty && expected["root_deleted"] == .bool(true)
                ? .object(["delivered": .bool(false)]) : expected
        }
    }

    func has(_ flag: Flag) -> Bool {
        flags?.contains(flag) ?? false
    }
}

/// An object whose properties are observed.
struct ObservedObject: Decodable, Sendable {
    var `class`: String
    var id: Int
}

/// A corpus, or something in it, is not as the format says.
struct ConformanceError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension ConformanceFamily {
    /// A file that does not belong to the corpus format.
    struct UnknownFormat: Error, CustomStringConvertible {
        let description = "not a file of format 1"
    }

    private struct Header: Decodable {
        var format: Int
        var family: String
    }

    /// Reads one family.
    init(contentsOf url: URL) throws {
        let data = try Data(contentsOf: url)
        let decoder = JSONDecoder()
        guard let header = try? decoder.decode(Header.self, from: data), header.format == 1 else {
            throw UnknownFormat()
        }
        self = try decoder.decode(ConformanceFamily.self, from: data)
    }
}
