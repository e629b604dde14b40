import Kivo
import KivoEngine
import KivoSourceModel

/// The columns of a CSV file: their names, and the properties for which they are.
struct CSVColumns {
    /// A column with values of a property.
    struct Column {
        /// The position in a row.
        var index: Int
        var name: String
        /// The property that `--map` names, or nil if it names none.
        var mapped: String?
        /// The type that `--type` names, or nil if it names none.
        var type: CSVColumnType.Given?
    }

    /// The number of fields of each row.
    let count: Int
    /// The columns with values, without those that `--map` leaves out.
    let columns: [Column]
    /// The positions of the class and the key of each object, with which the rows of `kivo dump` begin.
    let (classIndex, keyIndex): (Int?, Int?)

    /// Reads the names of the columns from the first row.
    ///
    /// - Parameters:
    ///   - maps: Texts of the form `COLUMN=PROPERTY`. Without a property, the column is left out.
    ///   - types: Texts of the form `COLUMN=TYPE`.
    init(_ header: [CSVReader.Field], maps: [String], types: [String] = []) throws {
        var names: [String] = []
        for (index, field) in header.enumerated() {
            guard let name = field.text else {
                throw Problem("line 1: the name of column \(index + 1) is not valid UTF-8")
            }
            if name.isEmpty { throw Problem("line 1: column \(index + 1) has no name") }
            names.append(name)
        }
        count = names.count
        let properties = try CSVColumns.mapping(maps, "mapping", "PROPERTY")
        let types = try CSVColumns.mapping(types, "type of a column", "TYPE")
            .mapValues { text throws(UsageError) in try CSVColumnType.Given(text) }
        // A dump has these two columns beside properties, which may have the same names.
        let isDump = names.starts(with: ["class", "key"])
        func isOfDump(_ index: Int) -> Bool {
            let name = names[index]
            return isDump && (properties[name] == nil || names.dropFirst(2).contains(name))
        }
        (classIndex, keyIndex) = (isDump && isOfDump(0) ? 0 : nil, isDump && isOfDump(1) ? 1 : nil)
        var columns: [Column] = []
        for (index, name) in names.enumerated() where index != classIndex && index != keyIndex {
            if columns.contains(where: { $0.name == name }) {
                throw Problem("line 1: two columns have the name '\(name)'")
            }
            columns.append(Column(index: index, name: name, mapped: properties[name], type: types[name]))
        }
        for name in Set(properties.keys).union(types.keys).sorted()
        where !columns.contains(where: { $0.name == name }) {
            throw UsageError(
                "there is no column '\(name)'" + Spelling.suggestion(for: name, among: columns.map(\.name)))
        }
        self.columns = columns.filter { $0.mapped != "" }
        if self.columns.isEmpty { throw Problem("line 1: there is no column for a property") }
    }

    /// Returns what texts of the form `COLUMN=VALUE` say of columns, by their names.
    private static func mapping(
        _ texts: [String], _ noun: String, _ value: String
    ) throws(UsageError) -> [String: String] {
        var values: [String: String] = [:]
        for text in texts {
            // The name of a column can have any character, and that of a property or type cannot.
            guard let sign = text.lastIndex(of: "="), sign != text.startIndex else {
                throw UsageError("'\(text)' is no \(noun): 'COLUMN=\(value)'")
            }
            let name = String(text[..<sign])
            if values.updateValue(String(text[text.index(after: sign)...]), forKey: name) != nil {
                throw UsageError("column '\(name)' has two \(noun == "mapping" ? "mappings" : "types")")
            }
        }
        return values
    }

    /// Throws a problem that names the line and the column, if a row has other fields than the first one.
    func check(_ fields: [CSVReader.Field], line: Int) throws(Problem) {
        guard fields.count == count else {
            throw Problem("line \(line): there are \(fields.count) fields for \(count) columns")
        }
        for column in columns where fields[column.index].text == nil {
            throw Problem("line \(line), column '\(column.name)': this is not valid UTF-8")
        }
    }

    // MARK: Properties

    /// Returns the property of each column in a new class.
    func newProperties() throws -> [String] {
        let names = try columns.map { column in
            if let mapped = column.mapped {
                if !CSVColumns.isName(mapped) {
                    throw UsageError("'\(mapped)' cannot be the name of a property")
                }
                return mapped
            }
            guard let name = CSVColumns.propertyName(of: column.name) else {
                throw Problem("column '\(column.name)': \(hint(column)) names its property")
            }
            return name
        }
        try checkAreUnique(names)
        return names
    }

    /// Returns the property of each column in a class that exists.
    func properties(of some: StoredClass) throws -> [TableProperty] {
        let properties = try columns.map { column in
            let names =
                [column.mapped ?? column.name]
                + (column.mapped == nil ? [CSVColumns.propertyName(of: column.name)] : [])
            for case let name? in names {
                if let property = some.properties.first(where: { $0.name == name }) { return property }
            }
            let message =
                "class '\(some.name)' has no property '\(names[0]!)'"
                + Spelling.suggestion(for: names[0]!, among: some.properties.map(\.name))
            throw column.mapped == nil
                ? Problem(
                    "column '\(column.name)': \(message) \(hint(column)) names one, or none to leave it out")
                : UsageError(message)
        }
        try checkAreUnique(properties.map(\.name))
        return properties
    }

    private func hint(_ column: Column) -> String { "--map '\(column.name)=PROPERTY'" }

    private func checkAreUnique(_ properties: [String]) throws(Problem) {
        for (index, name) in properties.enumerated() {
            guard let other = properties[..<index].firstIndex(of: name) else { continue }
            throw Problem(
                "columns '\(columns[other].name)' and '\(columns[index].name)' are both for property '\(name)'; \(hint(columns[index])) names another one"
            )
        }
    }

    /// Whether a text can be the name of a class or property: predicates and Swift can spell it.
    static func isName(_ text: String) -> Bool {
        guard let first = text.first, first.isLetter || first == "_" else { return false }
        return text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } && text.contains { $0 != "_" }
    }

    /// Returns the name of a column as that of a property: the name itself, or its words as in `orderNumber`; nil if it has no words.
    private static func propertyName(of column: String) -> String? {
        if isName(column) { return column }
        let words = column.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        guard let first = words.first else { return nil }
        let isShort = first.allSatisfy { $0.isUppercase }
        let start = isShort ? first.lowercased() : first.prefix(1).lowercased() + first.dropFirst()
        let name = start + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return [name, "_" + name].first(where: isName)
    }
}
