import KivoSchemaDrawing

/// An editor of one line. It takes the bytes that a terminal sends, and returns what the terminal has to show, without accessing it.
struct LineEditor {
    /// The effect of a key.
    enum Event: Equatable {
        /// The line or the cursor changed.
        case changed
        /// The line is complete.
        case line(String)
        /// The user wants the candidates for the word before the cursor.
        case complete
        case clearScreen
        /// Ctrl-C: the line is given up.
        case interrupted
        /// Ctrl-D on an empty line.
        case end
        /// The key has no effect.
        case refused
    }

    /// The text before and behind the cursor.
    private(set) var (before, after) = ("", "")
    private var decoder = TerminalKeyDecoder()
    /// The lines before, the oldest first.
    private let history: [String]
    /// The position in the history, whose end stands for the new line.
    private var position: Int
    /// The new line, while one of the history is shown.
    private var draft = ""

    init(history: [String] = []) {
        self.history = history
        position = history.count
    }

    var line: String { before + after }

    /// Takes a byte of the terminal. Returns nil if it is not the last one of a key.
    mutating func feed(_ byte: UInt8) -> Event? { decoder.key(byte).map { press($0) } }

    /// Inserts text at the cursor.
    mutating func insert(_ text: String) { before += text }

    /// Replaces so many characters before the cursor by a text.
    mutating func replace(last count: Int, by text: String) {
        before.removeLast(min(count, before.count))
        before += text
    }

    private mutating func press(_ key: TerminalKey) -> Event {
        let old = (before, after)
        switch key {
        case .text(let scalar): before.unicodeScalars.append(scalar)
        case .left: moveLeft()
        case .right: moveRight()
        case .wordLeft: moveWordLeft()
        case .wordRight:
            while after.first?.isPartOfWord == false { moveRight() }
            while after.first?.isPartOfWord == true { moveRight() }
        case .home: (before, after) = ("", line)
        case .end: (before, after) = (line, "")
        case .backspace: if !before.isEmpty { before.removeLast() }
        case .delete: if !after.isEmpty { after.removeFirst() }
        case .deleteWord:
            let rest = after
            moveWordLeft()
            after = rest
        case .deleteToStart: before = ""
        case .deleteToEnd: after = ""
        case .up: return show(position - 1)
        case .down: return show(position + 1)
        case .enter: return .line(line)
        case .tab: return .complete
        case .interrupt: return .interrupted
        case .endOfInput:
            if line.isEmpty { return .end }
            if !after.isEmpty { after.removeFirst() }
        case .clearScreen: return .clearScreen
        case .unknown: return .refused
        }
        return old == (before, after) ? .refused : .changed
    }

    private mutating func moveLeft() { if let last = before.popLast() { after = String(last) + after } }

    private mutating func moveRight() { if !after.isEmpty { before.append(after.removeFirst()) } }

    private mutating func moveWordLeft() {
        while before.last?.isPartOfWord == false { moveLeft() }
        while before.last?.isPartOfWord == true { moveLeft() }
    }

    private mutating func show(_ next: Int) -> Event {
        guard 0...history.count ~= next else { return .refused }
        if position == history.count { draft = line }
        position = next
        (before, after) = (next == history.count ? draft : history[next], "")
        return .changed
    }

    // MARK: Display

    /// Returns what a terminal prints to show the line behind a prompt in place of what its row shows. Of a line that is too wide, the
    /// part at the cursor is shown.
    func frame(prompt: String, width: Int) -> String {
        var prompt = prompt
        // A terminal wraps when the last column is written.
        var room = width - TextWidth.columns(prompt) - 1
        if room < 10 { (prompt, room) = ("", max(width - 1, 1)) }
        var (left, right) = (LineEditor.visible(before)[...], LineEditor.visible(after)[...])
        var columns = TextWidth.columns(String(left))
        // The character at the cursor has to be seen, too.
        let reserve = right.first.map { TextWidth.columns(String($0)) } ?? 0
        while columns + reserve > room, let first = left.popFirst() {
            columns -= TextWidth.columns(String(first))
        }
        let cursor = TextWidth.columns(prompt) + columns
        var rest = room - columns
        var shown = ""
        while let next = right.popFirst() {
            rest -= TextWidth.columns(String(next))
            if rest < 0 { break }
            shown.append(next)
        }
        let back = cursor > 0 ? "\r\u{1B}[\(cursor)C" : "\r"
        return "\r\(prompt)\(left)\(shown)\u{1B}[K\(back)"
    }

    /// A line of the history, or a name of a file, can have characters that would control the terminal.
    private static func visible(_ text: String) -> String {
        if !text.unicodeScalars.contains(where: ControlCharacters.contains) { return text }
        return String(decoding: ControlCharacters.escaped(text.utf8), as: UTF8.self)
            .replacing("\t", with: " ").replacing("\n", with: " ")
    }
}

extension Character {
    fileprivate var isPartOfWord: Bool { isLetter || isNumber || self == "_" }
}
