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
        let query: TextQuery
        var number: FollowedNumber

        func changes(_ changes: [FollowedNumber.Change]) -> [NumberChange] {
            changes.map { NumberChange(some.name, number.request, $0) }
        }
    }

    private let path: String
    private var places: [Place] = []
    /// The heap of the history whose newest version the numbers are at.
    private var heap: Heap

    /// Evaluates the numbers that the arguments demand in the newest version of a history. Returns nil if they demand none.
    ///
    /// - Throws: ``UsageError`` or ``Problem`` if there is no such class or property, or no such number of it.
    init?(_ arguments: ParsedArguments, of path: String, _ history: CommitHistory) throws {
        let requests = try WatchedNumbers.requests(arguments)
        if requests.isEmpty { return nil }
        (self.path, heap) = (path, history.heap)
        let (snapshot, catalog) = (history.snapshot, history.catalog)
        let isNamed = arguments.has("--class")
        for selection in try ObjectQuery.selections(arguments, catalog, of: path) {
            var none: ArraySlice<String> = []
            let query = try selection.query ?? TextQuery(selection.some.name, where: nil, taking: &none)
            for request in requests where isNamed || request.fits(selection.some, catalog) {
                let number = try WatchedNumbers.number(request, selection.some, query, snapshot, catalog)
                places.append(Place(some: selection.some, query: query, number: number))
            }
        }
        if places.isEmpty {
            throw Problem("no class of '\(path)' has the properties of '\(requests[0].title)'")
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

    /// Begins to follow a number of the objects of a class, in a version that has the class.
    private static func number(
        _ request: NumberRequest, _ some: StoredClass, _ query: TextQuery, _ snapshot: Snapshot,
        _ catalog: Catalog
    ) throws -> FollowedNumber {
        for name in request.names { _ = try FieldPath(name, of: some, catalog) }
        do {
            return try CheckedQuery.follow(request, of: query, snapshot, catalog)
        } catch let mistake as QueryMistake {
            throw UsageError(mistake.message)
        }
    }

    /// The numbers as they are now.
    var current: [NumberChange] { places.flatMap { $0.changes($0.number.results) } }

    /// Follows the last record of the history, and returns what it changed.
    mutating func follow(
        _ record: JournalReader.Record, _ history: CommitHistory
    ) throws -> [NumberChange] {
        let (snapshot, catalog) = (history.snapshot, history.catalog)
        if history.heap === heap, case .commit = record.kind, let last = history.last {
            let traversals = ChangeTraversals(last.changes, snapshot, catalog)
            return places.flatMap { $0.changes($0.number.update(traversals, old: last.before)) }
        }
        // Another file, or other properties of the classes.
        heap = history.heap
        let classes = StoredClass.all(catalog)
        return try places.indices.flatMap { index in
            let place = places[index]
            let some = try StoredClass.named(place.some.name, in: classes, of: path)
            let next = try WatchedNumbers.number(
                place.number.request, some, place.query, snapshot, catalog)
            places[index].number = next
            return place.changes(place.number.changes(to: next))
        }
    }
}

extension NumberRequest {
    /// The properties and paths that it reads.
    fileprivate var names: [String] { [property, key].compactMap { $0 } }

    /// Returns whether a class has the properties.
    fileprivate func fits(_ some: StoredClass, _ catalog: Catalog) -> Bool {
        names.allSatisfy { (try? FieldPath($0, of: some, catalog)) != nil }
    }
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

    init(_ className: String, _ request: NumberRequest, _ change: FollowedNumber.Change) {
        func value(_ value: FollowedNumber.Value) -> StoredValue {
            StoredValue(value.cell, value.type) ?? .null
        }
        (self.className, self.request) = (className, request)
        (key, old, new) = (change.key.map(value), change.before.map(value), change.after.map(value))
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
        return switch (old, new) {
        case (nil, let new?): "  = \(name): \(new.text)\n"
        case (let old?, nil): "  = \(name): \(old.text) → nothing\n"
        case (let old?, let new?): "  = \(name): \(old.text) → \(new.text)\n"
        case (nil, nil): "  = \(name): nothing\n"
        }
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
