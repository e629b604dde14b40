import Foundation
import Kivo
import KivoJournal
import KivoSourceModel

/// The tool, which finds the called command and runs it.
struct Tool {
    static let version = "0.1"

    /// All commands. A command, or a group of commands, is added to the tool by adding it here.
    static let root: Command = Command(
        name: "kivo", summary: "Looks into realm files of Kivo, checks them and moves what is in them.",
        discussion: """
            Works on any file, without the program that wrote it. Prints text on a terminal, and JSON,
            an object on a line, where the output goes elsewhere.

            Exit codes: 0 all is well, 1 there is a problem, 2 it was not called as it has to be.
            Output that cannot be written is a problem, except to a pipe that its reader closed.
            """,
        options: [Command.Option("--version", nil, "Print the version.")],
        subcommands: [
            .info, .verify, .dump, .explain, .schema, .log, .changes, .consumers, .watch, .studio, .diff,
            .set, .delete, .compact, .copy, .reindex, .salvage, .export, .import, .shell, .realm, .completion,
            .manual,
        ])

    /// Runs the command in the words after the tool's name.
    static func run(_ words: [String], _ output: Output) -> ExitCode {
        finish(perform(words, output), output)
    }

    /// Passes on all output, and returns the exit code of a command that ended with another one.
    static func finish(_ code: ExitCode, _ output: Output) -> ExitCode {
        output.flush()
        guard case .lost(let reason) = output.end else { return code }
        output.complain("the output is not complete, because it cannot be written: \(reason)")
        return .problem
    }

    /// Runs the command in some words.
    ///
    /// - Parameter shell: The shell to which the words are a line, without the tool's name and the file.
    static func perform(_ words: [String], _ output: Output, in shell: Shell? = nil) -> ExitCode {
        var command = root
        if let shell { command.subcommands = shell.commands }
        var name = shell == nil ? root.name : ""
        var rest = words[...]
        while !command.subcommands.isEmpty {
            guard let word = rest.popFirst() else {
                return output.refuse("a command is missing", name)
            }
            if word == "help", !rest.isEmpty {
                // 'kivo help dump' is 'kivo dump --help'.
                rest.append("--help")
                continue
            }
            if word == "--help" || word == "-h" || word == "help" {
                output.write(Help.text(command, called: name))
                return .success
            }
            if word == "--version", command.name == root.name {
                output.write("kivo \(version), file format \(JournalError.currentVersion)\n")
                return .success
            }
            guard let next = command.subcommands.first(where: { $0.name == word }) else {
                let suggestion = Spelling.suggestion(for: word, among: command.subcommands.map(\.name))
                return output.refuse("there is no command '\(word)'\(suggestion)", name)
            }
            command = next
            name += (name.isEmpty ? "" : " ") + word
        }
        return run(command, name, rest, output, in: shell)
    }

    private static func run(
        _ command: Command, _ name: String, _ rest: ArraySlice<String>, _ output: Output, in shell: Shell?
    ) -> ExitCode {
        let words = rest.prefix { $0 != "--" }
        if words.contains("--help") || words.contains("-h") {
            var shown = command
            if shell != nil { shown.arguments.removeAll(where: \.isSubject) }
            output.write(Help.text(shown, called: name))
            return .success
        }
        return reporting(name, output) {
            var arguments = try ParsedArguments(rest, for: command, subject: shell?.path)
            try shell?.check(command, name, arguments)
            defer { for mirror in arguments.mirrors { mirror.close() } }
            try arguments.mirrorLogs(for: command)
            if arguments.has("--json"), arguments.has("--text") {
                throw UsageError("'--json' and '--text' exclude each other")
            }
            if arguments.has("--json") { output.isJSON = true }
            if arguments.has("--text") { output.isJSON = false }
            return try command.run(arguments, output)
        }
    }

    /// Performs an action, and prints the error that it throws.
    ///
    /// - Parameter name: The command of which the action is a part.
    static func reporting(_ name: String, _ output: Output, _ action: () throws -> ExitCode) -> ExitCode {
        do {
            return try action()
        } catch let error as UsageError {
            return output.refuse(error.message, name)
        } catch let error as Problem {
            output.complain(error.message)
        } catch is OutputEnd {
            // The caller reports lost output.
            return .success
        } catch {
            output.complain((error as? any LocalizedError)?.errorDescription ?? "\(error)")
        }
        return .problem
    }
}

extension Output {
    /// Prints the reason why the arguments of a command are invalid.
    fileprivate func refuse(_ reason: String, _ command: String) -> ExitCode {
        let help = command.isEmpty ? ".help" : command + " --help"
        complain(reason + (reason.hasSuffix("?") ? " Try" : "; try") + " '\(help)'")
        return .usage
    }
}

@main
struct Main {
    static func main() {
        let output = Output.standard()
        #if !os(Windows)
        TemporaryFiles.removeBeforeSignals { message in
            try? FileHandle.standardError.write(contentsOf: Data("kivo: \(message)\n".utf8))
        }
        #endif
        // Traps that reveal incorrect calls in other programs are caused by invalid arguments in this one.
        Realm.whenTrapping { message in
            output.flush()
            output.complain(message)
            exit(ExitCode.usage.rawValue)
        }
        // A damaged page is a problem of the file, not of the tool.
        PageDamage.whenReached { message in
            output.flush()
            output.complain(message)
            exit(ExitCode.problem.rawValue)
        }
        exit(Tool.run(Array(CommandLine.arguments.dropFirst()), output).rawValue)
    }
}
