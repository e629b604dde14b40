import Kivo
import KivoEngine

extension Command {
    static let dump = Command(
        name: "dump", summary: "Print objects of a file, or what they add up to.",
        discussion: """
            In the order of classes by name, and of keys. In JSON, a line has 'class', 'key' and 'values'.
            Links are the keys of the objects that they lead to: {"key":5}. Embedded objects have lines of
            their own. CSV has the text of each value, and JSON for collections. Its texts are no formulas:
            an apostrophe is before those that a spreadsheet would calculate, unless --formulas is given;
            'kivo import' removes it.

              kivo dump pets.kivo --class Dog --where "age > 5" --sort -age,name --limit 10
              kivo dump pets.kivo --class Dog --where "name == %@" --arg "$NAME" --fields name,mother.name
              kivo dump pets.kivo --class Dog --where "born < date(2020-01-31)" --class Person --count
            """,
        arguments: [.fileOrLog],
        options: ObjectQuery.options + shapes + [.json, .text]
    ) { arguments, output in
        try write(arguments, StoredFile.read(arguments.words[0]), output)
        return .success
    }

    /// The options that say what is printed of objects, instead of all their properties.
    static let shapes =
        [
            Option(
                "--fields", "NAMES",
                "Only some properties, separated by commas, also through links to one object: name,mother.name."
            ),
            Option("--count", nil, "The number of objects instead of the objects."),
        ] + ObjectQuery.functions.map { Option("--" + $0.name, "NAME", $0.summary) } + [
            RowWriter.option, RowWriter.formulasOption,
        ]

    /// Writes the objects of a query, or what they add up to, in the shape and format that the arguments say.
    static func write(_ arguments: ParsedArguments, _ file: StoredFile, _ output: Output) throws {
        let summary = try ObjectSummary(arguments)
        let query = try ObjectQuery(arguments, file)
        var rows = RowWriter(arguments, output)
        if let summary {
            try summary.write(query, to: &rows)
        } else {
            try query.write(fields: arguments.names("--fields"), to: &rows, output)
        }
    }
}

extension ObjectQuery {
    /// Writes the objects, with some of their properties; with all of them if none is named.
    fileprivate func write(fields: [String], to rows: inout RowWriter, _ output: Output) throws {
        let catalog = values.catalog
        let classes = try selections.map { selection in
            let some = selection.some
            return (
                selection,
                fields.isEmpty
                    ? some.properties.map { FieldPath($0, of: some) }
                    : try fields.map { try FieldPath($0, of: some, catalog) }
            )
        }
        for (selection, paths) in classes {
            try rows.begin(selection.some.name, paths.map(\.name))
            try forEachKey(selection) { key in
                try rows.write(key, paths.map { $0.value(of: key, values) })
            }
            try rows.end()
        }
    }
}

/// The number of the objects of a query, and the results of functions of their properties.
private struct ObjectSummary {
    private let columns: [(function: String, property: String)]
    private let hasCount: Bool

    /// Returns nil if the options demand no summary.
    init?(_ arguments: ParsedArguments) throws {
        let names = ObjectQuery.functions.map(\.name)
        columns = arguments.options.compactMap { option in
            names.first { "--" + $0 == option.name }.map { ($0, option.value) }
        }
        hasCount = arguments.has("--count")
        if columns.isEmpty, !hasCount { return nil }
        if arguments.has("--fields") {
            throw UsageError("'--fields' are of objects, which a summary leaves out")
        }
        if !columns.isEmpty, arguments.has("--limit") {
            throw UsageError("'--\(columns[0].function)' is of all objects, and takes no '--limit'")
        }
    }

    func write(_ query: ObjectQuery, to rows: inout RowWriter) throws {
        for selection in query.selections {
            let paths = try columns.map {
                try FieldPath($0.property, of: selection.some, query.values.catalog)
            }
            var values = hasCount ? [StoredValue.int(query.count(selection))] : []
            for (column, path) in zip(columns, paths) {
                values.append(try query.aggregate(column.function, of: path, selection))
            }
            try rows.begin(
                selection.some.name,
                (hasCount ? ["count"] : []) + columns.map { "\($0.function)(\($0.property))" }, hasKeys: false
            )
            try rows.write(nil, values)
            try rows.end()
        }
    }
}
