import KivoEngine
import KivoJournal
import KivoSchemaDrawing

extension CSVImport.Arguments {
    /// Reads the arguments of an import; nil if it is not of CSV.
    init?(_ arguments: ParsedArguments, _ source: String) throws(UsageError) {
        guard let name = arguments.value("--class") else {
            if source.lowercased().hasSuffix(".csv") {
                throw UsageError("'--class' is missing, the class of the rows of '\(source)'")
            }
            let options = ["--map", "--type", "--key", "--new-class", "--dry-run", "--formulas"]
            for option in options where arguments.has(option) {
                throw UsageError("'\(option)' is for CSV, and needs a '--class'")
            }
            return nil
        }
        self.init(
            className: name, maps: arguments.values("--map"), types: arguments.values("--type"),
            key: arguments.value("--key"), isNewClass: arguments.has("--new-class"),
            guardsFormulas: !arguments.has("--formulas"), isDry: arguments.has("--dry-run"))
    }
}

extension CSVImport {
    /// Imports a CSV file into a file, or rehearses that, and prints the result.
    static func run(
        _ lines: String, _ source: String, into path: String, _ arguments: Arguments, _ output: Output
    ) throws -> ExitCode {
        let isNew = !FileSystem.exists(path)
        var rows: CSVImport
        do {
            rows = try CSVImport(lines, arguments) { output.progress($0, $1, of: $2) }
        } catch let error as Problem {
            throw error
        } catch let error as UsageError {
            throw error
        } catch {
            throw Problem("'\(source)' cannot be read: \(error.localizedDescription)")
        }
        if isNew {
            try rows.write(intoNewFile: path)
        } else {
            let file = try StoredFile.read(path)
            // Its nodes are read through addresses, which do not retain it.
            try withExtendedLifetime(file) { try rows.write(into: file) }
        }
        if output.isJSON {
            output.write(JSONText.line { rows.write(to: &$0, path, isNew: isNew) })
        } else {
            output.write(rows.text(path, isNew: isNew))
            try rows.writeSamples(output)
            for problem in rows.problems { output.write(problem + "\n") }
            if rows.problemCount > rows.problems.count {
                output.write("and \(rows.problemCount - rows.problems.count) more problems\n")
            }
        }
        return rows.problemCount == 0 ? .success : .problem
    }

    private func write(to json: inout JSONText, _ path: String, isNew: Bool) {
        json.member("file", path)
        json.member("class", arguments.className)
        json.member("isNew", isNew)
        json.member("rows", rowCount)
        json.member("inserted", inserted)
        json.member("updated", updated)
        json.member("isWritten", !arguments.isDry)
        guard arguments.isDry else { return }
        json.name("properties")
        json.array { json in
            for property in properties {
                json.object { json in
                    json.member("name", property.outline.name)
                    json.member("type", property.outline.declaredType)
                    json.member("isPrimaryKey", property.outline.isPrimaryKey)
                    json.member("column", property.column)
                }
            }
        }
        json.name("first")
        json.array { json in
            for (key, values) in samples {
                let values = zip(properties, values).map { (name: $0.outline.name, value: $1) }
                json.object { $0.row(key, values) }
            }
        }
        json.member("problems", problemCount)
        json.name("messages")
        json.array { json in for problem in problems { json.string(problem) } }
    }

    private func text(_ path: String, isNew: Bool) -> String {
        let (rows, objects) = (CSVImport.count(rowCount, "row"), CSVImport.count(inserted, "object"))
        guard arguments.isDry else {
            return isNew
                ? "\(objects) of class '\(arguments.className)' in '\(path)'\n"
                : "added \(objects) of class '\(arguments.className)', and changed \(updated)\n"
        }
        let file = isNew ? "the new file '\(path)'" : "'\(path)'"
        var text = """
            \(rows) would add \(objects) of class '\(arguments.className)' to \(file), and change \(updated)

            """
        let cells = properties.map { property in
            let type = property.outline.declaredType + (property.outline.isPrimaryKey ? ", primary key" : "")
            return [property.outline.name, type, "column '\(property.column)'"]
        }
        let widths = (0..<2).map { column in cells.map { TextWidth.columns($0[column]) }.max() ?? 0 }
        for row in cells {
            text += "  "
            for (cell, width) in zip(row, widths) { text += TextWidth.padded(cell, to: width + 2) }
            text += row[2] + "\n"
        }
        return text + "\n"
    }

    /// Writes the first objects as `dump` does.
    private func writeSamples(_ output: Output) throws(OutputEnd) {
        if samples.isEmpty { return }
        var rows = RowWriter(.table, output)
        try? rows.begin(arguments.className, properties.map(\.outline.name))
        for (key, values) in samples { try rows.write(key, values) }
        try rows.end()
        output.write("\n")
    }

    private static func count(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}
