import Foundation

/// One case of key-value observing or coding: a start state in words, steps, and every notification that they
/// send.
struct KeyValueCase: Decodable, Sendable {
    var id: String
    var setup: String
    /// How it was recorded that this is what happens: `asserted`, `partly`, `documented`, `derived`,
    /// `hopeful`.
    var certainty: String
    var scenarios: [String]?
    var steps: [KeyValueCaseStep]
    var expect: [KeyValueCaseExpectation]
    /// Whether the notifications of one step may come in any order.
    var unordered: Bool?
    var note: String?

    /// Whether the case has to be met. What was read from an implementation, or hoped for, need not be.
    var mustAgree: Bool { !["derived", "hopeful"].contains(certainty) }

    /// Returns the case in each situation in which it applies. Classes that are not models of Kivo have only the ordinary one.
    func pairs(_ kind: KeyValueCaseKind) -> [KeyValueCasePair] {
        (scenarios ?? ["plain"]).filter { kind == .objects || $0 == "plain" }
            .map { KeyValueCasePair(test: self, scenarioName: $0, kind: kind) }
    }

    /// Every step of the case, those that are part of others included.
    var allSteps: [KeyValueCaseStep] { steps.flatMap(\.withParts) }

    /// The cases of a file; nil if it is not a file of cases at all.
    static func load(_ file: URL) throws -> [KeyValueCase]? {
        let data = try Data(contentsOf: file)
        guard let first = data.first(where: { !" \n\r\t".utf8.contains($0) }), first == UInt8(ascii: "[")
        else {
            return nil
        }
        return try JSONDecoder().decode([KeyValueCase].self, from: data)
    }
}

/// The place where a case happens.
enum KeyValueCaseScenario: String, Sendable {
    case plain, unmanaged, managed, otherAccessor, otherRealm

    /// Whether the objects are in a realm from the start.
    var isManaged: Bool { self != .plain && self != .unmanaged }
}

/// The unit that is run and counted: a case in one situation.
struct KeyValueCasePair: Sendable {
    let test: KeyValueCase
    let scenarioName: String
    var kind = KeyValueCaseKind.objects

    var name: String { test.scenarios == nil ? test.id : "\(test.id) (\(scenarioName))" }
}

/// One step of a case, by the names of its arguments.
struct KeyValueCaseStep: Decodable, Sendable {
    var fields: [String: JSONValue]

    init(fields: [String: JSONValue]) { self.fields = fields }

    init(from decoder: any Decoder) throws {
        fields = try decoder.singleValueContainer().decode([String: JSONValue].self)
    }

    subscript(name: String) -> JSONValue? { fields[name] }

    var action: String { string("do") ?? "" }
    var object: String? { string("object") }
    var key: String? { string("key") ?? string("keyPath") }
    var via: String? { string("via") }
    /// The error that the step has to end with.
    var raises: String? { string("raises") }
    var values: [JSONValue] { fields["values"]?.elements ?? [] }

    /// The positions that the step is about, given as one or as several.
    var positions: [Int] {
        if case .int(let position) = fields["at"] { return [position] }
        return fields["at"]?.ints ?? []
    }

    func string(_ name: String) -> String? {
        if case .string(let text) = fields[name] { text } else { nil }
    }

    func int(_ name: String) -> Int? {
        if case .int(let int) = fields[name] { int } else { nil }
    }

    /// The steps that are an argument of this one.
    func steps(_ name: String) -> [KeyValueCaseStep] {
        let values = fields[name]?.elements ?? [fields[name]].compactMap { $0 }
        return values.compactMap { value in
            if case .object(let fields) = value { KeyValueCaseStep(fields: fields) } else { nil }
        }
    }

    /// This step and those that are arguments of it.
    var withParts: [KeyValueCaseStep] {
        [self] + ["onNotify", "steps", "step"].flatMap { steps($0).flatMap(\.withParts) }
    }
}

/// One notification that a case has to send.
struct KeyValueCaseExpectation: Decodable, Sendable {
    /// The step that sends it.
    var at: Int
    var fields: [String: JSONValue]

    init(from decoder: any Decoder) throws {
        fields = try decoder.singleValueContainer().decode([String: JSONValue].self)
        guard case .int(let at) = fields["at"] else {
            throw ConformanceError("a notification without a step")
        }
        self.at = at
    }

    subscript(name: String) -> JSONValue? { fields[name] }

    func string(_ name: String) -> String? {
        if case .string(let text) = fields[name] { text } else { nil }
    }

    var isPrior: Bool { fields["isPrior"] == .bool(true) }
    var isCountOpen: Bool { fields["countNotAsserted"] == .bool(true) }
    /// How often it may come: mostly a single number, but "1 or 2" is a choice.
    var counts: [Int] {
        fields["repeat"].map {
            KeyValueCaseComparison.choices(KeyValueCaseComparison.label($0)).compactMap(Int.init)
        }
            ?? [1]
    }

    /// The entries of the record that must be missing.
    var absent: [String] {
        fields["absent"]?.elements?.compactMap { if case .string(let name) = $0 { name } else { nil } } ?? []
    }
}

extension KeyValueCaseExpectation: CustomStringConvertible {
    var description: String { "\(JSONValue.object(fields))" }
}
