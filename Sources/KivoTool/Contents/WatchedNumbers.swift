import Kivo
import KivoEngine
import KivoJournal

/// The numbers of objects that `watch` prints beneath the commits that change them.
struct WatchedNumbers {
    static let options =
        [
            Command.Option(
                "--where", "PREDICATE",
                "The numbers only of the objects of the --class before it for which a predicate holds."),
            ObjectQuery.options.first { $0.name == "--arg" }!,
            Command.Option("--number", nil, "The number of the objects, whenever a commit changes it."),
        ]
        + ObjectQuery.functions.map {
            Command.Option(
                "--" + $0.name, "NAME", "The \(words[$0.name]!) of a property, whenever a commit changes it.")
        } + [
            Command.Option(
                "--by", "NAME", "The numbers for each value of a property. Groups have no --min and --max.")
        ]

    private static let words = [
        "sum": "sum", "avg": "average", "min": "smallest value", "max": "greatest value",
    ]

    /// A number that is followed, of the objects of a class.
    private struct Place {
        let some: StoredClass
        let number: FollowedNumber

        func changes(_ changes: [FollowedNumber.Change], _ values: StoredValues) -> [NumberChange] {
            changes.map { NumberChange(some.name, number.request, $0, values) }
        }
    }

    private let arguments: ParsedArguments
    private let requests: [NumberRequest]
    private let path: String
    private var places: [Place] = []
    /// The heap of the history whose newest version the numbers are at.
    private var heap: Heap
    /// The number of the history's tables and columns when their classes were looked at.
    private var size: Int

    /// Evaluates the numbers that the arguments demand in the newest version of a history. Returns nil if they demand none.
    ///
    /// - Throws: ``UsageError`` or ``Problem`` if there is no such class or property, or no such number of it.
    init?(_ arguments: ParsedArguments, of path: String, _ history: CommitHistory) throws {
        requests = try WatchedNumbers.requests(arguments)
        if requests.isEmpty { return nil }
        (self.arguments, self.path, heap, size) = (arguments, path, history.heap, history.catalog.size)
        places = try places(history) { _, _ in nil }
        if places.isEmpty {
            throw Problem("no class of '\(path)' has the properties of '\(requests[0].title)'")
        }
    }

    /// Returns the numbers of the classes of a history, those that are known already as they are. Without classes among the arguments
    /// they are of each class that has them.
    private func places(
        _ history: CommitHistory, _ known: (String, NumberRequest) -> Place?
    ) throws -> [Place] {
        let (snapshot, catalog) = (history.snapshot, history.catalog)
        let isNamed = arguments.has("--class")
        return try ObjectQuery.selections(arguments, catalog, of: path).flatMap { selection in
            let some = selection.some
            return try requests.compactMap { request in
                if let known = known(some.name, request) { return known }
                do {
                    let number = try FollowedNumber.checked(
                        request, of: some, selection.textQuery, snapshot, catalog)
                    return Place(some: some, number: number)
                } catch  where !isNamed {
                    return nil
                }
            }
        }
    }

    private static func requests(_ arguments: ParsedArguments) throws(UsageError) -> [NumberRequest] {
        let key = arguments.value("--by")
        var wanted: [(function: String, property: String?)] =
            arguments.has("--number") ? [("count", nil)] : []
        let names = ObjectQuery.functions.map(\.name)
        for (option, value) in arguments.options {
            if let name = names.first(where: { "--" + $0 == option }) { wanted.append((name, value)) }
        }
        if wanted.isEmpty {
            if let alone = ["--by", "--where", "--arg"].first(where: arguments.has) {
                throw UsageError("'\(alone)' is of numbers: add '--number' or '--sum NAME'")
            }
        }
        var requests: [NumberRequest] = []
        for (function, property) in wanted {
            guard let request = NumberRequest(function, of: property, by: key) else {
                throw UsageError("'--\(function)' is of all objects, and takes no '--by'")
            }
            requests.append(request)
        }
        return requests
    }

