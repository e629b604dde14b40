/// A command of the tool: its name, its arguments and its action.
///
/// The help is generated from it, and arguments are checked against it. A command with subcommands has no action of its own.
struct Command: Sendable {
    /// A positional argument.
    struct Argument: Sendable {
        var name: String
        var summary: String
        var isOptional = false
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
    }

    var name: String
    /// One line for the list of commands.
    var summary: String
    /// Further text for the command's own help.
    var discussion = ""
    var arguments: [Argument] = []
    var options: [Option] = []
    var subcommands: [Command] = []
    var run: @Sendable (_ arguments: ParsedArguments, _ output: Output) throws -> ExitCode = { _, _ in .usage
    }
    /// A closure that receives all words after the command's name unchanged and handles them completely, including the help. Nil
    /// if this value describes the command.
    var takesOver: (@Sendable (_ words: [String], _ output: Output) -> ExitCode)?
}

extension Command.Argument {
    static let file = Command.Argument(name: "FILE", summary: "A realm file.")
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
