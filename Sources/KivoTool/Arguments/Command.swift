import Foundation
import KivoSourceModel

/// A command of the tool: its name, its arguments and its action.
///
/// The help is generated from it, and arguments are checked against it. A command with subcommands has no action of its own.
struct Command: Sendable {
    /// A positional argument.
    struct Argument: Sendable {
        var name: String
        var summary: String
        var isOptional = false
        /// Whether the argument can be given several times. It is then the last one.
        var isRepeated = false
        /// The valid values, or nil if all values are valid.
        var choices: [String]?
        /// Whether the argument can be the address of a log instead of a path; see ``LogMirror``.
        var takesLog = false
        /// Whether it is the file that the lines of `kivo shell` leave out.
        var isSubject = false

        /// The summary with the valid values.
        var fullSummary: String { summary + Command.text(choices) }
    }

    /// A named argument, which can be given in any position.
    struct Option: Sendable {
        /// The name with its dashes.
        var name: String
        /// The placeholder of the value in the help, or nil for an option without a value.
        var value: String?
        var summary: String
        /// The valid values, or nil if all values are valid.
        var choices: [String]?

        init(_ name: String, _ value: String? = nil, _ summary: String, choices: [String]? = nil) {
            self.name = name
            self.value = value
            self.summary = summary
            self.choices = choices
        }

        /// The name with the placeholder of the value.
        var usage: String { name + (value.map { " " + $0 } ?? "") }
        /// The summary with the valid values.
        var fullSummary: String { summary + Command.text(choices) }
    }

    private static func text(_ choices: [String]?) -> String {
        choices.map { " One of: \($0.joined(separator: ", "))." } ?? ""
    }

    var name: String
    /// One line for the list of commands.
    var summary: String
    /// Further text for the command's own help.
    var discussion = ""
    var arguments: [Argument] = []
    var options: [Option] = []
    var subcommands: [Command] = []
    /// Whether the command can change the file.
    var changesFile = false
    var run: @Sendable (_ arguments: ParsedArguments, _ output: Output) throws -> ExitCode = { _, _ in .usage
    }
}

extension Command.Argument {
    static let file = Command.Argument(name: "FILE", summary: "A realm file.", isSubject: true)
    static let fileOrLog = Command.Argument(
        name: "FILE", summary: "A realm file, or etcd://HOST:PORT/PREFIX for a realm over etcd.",
        takesLog: true, isSubject: true)
}

/// The options of every command with output for a person or a program.
extension Command.Option {
    static let json = Command.Option("--json", nil, "Print JSON, as when the output is no terminal.")
    static let text = Command.Option("--text", nil, "Print text, as on a terminal.")
}

/// The exit code of the tool, by the convention of shells.
enum ExitCode: Int32 {
    case success = 0
    /// The command found a problem or failed.
    case problem = 1
    /// The arguments of the command are invalid.
    case usage = 2
}

/// An error for invalid arguments.
struct UsageError: Error {
    var message: String
    init(_ message: String) { self.message = message }
}

/// A problem that is the command's result, as a sentence.
struct Problem: Error {
    var message: String
    /// Whether the contents of the file are damaged.
    var isDamage: Bool

    init(_ message: String, isDamage: Bool = false) { (self.message, self.isDamage) = (message, isDamage) }
}

/// The text that `--help` prints.
enum Help {
    /// Returns the help of a command, under the name by which it was called.
    static func text(_ command: Command, called name: String) -> String {
        var text = "\(command.summary)\n\nUsage: \(usage(command, called: name))\n"
        if !command.discussion.isEmpty { text += "\n\(command.discussion)\n" }
        if !command.subcommands.isEmpty {
            text += section("Commands", command.subcommands.map { ($0.name, $0.summary) })
            text += "\n'\(name) COMMAND --help' says more about one.\n"
        }
        text += section("Arguments", command.arguments.map { ($0.name, $0.fullSummary) })
        let options = command.options.map { ($0.usage, $0.fullSummary) }
        return text + section("Options", options + [("--help", "Print this.")])
    }

    /// Returns the command with the names of its arguments.
    static func usage(_ command: Command, called name: String) -> String {
        var text = name
        if !command.subcommands.isEmpty { text += " COMMAND" }
        for argument in command.arguments {
            let name = argument.name + (argument.isRepeated ? "..." : "")
            text += argument.isOptional ? " [\(name)]" : " \(name)"
        }
        return text + (command.options.isEmpty ? "" : " [options]")
    }

    /// Returns a table under a title, or an empty text if it has no rows.
    static func section(_ title: String, _ rows: [(String, String)]) -> String {
        if rows.isEmpty { return "" }
        let width = rows.map { $0.0.count }.max()! + 2
        return "\n\(title):\n"
            + rows.map { name, summary in
                "  " + name + String(repeating: " ", count: width - name.count)
                    + folded(summary, indentedBy: width + 2) + "\n"
            }.joined()
    }

