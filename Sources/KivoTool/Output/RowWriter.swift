import KivoEngine
import KivoSchemaDrawing

/// A writer of rows of values, class by class.
struct RowWriter {
    /// The form of the rows.
    enum Format: String, CaseIterable {
        /// JSON objects, one on a line.
        case jsonl
        /// Comma-separated values with a line of names, as spreadsheets read them.
        case csv
        /// Columns for a person, which cut long values.
        case table
    }

    static let option = Command.Option(
        "--format", "FORMAT",
        "The form of the output: \(Format.jsonl.rawValue) as with --json, \(Format.table.rawValue) as with --text.",
        choices: Format.allCases.map(\.rawValue))

    static let formulasOption = Command.Option(
        "--formulas", nil,
        "In CSV, leave texts that a spreadsheet would take for a formula. Without it they begin with an apostrophe."
    )

    private let format: Format
    private let output: Output
    private let guardsFormulas: Bool
    /// The class whose rows are written, and the names of their columns.
    private var (name, columns) = ("", [String]())
    private var hasKeys = false
    /// The names of the columns that CSV has already; nil before the first class.
    private var header: [String]?
    /// The rows of a table that wait for the widths of its columns.
    private var waiting: [[String]] = []
    private var widths: [Int] = []
    private var isFirst = true

    /// The number of rows that determine the widths of a table's columns, and the greatest width.
    private static let (sampleCount, greatestWidth) = (500, 40)

    /// Creates a writer in the form that the options demand, or else in that of the output.
    init(_ arguments: ParsedArguments, _ output: Output) {
        let wanted = arguments.value(RowWriter.option.name).flatMap { Format(rawValue: $0) }
        format = wanted ?? (output.isJSON ? .jsonl : .table)
        self.output = output
        guardsFormulas = !arguments.has(RowWriter.formulasOption.name)
    }

    /// Creates a writer in a form.
    init(_ format: Format, _ output: Output) {
        (self.format, self.output, guardsFormulas) = (format, output, true)
    }

    /// Begins the rows of a class.
    ///
    /// - Throws: ``UsageError`` if CSV would need other columns than before.
    mutating func begin(_ name: String, _ columns: [String], hasKeys: Bool = true) throws {
        (self.name, self.columns, self.hasKeys) = (name, columns, hasKeys)
        switch format {
        case .jsonl: break
        case .table: (waiting, widths) = ([names], [])
        case .csv:
            guard let header else {
                self.header = columns
                return output.write(RowWriter.csvHeader(columns, hasKeys: hasKeys))
            }
            if header != columns {
                throw UsageError(
                    "the classes have other columns: name one '--class', or the '--fields' of all")
            }
        }
    }

    private var names: [String] { (hasKeys ? ["key"] : []) + columns }

    /// Writes a row, with the key of its object if the rows have keys.
    mutating func write(_ key: ObjectKey? = nil, _ values: [StoredValue]) throws(OutputEnd) {
        switch format {
        case .jsonl:
            output.write(
                JSONText.line { json in
                    json.member("class", name)
                    let values = Array(zip(columns, values)).map { (name: $0, value: $1) }
                    if let key { json.row(key, values) } else { json.values(values) }
                })
        case .csv:
            output.write(RowWriter.csvLine(name, key, values, guardsFormulas: guardsFormulas))
        case .table:
            let row = (key.map { ["\($0)"] } ?? []) + values.map(RowWriter.cell)
            guard widths.isEmpty else { return try writeLine(row) }
            waiting.append(row)
            if waiting.count > RowWriter.sampleCount { try writeWaiting() }
        }
        try output.checkIsOpen()
    }

    /// Ends the rows of a class.
    mutating func end() throws(OutputEnd) { if format == .table, widths.isEmpty { try writeWaiting() } }

    private mutating func writeWaiting() throws(OutputEnd) {
        if !isFirst { write("") }
        isFirst = false
        widths = names.indices.map { column in waiting.map { TextWidth.columns($0[column]) }.max()! }
        write(name)
        for row in waiting { try writeLine(row) }
        waiting = []
    }

    private func writeLine(_ row: [String]) throws(OutputEnd) {
        var line = ""
        for (cell, width) in zip(row, widths) {
            line += "  " + TextWidth.padded(RowWriter.cut(cell, width), to: width)
        }
        while line.last == " " { line.removeLast() }
        write(line)
    }

    private func write(_ line: String) { output.write(line + "\n") }

    private static func cell(_ value: StoredValue) -> String { cut(value.text, greatestWidth) }

    private static func cut(_ text: String, _ width: Int) -> String {
        if TextWidth.columns(text) <= width { return text }
        var cut = text
        while !cut.isEmpty, TextWidth.columns(cut) >= width { cut.removeLast() }
        return cut + "…"
    }

    /// Returns the line of names of CSV.
    static func csvHeader(_ columns: [String], hasKeys: Bool = true) -> String {
        (["class"] + (hasKeys ? ["key"] : []) + columns).map(quoted).joined(separator: ",") + "\n"
    }

    /// Returns a row of CSV. An empty text is quoted, unlike null.
    ///
    /// - Parameter guardsFormulas: Whether texts begin with an apostrophe that a spreadsheet would otherwise take for a formula, and
    ///   carry out.
    static func csvLine(
        _ name: String, _ key: ObjectKey?, _ values: [StoredValue], guardsFormulas: Bool = true
    ) -> String {
        let fields = values.map { value in
            let text = value.plainText
            if text.isEmpty, !value.isNull { return "\"\"" }
            return quoted(guardsFormulas && value.isText && isFormula(text) ? "'" + text : text)
        }
        return ([quoted(name)] + (key.map { ["\($0)"] } ?? []) + fields).joined(separator: ",") + "\n"
    }

    /// Whether a text is a formula, or a formula behind apostrophes, which would otherwise seem to be guarded.
    private static func isFormula(_ text: String) -> Bool {
        text.utf8.first { $0 != UInt8(ascii: "'") }.map { "=+-@\t\r".utf8.contains($0) } ?? false
    }

    /// Returns the text whose guarded form a field of CSV has.
    static func unguarded(_ text: String) -> String {
        text.utf8.first == UInt8(ascii: "'") && isFormula(text) ? String(text.dropFirst()) : text
    }

    private static func quoted(_ field: String) -> String {
        guard field.utf8.contains(where: { "\",\n\r".utf8.contains($0) }) else { return field }
        return "\"" + field.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
            + "\""
    }
}

extension StoredValue {
    /// Whether the value is null, or a value of any type that is.
    fileprivate var isNull: Bool { self == .null || self == .any(.null) }

    /// Whether the value is a string, or a value of any type with one.
    fileprivate var isText: Bool {
        switch self {
        case .string: true
        case .any(let value): value.isText
        default: false
        }
    }
}
