import Foundation

/// A player of scenes. It shows the notifications of each scene below the code that caused them, and counts the scenes with
/// unexpected ones.
struct ScenePlayer {
    private let terminal: Terminal
    /// Whether to wait for the reader after each scene.
    private var isStepping: Bool
    /// Whether the reader wants to see no more scenes.
    private(set) var isOver = false
    private(set) var played = 0
    private(set) var mismatches = 0
    private(set) var notices = 0

    init(terminal: Terminal, isStepping: Bool = false) {
        self.terminal = terminal
        self.isStepping = isStepping
    }

    mutating func play(_ scene: Scene, _ transcript: Transcript = Transcript()) throws {
        if isOver { return }
        if played > 0 { waitForReader() }
        if isOver { return }
        played += 1
        let number = played < 10 ? " \(played)" : "\(played)"
        terminal.paragraph(scene.title, label: "\(number)  ", style: terminal.bold)
        terminal.paragraph(scene.page, label: "    ", style: terminal.dim)
        // Letters distinguish the listeners.
        for (index, expectation) in scene.expected.enumerated() {
            terminal.paragraph(expectation.listener, label: "    \(Self.letter(index))  ")
        }
        try scene.action(transcript)
        let expected = scene.expected.map(\.listener)
        let listeners = expected + transcript.listeners.filter { !expected.contains($0) }
        show(transcript.steps, listeners)
        check(scene.expected, transcript, listeners)
    }

    /// Asks the reader for the next scene, or for the end. At the end of the input all other scenes are played.
    private mutating func waitForReader() {
        guard isStepping else { return }
        switch terminal.ask("Return: the next scene; q: the end ") {
        case nil:
            terminal.line("")
            isStepping = false
        case "q"?, "Q"?: isOver = true
        default: break
        }
    }

    /// Prints the steps, and the notifications of each step below it.
    private func show(_ steps: [Transcript.Step], _ listeners: [String]) {
        for step in steps {
            for line in step.code { terminal.paragraph(line, label: "       ", style: terminal.dim) }
            for entry in step.heard {
                let letter = Self.letter(listeners.firstIndex(of: entry.listener) ?? 0)
                terminal.paragraph(entry.notice, label: "           \(letter)  ")
            }
        }
    }

    /// Compares the notifications of each listener with the expected ones.
    private mutating func check(
        _ expected: [Scene.Expectation], _ transcript: Transcript, _ listeners: [String]
    ) {
        var wrong: [String] = []
        for (index, listener) in listeners.enumerated() {
            let heard = transcript.notices(of: listener)
            let wanted = index < expected.count ? expected[index].notices : []
            notices += heard.count
            if heard == wanted { continue }
            wrong.append("\(Self.letter(index)) should have heard \(Self.text(wanted))")
            wrong.append("  and heard \(Self.text(heard))")
        }
        if wrong.isEmpty { return terminal.line("    \(terminal.green("✓ as expected"))") }
        mismatches += 1
        terminal.line("    \(terminal.red("✗ not as expected"))")
        for line in wrong { terminal.paragraph(line, label: "      ", style: terminal.red) }
    }

    private static func text(_ notices: [String]) -> String {
        notices.isEmpty ? "nothing" : notices.joined(separator: " · ")
    }

    private static func letter(_ index: Int) -> String {
        String(UnicodeScalar(UInt8(ascii: "a") + UInt8(index % 26)))
    }
}

/// A demonstration of one statement of realm-swift's page "React to Changes". Its notifications are compared with the expected ones.
struct Scene {
    /// The notifications that one listener must receive, in order. The order between different listeners is undefined.
    struct Expectation {
        let listener: String
        let notices: [String]

        init(_ listener: String, _ notices: [String]) {
            self.listener = listener
            self.notices = notices
        }
    }

    let title: String
    /// A summary of the page's statement.
    let page: String
    let expected: [Expectation]
    /// Attaches the listeners, which write to the transcript, and makes the edits.
    let action: (Transcript) throws -> Void
}

/// Standard output, standard error and standard input, with colours if the output is a terminal.
struct Terminal {
    /// The number of columns of the narrowest terminal that shows every line whole.
    static let width = 80

    private let hasColours: Bool
    private let write: (String) -> Void
    private let read: () -> String?

    init() {
        let environment = ProcessInfo.processInfo.environment
        hasColours =
            isatty(1) != 0 && environment["TERM"] != "dumb" && environment["NO_COLOR"] == nil
        write = { try? FileHandle.standardOutput.write(contentsOf: Data($0.utf8)) }
        read = { readLine() }
    }

    /// Creates a terminal without colours.
    init(write: @escaping (String) -> Void, read: @escaping () -> String?) {
        (hasColours, self.write, self.read) = (false, write, read)
    }

    /// Writes a line at once: the title of a scene must be printed before it is played, even if that traps.
    func line(_ text: String) { write("\(text)\n") }

    /// Writes a text behind a label, in as many lines as it needs; the further lines are indented, and more than the first.
    func paragraph(_ text: String, label: String, style: (String) -> String = { $0 }) {
        let indentation = text.prefix { $0 == " " }
        var label = label + indentation
        let further = String(repeating: " ", count: label.count + 2)
        var rest = text.dropFirst(indentation.count)
        repeat {
            var end = rest.index(
                rest.startIndex, offsetBy: Self.width - label.count, limitedBy: rest.endIndex)
            if let limit = end, limit < rest.endIndex {
                // A word that is longer than a line is divided.
                end = rest[...limit].lastIndex(of: " ") ?? limit
            }
            line(label + style(String(rest[..<(end ?? rest.endIndex)])))
            rest = rest[(end ?? rest.endIndex)...].drop { $0 == " " }
            label = further
        } while !rest.isEmpty
    }

    /// Writes a question, and returns the line that answers it, or nil at the end of the input.
    func ask(_ question: String) -> String? {
        write(question)
        return read()
    }

    func complain(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data("kivo-tour: \(text)\n".utf8))
    }

    func bold(_ text: String) -> String { coloured(text, 1) }
    func dim(_ text: String) -> String { coloured(text, 2) }
    func red(_ text: String) -> String { coloured(text, 31) }
    func green(_ text: String) -> String { coloured(text, 32) }

    private func coloured(_ text: String, _ code: Int) -> String {
        hasColours ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
