import Kivo
import KivoEngine

extension Command {
    static let explain = Command(
        name: "explain", summary: "What is read of a file to find the objects of a condition.",
        discussion: """
            Says whether the primary key, an index or links narrow the objects down, or all of them are scanned;
            how many objects are read and how many are found; whether they are sorted; and the time, which
            includes that of reading the file. An index is not used if it leaves too many objects: to read one
            alone costs as much as to read 32 in a row.

              kivo explain shop.kivo --class Order --where "customer == %@ AND total > 5" --arg Mia --sort -total
            """,
        arguments: [.fileOrLog],
        options: ObjectQuery.options.filter { $0.name != "--limit" } + [.json, .text]
    ) { arguments, output in
        guard arguments.has("--class") else { throw UsageError("'--class' is missing") }
        let file = try StoredFile.read(arguments.words[0])
        let query = try ObjectQuery(arguments, file)
        for (index, selection) in query.selections.enumerated() {
            let plan = try ExplainedQuery(query, selection)
            if output.isJSON {
                output.write(JSONText.line(plan.write))
            } else {
                output.write((index == 0 ? "" : "\n") + plan.text)
            }
            try output.checkIsOpen()
        }
        return .success
    }
}

/// How the objects of a class were found.
private struct ExplainedQuery {
    private let some: StoredClass
    private let plan: QueryExplanation
    /// The number of objects that were found.
    private let foundCount: Int
    private let time: Duration

    init(_ query: ObjectQuery, _ selection: ObjectQuery.Selection) throws {
        let start = ContinuousClock.now
        foundCount = try query.keys(selection).count
        time = ContinuousClock.now - start
        (some, plan) = (selection.some, query.explanation(selection))
    }

    /// The properties of the plan's columns.
    private var properties: [TableProperty] {
        plan.columns.compactMap { some.properties.owner(ofColumn: $0) }
    }

    private var access: String {
        switch plan.access {
        case .all: "all"
        case .scan: "scan"
        case .lookup: properties.contains { !$0.spec.isPrimaryKey } ? "index" : "primaryKey"
        }
    }

    private var milliseconds: Double {
        let (seconds, attoseconds) = time.components
        return ((Double(seconds) * 1e6 + Double(attoseconds) / 1e12).rounded()) / 1000
    }

    func write(to json: inout JSONText) {
        json.member("class", some.name)
        json.member("access", access)
        json.name("properties")
        json.array { json in for property in properties { json.string(property.name) } }
        json.member("objects", plan.rowCount)
        json.member("read", plan.candidateCount)
        json.member("found", foundCount)
        json.member("sorts", plan.isSorted)
        json.name("milliseconds")
        json.number(finite: milliseconds)
    }

    var text: String {
        """
        \(some.name)
          way    \(way)
          reads  \(plan.candidateCount) of \(objects(plan.rowCount))
          finds  \(objects(foundCount))
          order  \(plan.isSorted ? "sorts \(objects(foundCount))" : "that of their keys, which costs nothing")
          time   \(milliseconds) ms

        """
    }

    private func objects(_ count: Int) -> String { "\(count) \(count == 1 ? "object" : "objects")" }

    private var way: String {
        switch plan.access {
        case .all: return "all objects, because there is no condition"
        case .scan where properties.isEmpty: return "a scan: no index has the values of the condition"
        case .scan: return "a scan: \(lookups) would not be faster"
        case .lookup: return lookups
        }
    }

    /// The lookups by the plan's columns, in words.
    private var lookups: String {
        properties.map { property in
            property.spec.isPrimaryKey
                ? "the primary key '\(property.name)'"
                : property.spec.target == nil
                    ? "the index of '\(property.name)'" : "the links of '\(property.name)'"
        }.joined(separator: " and ")
    }
}
