import Kivo
import KivoEngine

/// The completion of an unfinished line of the shell.
struct ShellCompletion {
    /// The candidates for a word.
    struct Candidates: Equatable {
        /// The number of characters at the end of the line that they replace.
        var replaced: Int
        /// The whole words, in order.
        var words: [String]

        /// The prefix that all words share; the word itself if there is only one.
        var common: String {
            guard let first = words.first else { return "" }
            return words.dropFirst().reduce(first) { common, word in
                String(zip(common, word).prefix { $0 == $1 }.map(\.0))
            }
        }
    }

    let commands: [Command]
    let classes: [StoredClass]
    let catalog: Catalog

    /// Returns the candidates for the end of a line.
    func candidates(_ line: String) -> Candidates {
        let parsed = ShellLine(line)
        var words = parsed.words
        let last = parsed.endsInWord ? words.removeLast() : ""
        guard let first = words.first else {
            return choose(last, among: commands.map(\.name) + Shell.shortForms.map(\.name) + classNames)
        }
        if first == ".schema" { return choose(last, among: classNames) }
        if let some = classes.first(where: { $0.name == first }), command(words) == nil {
            return predicate(line, some)
        }
        guard let command = command(words) else {
            let group = commands.first { $0.name == first }
            return choose(last, among: words.count == 1 ? group?.subcommands.map(\.name) ?? [] : [])
        }
        return candidates(line, last, words, command, isQuoted: parsed.openQuote != nil)
    }

    private func candidates(
        _ line: String, _ last: String, _ words: [String], _ command: Command, isQuoted: Bool
    ) -> Candidates {
        let index = words.lastIndex(of: "--class")
        let some = index.flatMap { index in
            classes.first { index + 1 < words.count && $0.name == words[index + 1] }
        }
        let option = command.options.first { $0.name == words.last && $0.value != nil }
        switch option?.name {
        case "--class": return choose(last, among: classNames)
        case "--where": return some.map { predicate(line, $0) } ?? Candidates(replaced: 0, words: [])
        case let name? where option?.choices == nil:
            let hasNames = ["--sort", "--fields", "--by"] + ObjectQuery.functions.map { "--" + $0.name }
            return hasNames.contains(name) ? some.map { properties(line, $0) } ?? none : none
        case _?: return choose(last, among: option!.choices!)
        case nil: break
        }
        if last.hasPrefix("-"), !isQuoted { return choose(last, among: command.options.map(\.name)) }
        if command.name == Command.set.name, let some {
            let names = some.properties.map { $0.name + "=" }
            return choose(last, among: names)
        }
        return none
    }

    private var none: Candidates { Candidates(replaced: 0, words: []) }

    private var classNames: [String] {
        // Others have to be quoted, or would control the terminal.
        classes.map(\.name).filter(CSVColumns.isName)
    }

    /// Returns the command that the first words call, or nil if they call none.
    private func command(_ words: [String]) -> Command? {
        guard let command = commands.first(where: { $0.name == words[0] }) else { return nil }
        if command.subcommands.isEmpty { return command }
        return command.subcommands.first { words.count > 1 && $0.name == words[1] }
    }

    private func choose(_ word: String, among words: [String]) -> Candidates {
        Candidates(replaced: word.count, words: words.filter { $0.hasPrefix(word) })
    }

    // MARK: Predicates

    /// Returns the keywords and paths that complete the end of a predicate.
    private func predicate(_ line: String, _ some: StoredClass) -> Candidates {
        var found = properties(line, some)
        let word = line.suffix(found.replaced)
        if !word.contains(".") {
            // Keywords can be written in small letters.
            found.words += TextQuery.words.filter { $0.hasPrefix(word.uppercased()) && !word.isEmpty }
        }
        return found
    }

    /// Returns the paths of properties that complete the end of a line.
    private func properties(_ line: String, _ some: StoredClass) -> Candidates {
        var start = line.endIndex
        while start > line.startIndex {
            let before = line.index(before: start)
            guard line[before].isLetter || line[before].isNumber || "_.@".contains(line[before]) else {
                break
            }
            start = before
        }
        let names = line[start...].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let path = names.isEmpty ? [] : names.dropLast()
        var found: [String] = []
        if path.isEmpty {
            found = some.properties.map(\.name)
        } else if let path = try? FieldPath.resolve(Array(path), of: some, catalog), path.rest.isEmpty,
            let end = path.steps.last?.property
        {
            if let target = end.spec.target { found = StoredClass(target, catalog).properties.map(\.name) }
            if end.collection != nil { found += ["@count"] }
        }
        let prefix = path.map { $0 + "." }.joined()
        let last = names.last ?? ""
        return Candidates(
            replaced: line.distance(from: start, to: line.endIndex),
            words: found.filter { $0.hasPrefix(last) && ($0 == "@count" || CSVColumns.isName($0)) }
                .map { prefix + $0 })
    }
}
