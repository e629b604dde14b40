/// The words of a line, split as a shell does it: at spaces, except within quotes and after a backslash.
struct ShellLine {
    private(set) var words: [String] = []
    /// The quotation mark that was opened last and not closed.
    private(set) var openQuote: Character?
    /// Whether the line ends in a word, which may be unfinished.
    private(set) var endsInWord = false

    init(_ line: String) {
        var isEscaped = false
        for character in line {
            if isEscaped {
                // Within double quotes, a backslash is an ordinary character before most others.
                if openQuote == "\"", character != "\"", character != "\\" { add("\\") }
                add(character)
                isEscaped = false
            } else if character == "\\", openQuote != "'" {
                isEscaped = true
            } else if let quote = openQuote {
                if character == quote { openQuote = nil } else { add(character) }
            } else if character == "'" || character == "\"" {
                openQuote = character
                beginWord()
            } else if character.isWhitespace {
                endsInWord = false
            } else {
                add(character)
            }
        }
        if isEscaped { add("\\") }
    }

    private mutating func beginWord() {
        if !endsInWord { words.append("") }
        endsInWord = true
    }

    private mutating func add(_ character: Character) {
        beginWord()
        words[words.count - 1].append(character)
    }

    /// Returns the words of a whole line.
    static func words(of line: String) throws(UsageError) -> [String] {
        let line = ShellLine(line)
        if let quote = line.openQuote { throw UsageError("a closing \(quote) is missing") }
        return line.words
    }
}