    /// Wraps a text at 80 columns. All lines but the first are indented.
    private static func folded(_ text: String, indentedBy indentation: Int) -> String {
        var lines = [""]
        for word in text.split(separator: " ") {
            let last = lines[lines.count - 1]
            if !last.isEmpty, indentation + last.count + 1 + word.count > 80 {
                lines.append(String(word))
            } else {
                lines[lines.count - 1] += last.isEmpty ? String(word) : " " + word
            }
        }
        return lines.joined(separator: "\n" + String(repeating: " ", count: indentation))
    }
}

/// The arguments that were passed to a command.
struct ParsedArguments {
    /// The options in the order in which they were given, with their values.
    private(set) var options: [(name: String, value: String)] = []
    private(set) var words: [String] = []
    /// The temporary files for those words that are addresses of logs.
    private(set) var mirrors: [LogMirror] = []

    /// Assigns words to a command's options and arguments. Options can be in any position, as `--name value` or `--name=value`;
    /// there are none after `--`. Throws ``UsageError`` if there are too many words, or one is missing.
    ///
    /// - Parameter subject: The file, if the words leave it out.
    init(
        _ input: some Sequence<String>, for command: Command, subject: String? = nil
    ) throws(UsageError) {
        var rest = Array(input)[...]
        var takesOptions = true
        while let word = rest.popFirst() {
            if takesOptions, word == "--" {
                takesOptions = false
            } else if takesOptions, word.hasPrefix("-"), word != "-" {
                try add(word, &rest, command)
            } else {
                words.append(word)
            }
        }
        let (arguments, last) = (command.arguments, command.arguments.last)
        if let subject, let index = arguments.firstIndex(where: \.isSubject), index <= words.count {
            words.insert(subject, at: index)
        }
        if words.count > arguments.count, last?.isRepeated != true {
            throw UsageError("'\(words[arguments.count])' is one argument too many")
        }
        if words.count < arguments.count, !arguments[words.count].isOptional {
            throw UsageError("\(arguments[words.count].name) is missing")
        }
        for (argument, word) in zip(arguments, words) {
            guard let choices = argument.choices, !choices.contains(word) else { continue }
            throw UsageError(
                "\(argument.name) is one of \(choices.joined(separator: ", ")), and not '\(word)'")
        }
    }

    private mutating func add(
        _ word: String, _ rest: inout ArraySlice<String>, _ command: Command
    ) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard let option = command.options.first(where: { $0.name == name }) else {
            throw UsageError(
                "there is no option '\(name)'"
                    + Spelling.suggestion(for: name, among: command.options.map(\.name)))
        }
        guard let placeholder = option.value else {
            if parts.count > 1 { throw UsageError("'\(name)' takes no value") }
            options.append((name, ""))
            return
        }
        guard let value = parts.count > 1 ? String(parts[1]) : rest.popFirst() else {
            throw UsageError("'\(name)' needs a value: \(name) \(placeholder)")
        }
        if let choices = option.choices, !choices.contains(value) {
            throw UsageError("'\(name)' is one of \(choices.joined(separator: ", ")), and not '\(value)'")
        }
        options.append((name, value))
    }

    /// Replaces the words that are addresses of logs by paths of temporary files with their contents. The caller closes the mirrors.
    ///
    /// - Throws: ``UsageError`` if the command takes no log; an error of ``LogMirror``.
    mutating func mirrorLogs(for command: Command) throws {
        for index in words.indices where LogMirror.isAddress(words[index]) {
            guard index < command.arguments.count, command.arguments[index].takesLog else {
                throw UsageError("'\(command.name)' takes a file, and not '\(words[index])'")
            }
            let mirror = try LogMirror(words[index])
            mirrors.append(mirror)
            words[index] = mirror.path
        }
    }

    /// The word that was given, in place of which a command has a path.
    func name(of path: String) -> String { mirrors.first { $0.path == path }?.address ?? path }

    /// Whether an option was given.
    func has(_ name: String) -> Bool { options.contains { $0.name == name } }

    /// Returns the value of an option: the last one if it was given several times.
    func value(_ name: String) -> String? { values(name).last }

    /// Returns all values of an option.
    func values(_ name: String) -> [String] { options.filter { $0.name == name }.map(\.value) }

    /// Returns the names that all values of an option list, separated by commas.
    func names(_ name: String) -> [String] {
        values(name).flatMap { $0.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) } }
    }

    /// Returns the value of an option as a positive number.
    func count(_ name: String) throws(UsageError) -> Int? {
        guard let value = value(name) else { return nil }
        guard let number = Int(value), number > 0 else {
            throw UsageError("'\(name)' takes a number above zero, and not '\(value)'")
        }
        return number
    }
}
