/// A command of the tool: what it is called, what it takes, and what it does.
///
/// The help is made of this, and arguments are checked by it. A command that has subcommands does nothing itself.
struct Command: Sendable {
    /// A word that has to be given, in its place.
    struct Argument: Sendable {
        var name: String
        var summary: String
        var isOptional = false
    }

    /// Something that can be given by name, in any place.
    struct Option: Sendable {
        /// With the dashes.
        var name: String
        /// What stands for the value in the help; nil for an option without one.
        var value: String?
        var summary: String
        /// The values that can be given; nil if any can.
        var choices: [String]?

        init(_ name: String, _ value: String? = nil, _ summary: String, choices: [String]? = nil) {
            self.name = name
            self.value = value
            self.summary = summary
            self.choices = choices
        }
    }

    var name: String
    /// One line, for the list of commands.
    var summary: String
    /// What else there is to say, in the command's own help.
    var discussion = ""
    var arguments: [Argument] = []
    var options: [Option] = []
    var subcommands: [Command] = []
    var run: @Sendable (_ given: GivenArguments, _ output: Output) throws -> ExitCode = { _, _ in .usage }
    /// Takes all words behind the command's name as they are, and does the whole of it, help included; nil for a command that is
    /// described here.
    var takesOver: (@Sendable (_ words: [String], _ output: Output) -> ExitCode)?
}

extension Command.Argument {
    static let file = Command.Argument(name: "FILE", summary: "A realm file.")
}

/// The options of every command that tells something to a person, or to a program.
extension Command.Option {
    static let json = Command.Option("--json", nil, "Print JSON, as when the output is no terminal.")
    static let text = Command.Option("--text", nil, "Print text, as on a terminal.")
}

/// How a run of the tool ended, as shells have it.
enum ExitCode: Int32 {
    case success = 0
    /// The command found, or met with, a problem.
    case problem = 1
    /// The command was not called as it has to be.
    case usage = 2
}

/// The tool was not called as it has to be.
struct UsageError: Error {
    var message: String
    init(_ message: String) { self.message = message }
}

/// A problem that is the command's answer, in a sentence.
struct Problem: Error {
    var message: String
    init(_ message: String) { self.message = message }
}
