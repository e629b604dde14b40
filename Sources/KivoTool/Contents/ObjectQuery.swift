import Kivo
import KivoEngine
import KivoSourceModel

/// The objects that a command is about: those of some classes, each with a condition, in an order, up to a number.
struct ObjectQuery {
    /// A class, and the query of its objects; without a query, all of them in the order of their keys.
    struct Selection {
        var some: StoredClass
        var query: TextQuery?

        /// The query, also of all objects.
        var textQuery: TextQuery { query ?? TextQuery(some.name) }
    }

    static let options = [
        Command.Option("--class", "NAME", "Only the objects of a class. Can be given several times."),
        Command.Option(
            "--where", "PREDICATE",
            "Only the objects of the --class before it for which a predicate holds, as in 'age > 5 AND name BEGINSWITH \"R\"'."
        ),
        Command.Option(
            "--arg", "VALUE",
            "The value for the next %@ or %d of the predicates, read as the property's type. Needs no quoting."
        ),
        Command.Option(
            "--sort", "NAMES", "The properties or paths to sort by, separated by commas; -NAME is descending."
        ),
        Command.Option("--limit", "COUNT", "Only so many objects of each class, the first."),
    ]

    /// The functions of properties, each of which is an option.
    static let functions = [
        (name: "sum", summary: "The sum of a property instead of the objects."),
        (name: "avg", summary: "The average of a property."),
        (name: "min", summary: "The smallest value of a property."),
        (name: "max", summary: "The greatest value of a property."),
    ]

    /// The names of the options that leave out objects.
    static let selecting = ["--class", "--where", "--limit"]

    let values: StoredValues
    let selections: [Selection]
    let limit: Int?
    private let realm: Realm?
    /// The owner of the snapshot.
    private let file: StoredFile

    /// - Parameter realm: The realm of the file to read, instead of one that is opened if it is needed.
    init(_ arguments: ParsedArguments, _ file: StoredFile, in realm: Realm? = nil) throws {
        let hasOrder = !arguments.names("--sort").isEmpty
        limit = try arguments.count("--limit")
        self.file = file
        let isQuery = hasOrder || arguments.has("--where")
        let hasFunctions = ObjectQuery.functions.contains { arguments.has("--" + $0.name) }
        self.realm = try realm ?? (isQuery || hasFunctions ? file.realm() : nil)
        values = self.realm.map { StoredValues($0.inspected.snapshot, $0.inspected.catalog) } ?? file.values
        selections = try ObjectQuery.selections(arguments, values.catalog, of: file.path)
    }

    /// Returns what the arguments select of the classes of a file; without arguments all objects of all classes.
    static func selections(
        _ arguments: ParsedArguments, _ catalog: Catalog, of path: String
    ) throws -> [Selection] {
        let wanted = try ObjectQuery.conditions(arguments)
        let names = arguments.names("--sort")
        let classes = StoredClass.all(catalog)
        var texts = arguments.values("--arg")[...]
        let selected: [(some: StoredClass, predicate: String?)] =
            wanted.isEmpty
            ? classes.map { ($0, nil) }
            : try wanted.map { (try StoredClass.named($0.name, in: classes, of: path), $0.predicate) }
        let selections = try selected.map { some, predicate in
            let order = try names.map { try SortDescriptor($0, of: some, catalog) }
            if predicate == nil, order.isEmpty { return Selection(some: some) }
            do {
                let query = try TextQuery(some.name, where: predicate, taking: &texts, order: order) {
                    names in
                    guard let path = try? FieldPath.resolve(names, of: some, catalog), path.rest.isEmpty
                    else { return nil }
                    return path.steps.last.flatMap { ScalarType(rawValue: $0.property.spec.typeCode) }
                }
                for path in query.paths { try FieldPath.check(path, of: some, catalog) }
                return Selection(some: some, query: query)
            } catch let error as Realm.Error where error.code == .invalidInput {
                throw UsageError(error.message)
            }
        }
        if let text = texts.first { throw UsageError("no '%@' or '%d' takes the argument '\(text)'") }
        return selections
    }

    /// Returns the classes and conditions of the arguments. A condition belongs to the class before it; one class can follow.
    private static func conditions(
        _ arguments: ParsedArguments
    ) throws(UsageError) -> [(name: String, predicate: String?)] {
        var wanted: [(name: String?, predicate: String?)] = []
        for (option, value) in arguments.options {
            switch option {
            case "--class":
                if wanted.count == 1, wanted[0].name == nil {
                    wanted[0].name = value
                } else {
                    wanted.append((value, nil))
                }
            case "--where":
                if wanted.isEmpty { wanted.append((nil, nil)) }
                guard wanted[wanted.count - 1].predicate == nil else {
                    throw UsageError("a class takes one '--where'; combine conditions by AND")
                }
                wanted[wanted.count - 1].predicate = value
            default: continue
            }
        }
        var conditions: [(name: String, predicate: String?)] = []
        for (name, predicate) in wanted {
            guard let name else { throw UsageError("'--where' needs a '--class'") }
            if conditions.contains(where: { $0.name == name }) {
                throw UsageError("class '\(name)' is given twice")
            }
            conditions.append((name, predicate))
        }
        return conditions
    }

    /// Returns the number of objects of a class.
    func count(_ selection: Selection) -> Int {
        let count = selectedKeys(selection)?.count ?? values.snapshot.table(selection.some.table).count
        return min(limit ?? .max, count)
    }

    /// Returns the keys of the objects of a class.
    func keys(_ selection: Selection) throws -> [ObjectKey] {
        var keys: [ObjectKey] = []
        try forEachKey(selection) { keys.append($0) }
        return keys
    }

    /// Calls `body` with the keys of the objects of a class.
    func forEachKey(_ selection: Selection, _ body: (ObjectKey) throws -> Void) throws {
        if let keys = selectedKeys(selection) { return try keys.prefix(limit ?? .max).forEach(body) }
        var remaining = limit ?? .max
        var failure: (any Error)?
        values.snapshot.table(selection.some.table).forEachKeyWhile { key in
            guard remaining > 0 else { return false }
            remaining -= 1
            do {
                try body(key)
                return true
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
    }

    /// Returns what a query finds, without the limit; nil if there is no query.
    private func selectedKeys(_ selection: Selection) -> [ObjectKey]? {
        selection.query.map { realm!.keys(of: $0) }
    }

    /// Returns the way in which the objects of a class are found. The limit does not change it.
    func explanation(_ selection: Selection) -> QueryExplanation {
        if let query = selection.query { return realm!.explanation(of: query) }
        let count = values.snapshot.table(selection.some.table).count
        return QueryExplanation(access: .all, rowCount: count, isSorted: false)
    }

    /// Returns the result of one of the functions of the arguments, of the objects of a class.
    func aggregate(_ function: String, of path: FieldPath, _ selection: Selection) throws -> StoredValue {
        guard let (cell, type) = realm!.aggregate(function, of: path.name, selection.textQuery) else {
            return function == "sum" ? .int(0) : .null
        }
        return StoredValue(cell, type) ?? values.any(cell)
    }
}

extension StoredClass {
    /// Returns the class of a name. Throws ``Problem`` if a file has none.
    static func named(
        _ name: String, in classes: [StoredClass], of path: String
    ) throws(Problem) -> StoredClass {
        if let some = classes.first(where: { $0.name == name }) { return some }
        throw Problem(
            "'\(path)' has no class '\(name)'"
                + Spelling.suggestion(for: name, among: classes.map(\.name)))
    }
}
