import Kivo
import KivoEngine
import KivoSchemaDrawing
import KivoSourceModel

/// The lines of `kivo shell`: commands without the name of the file, and short forms.
struct Shell {
    /// The forms of lines beside commands.
    static let shortForms = [
        (name: ".classes", summary: "The classes, with their numbers of objects."),
        (name: ".schema", summary: "The properties of all classes, or of one: .schema Dog"),
        (name: ".watch", summary: "What is committed from now on, until Ctrl-C."),
        (name: ".help", summary: "This."),
        (name: ".quit", summary: "Ends the shell, as Ctrl-D does."),
    ]
    /// The number of objects that a predicate shows.
    static let shownObjects = 50

    let path: String
    let isWritable: Bool

    /// The commands that a line can call.
    var commands: [Command] { Tool.root.subcommands.filter { $0.name != Command.shell.name } }

    /// The effect of a line.
    enum Effect: Equatable {
        case done(ExitCode)
        case quit
    }

    /// Runs a line. An interruption ends what it does.
    func run(_ line: String, _ output: Output) -> Effect {
        let line = String(line.trimmingPrefix { $0.isWhitespace })
        let name = line.prefix { !$0.isWhitespace }
        if name == ".quit" || name == ".exit" { return .quit }
        let code = Tool.reporting("", output) {
            switch name {
            case "": return .success
            case _ where name.hasPrefix("#"): return .success
            case ".help": return help(output)
            case "help" where line.allSatisfy { !$0.isWhitespace }: return help(output)
            case ".classes": return try writeClasses(output)
            case ".schema": return try writeSchema(ShellLine.words(of: line).dropFirst(), output)
            case ".watch":
                return Tool.perform(
                    ["watch"] + (try ShellLine.words(of: line).dropFirst()), output, in: self)
            default: break
            }
            if commands.contains(where: { $0.name == name })
                || ["help", "--help", "--version"].contains(name)
            {
                return Tool.perform(try ShellLine.words(of: line), output, in: self)
            }
            return try writeObjects(String(name), where: line.dropFirst(name.count), output)
        }
        return .done(Tool.finish(code, output))
    }

    /// Throws if a line would change a file that the shell only reads.
    func check(_ command: Command, _ name: String, _ arguments: ParsedArguments) throws(UsageError) {
        if isWritable { return }
        if command.changesFile && !arguments.has("--dry-run") || arguments.has("--writable") {
            throw UsageError("'\(name)' can change the file, which 'kivo shell --writable' allows")
        }
    }

    // MARK: Short forms

    private func help(_ output: Output) -> ExitCode {
        let objects = [
            ("CLASS", "The objects of a class."), ("CLASS PREDICATE", "Some of them: Dog age > 5"),
        ]
        output.write(
            "A line is a command without the name of the file, or one of:\n"
                + Help.section("Short forms", objects + Shell.shortForms.map { ($0.name, $0.summary) })
                + Help.section("Commands", commands.map { ($0.name, $0.summary) })
                + "\n'COMMAND --help' says more about one. Quotes are those of a shell, except in predicates of\n"
                + "short forms, which are the rest of the line.\n")
        return .success
    }

    private func writeClasses(_ output: Output) throws -> ExitCode {
        let file = try StoredFile.read(path)
        let width = file.classes.map { TextWidth.columns($0.name) }.max() ?? 0
        for some in file.classes {
            let count = file.history.snapshot.table(some.table).count
            if output.isJSON {
                output.write(
                    JSONText.line { json in
                        json.member("class", some.name)
                        json.member("objects", count)
                    })
            } else {
                let name = TextWidth.padded(some.name, to: width + 2)
                output.write("\(name)\(count)\(some.isEmbedded ? " (embedded)" : "")\n")
            }
        }
        return .success
    }

    private func writeSchema(_ names: ArraySlice<String>, _ output: Output) throws -> ExitCode {
        let file = try StoredFile.read(path)
        var outline = SchemaOutline(file.history.catalog)
        if let name = names.first {
            if names.count > 1 { throw UsageError("'.schema' takes one class") }
            _ = try StoredClass.named(name, in: file.classes, of: path)
            outline.classes.removeAll { $0.name != name }
        }
        output.write(outline.drawn(as: output.isJSON ? .json : .text))
        return .success
    }

    /// Writes the first objects of a class for which a predicate holds.
    private func writeObjects(_ name: String, where rest: Substring, _ output: Output) throws -> ExitCode {
        let file = try StoredFile.read(path)
        guard file.classes.contains(where: { $0.name == name }) else {
            let names = commands.map(\.name) + Shell.shortForms.map(\.name) + file.classes.map(\.name)
            throw UsageError(
                "there is no command and no class '\(name)'" + Spelling.suggestion(for: name, among: names))
        }
        let predicate = rest.trimmingPrefix { $0.isWhitespace }
        let words = ["", "--class", name] + (predicate.isEmpty ? [] : ["--where", String(predicate)])
        let query = try ObjectQuery(ParsedArguments(words, for: .dump), file)
        let selection = query.selections[0]
        let properties = selection.some.properties
        let keys = try query.keys(selection)
        var rows = RowWriter(output.isJSON ? .jsonl : .table, output)
        try rows.begin(name, properties.map(\.name))
        for key in keys.prefix(Shell.shownObjects) {
            try rows.write(key, properties.map { query.values.value($0, selection.some.table, key) })
        }
        try rows.end()
        let more = keys.count - Shell.shownObjects
        if more > 0 {
            if output.isJSON {
                output.write(
                    JSONText.line { json in
                        json.member("class", name)
                        json.member("more", more)
                    })
            } else {
                output.write("and \(more) more\n")
            }
        }
        return .success
    }
}
