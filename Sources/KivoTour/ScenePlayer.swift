/// A player of scenes. It shows the code of each scene beside the notifications, and counts the scenes with unexpected ones.
struct ScenePlayer {
    private let terminal: Terminal
    private(set) var played = 0
    private(set) var mismatches = 0
    private(set) var notices = 0

    init(terminal: Terminal) {
        self.terminal = terminal
    }

    mutating func play(_ scene: Scene, _ transcript: Transcript = Transcript()) throws {
        played += 1
        let number = played < 10 ? " \(played)" : "\(played)"
        terminal.line("\(terminal.bold("\(number)  \(scene.title)"))  \(terminal.dim(scene.page))")
        // Letters distinguish the listeners.
        for (index, expectation) in scene.expected.enumerated() {
            terminal.line("    \(terminal.bold(Self.letter(index)))  \(expectation.listener)")
        }
        try scene.action(transcript)
        let expected = scene.expected.map(\.listener)
        let listeners = expected + transcript.listeners.filter { !expected.contains($0) }
        show(transcript.steps, listeners)
        check(scene.expected, transcript, listeners)
    }

    /// Prints the steps on the left, and the notifications of each step on the right.
    private func show(_ steps: [Transcript.Step], _ listeners: [String]) {
        let widest = steps.flatMap(\.code).map(\.count).max() ?? 0
        let width = min(max(widest, 20), 66) + 2
        for step in steps where !step.code.isEmpty || !step.heard.isEmpty {
            let heard = step.heard.map { entry in
                let letter = Self.letter(listeners.firstIndex(of: entry.listener) ?? 0)
                return "\(terminal.bold(letter))  \(entry.notice)"
            }
            for line in 0..<max(step.code.count, heard.count) {
                let code = line < step.code.count ? step.code[line] : ""
                if line < heard.count {
                    terminal.line("       \(terminal.dim(code.padded(to: width)))\(heard[line])")
                } else {
                    terminal.line("       \(terminal.dim(code))")
                }
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
        for line in wrong { terminal.line("      \(terminal.red(line))") }
    }

    private static func text(_ notices: [String]) -> String {
        notices.isEmpty ? "nothing" : notices.joined(separator: " · ")
    }

    private static func letter(_ index: Int) -> String {
        String(UnicodeScalar(UInt8(ascii: "a") + UInt8(index % 26)))
    }
}

extension String {
    /// Returns the text padded with spaces, or with two more spaces if it is longer.
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(2, width - count))
    }
}
