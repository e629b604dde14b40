/// The text that `--help` prints.
enum Help {
    /// Returns the help of a command, under the name by which it was called.
    static func text(_ command: Command, called name: String) -> String {
        var text = "\(command.summary)\n\nUsage: \(name)"
        if !command.subcommands.isEmpty { text += " COMMAND" }
        for argument in command.arguments {
            text += argument.isOptional ? " [\(argument.name)]" : " \(argument.name)"
        }
        if !command.options.isEmpty { text += " [options]" }
        text += "\n"
        if !command.discussion.isEmpty { text += "\n\(command.discussion)\n" }
        if !command.subcommands.isEmpty {
            text += section("Commands", command.subcommands.map { ($0.name, $0.summary) })
            text += "\n'\(name) COMMAND --help' says more about one.\n"
        }
        text += section("Arguments", command.arguments.map { ($0.name, $0.summary) })
        let options = command.options.map { option in
            (
                option.name + (option.value.map { " " + $0 } ?? ""),
                option.summary + (option.choices.map { " One of: \($0.joined(separator: ", "))." } ?? "")
            )
        }
        return text + section("Options", options + [("--help", "Print this.")])
    }

    private static func section(_ title: String, _ rows: [(String, String)]) -> String {
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