    /// Returns the numbers as they are in the newest version of a history, which they are at.
    func current(_ history: CommitHistory) -> [NumberChange] {
        let values = StoredValues(history.snapshot, history.catalog)
        return places.flatMap { $0.changes($0.number.results, values) }
    }

    /// Whether the numbers are those of another history: the file was replaced.
    func areOutdated(_ history: CommitHistory) -> Bool { history.heap !== heap }

    /// Follows the last commit or migration of the history, and returns what it changed.
    mutating func follow(_ kind: JournalReader.Record.Kind, _ history: CommitHistory) -> [NumberChange] {
        guard !areOutdated(history), case .commit = kind, let last = history.last else {
            return evaluate(history)
        }
        let traversals = ChangeTraversals(last.changes, history.snapshot, history.catalog)
        let values = StoredValues(history.snapshot, history.catalog)
        let changes = places.flatMap { $0.changes($0.number.update(traversals, old: last.before), values) }
        if history.catalog.size == size { return changes }
        // There may be further classes that have the properties.
        return changes
            + replacePlaces(history) { [places] name, request in
                places.first { $0.some.name == name && $0.number.request == request }
            }
    }

    /// Evaluates the numbers again, and returns those that differ.
    mutating func evaluate(_ history: CommitHistory) -> [NumberChange] {
        replacePlaces(history) { _, _ in nil }
    }

    /// A class that is gone, or whose property is gone, has no numbers any more.
    private mutating func replacePlaces(
        _ history: CommitHistory, _ known: (String, NumberRequest) -> Place?
    ) -> [NumberChange] {
        (heap, size) = (history.heap, history.catalog.size)
        let values = StoredValues(history.snapshot, history.catalog)
        var before = places
        places = (try? self.places(history, known)) ?? []
        let changes = places.flatMap { place in
            let index = before.firstIndex {
                $0.some.name == place.some.name && $0.number.request == place.number.request
            }
            guard let index else { return place.changes(place.number.results, values) }
            let old = before.remove(at: index).number
            return old === place.number ? [] : place.changes(old.changes(to: place.number), values)
        }
        return before.flatMap { $0.changes($0.number.resultsThatEnd, values) } + changes
    }
}

extension Catalog {
    /// The number of tables and columns.
    fileprivate var size: Int { tables.reduce(tables.count) { $0 + $1.columns.count } }
}

/// A number of the objects of a class that is not what it was.
struct NumberChange {
    let className: String
    let request: NumberRequest
    /// The value of the group's key; nil if the number is of all objects.
    let key: StoredValue?
    /// The number before; nil if there was none, or if it was not known.
    let old: StoredValue?
    /// The number after; nil if there is none.
    let new: StoredValue?

    init(
        _ className: String, _ request: NumberRequest, _ change: FollowedNumber.Change, _ values: StoredValues
    ) {
        (self.className, self.request) = (className, request)
        key = change.key.map(values.value)
        (old, new) = (change.before.map(values.value), change.after.map(values.value))
    }

    /// Writes the change as members of a JSON object.
    func write(to json: inout JSONText) {
        json.member("class", className)
        json.member("function", request.functionName)
        json.member("property", request.property)
        if let key {
            json.member("by", request.key)
            json.name("key")
            json.value(key)
        }
        json.name("old")
        json.value(old ?? .null)
        json.name("new")
        json.value(new ?? .null)
    }

    /// The change as a line of text for a person.
    var text: String {
        let name = "\(className) \(request.title)" + (key.map { " \($0.text)" } ?? "")
        let texts = [old, new].compactMap { $0?.text }
        // A number that has ended says so; one that begins has nothing before it.
        return "  = \(name): " + (new == nil ? texts + ["nothing"] : texts).joined(separator: " → ") + "\n"
    }
}

extension JSONText {
    /// Writes numbers as a member, if there are any.
    mutating func numbers(_ numbers: [NumberChange]) {
        if numbers.isEmpty { return }
        name("numbers")
        array { json in for number in numbers { json.object { number.write(to: &$0) } } }
    }
}
