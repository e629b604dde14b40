/// The manual page of the tool, which is made of its help.
enum Manual {
    /// Returns the page in the language of `man`.
    static func text(_ root: Command) -> String {
        var lines = [
            ".TH \(root.name.uppercased()) 1 \"\" \"\(root.name) \(Tool.version)\"", ".SH NAME",
            "\(root.name) \\- \(escaped(root.summary))", ".SH SYNOPSIS", ".B \(root.name)",
            "COMMAND [arguments] [options]", ".SH DESCRIPTION",
        ]
        lines += paragraphs(root.discussion)
        lines += options(root.options)
        lines.append(".SH COMMANDS")
        for (name, command) in root.leaves { lines += section(name, command) }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func section(_ name: String, _ command: Command) -> [String] {
        [".SS \"\(escaped(Help.usage(command, called: name)))\"", escaped(command.summary)]
            + (command.discussion.isEmpty ? [] : [".PP"] + paragraphs(command.discussion))
            + command.arguments.flatMap { item($0.name, $0.summary) } + options(command.options)
    }

    private static func options(_ options: [Command.Option]) -> [String] {
        options.flatMap { item($0.usage, $0.fullSummary) }
    }

    private static func item(_ name: String, _ summary: String) -> [String] {
        [".TP", ".B \(escaped(name))", escaped(summary)]
    }

    /// Returns lines of text; those that are indented, and empty ones, stay lines of their own.
    private static func paragraphs(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            if line.isEmpty { return ".PP" }
            let text = escaped(String(line.drop { $0 == " " }))
            return line.hasPrefix(" ") ? ".br\n\(text)\n.br" : text
        }
    }

    /// Escapes the characters that `man` interprets.
    private static func escaped(_ text: String) -> String {
        let escaped = text.map { character in
            switch character {
            case "\\": "\\e"
            case "-": "\\-"
            case "\"": "\\(dq"
            default: String(character)
            }
        }.joined()
        return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
    }
}

extension Command {
    static let manual = Command(
        name: "manual", summary: "Print the manual page, for 'man'.",
        discussion: "  kivo manual > /usr/local/share/man/man1/kivo.1"
    ) { _, output in
        output.write(Manual.text(Tool.root))
        return .success
    }

    /// The commands that can be run, with all words of their names.
    var leaves: [(name: String, command: Command)] {
        if subcommands.isEmpty { return [(name, self)] }
        return subcommands.flatMap { command in command.leaves.map { (name + " " + $0.name, $0.command) } }
    }
}
