/// The arguments that were passed to a command.
struct ParsedArguments {
    private var options: [String: [String]] = [:]
    private(set) var words: [String] = []

    /// Assigns words to a command's options and arguments. Options can be in any position, as `--name value` or `--name=value`;
    /// there are none after `--`. Throws ``UsageError`` if there are too many words, or one is missing.
    init(_ input: some Sequence<String>, for command: Command) throws(UsageError) {
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
        if words.count > command.arguments.count {
            throw UsageError("'\(words[command.arguments.count])' is one argument too many")
        }
        if words.count < command.arguments.count, !command.arguments[words.count].isOptional {
            throw UsageError("\(command.arguments[words.count].name) is missing")
        }
    }

    private mutating func add(
        _ word: String, _ rest: inout ArraySlice<String>, _ command: Command
    ) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard let option = command.options.first(where: { $0.name == name }) else {
            throw UsageError("there is no option '\(name)'")
        }
        guard let placeholder = option.value else {
            if parts.count > 1 { throw UsageError("'\(name)' takes no value") }
            options[name, default: []].append("")
            return
        }
        guard let value = parts.count > 1 ? String(parts[1]) : rest.popFirst() else {
            throw UsageError("'\(name)' needs a value: \(name) \(placeholder)")
        }
        if let choices = option.choices, !choices.contains(value) {
            throw UsageError("'\(name)' is one of \(choices.joined(separator: ", ")), and not '\(value)'")
        }
        options[name, default: []].append(value)
    }

    /// Whether an option was given.
    func has(_ name: String) -> Bool { options[name] != nil }

    /// Returns the value of an option: the last one if it was given several times.
    func value(_ name: String) -> String? { options[name]?.last }

    /// Returns all values of an option.
    func values(_ name: String) -> [String] { options[name] ?? [] }

    /// Returns the value of an option as a positive number.
    func count(_ name: String) throws(UsageError) -> Int? {
        guard let value = value(name) else { return nil }
        guard let number = Int(value), number > 0 else {
            throw UsageError("'\(name)' takes a number above zero, and not '\(value)'")
        }
        return number
    }
}
