/// Announces scenes, plays them, and counts those in which something else arrived.
struct ScenePlayer {
    private let terminal: Terminal
    private(set) var played = 0
    private(set) var mismatches = 0
    private(set) var notices = 0

    init(terminal: Terminal) {
        self.terminal = terminal
    }

    mutating func play(_ scene: Scene) throws {
        played += 1
        let number = played < 10 ? " \(played)" : "\(played)"
        terminal.line("\(terminal.bold("\(number)  \(scene.title)"))  \(terminal.dim(scene.page))")
        let announced = scene.expected.map(\.listener)
        let width = announced.map(\.count).max() ?? 0
        for expectation in scene.expected {
            terminal.line(row("expected", expectation.listener, expectation.notices, width: width))
        }
        let transcript = Transcript()
        try scene.action(transcript)
        var asAnnounced = true
        let unannounced = transcript.listeners.filter { !announced.contains($0) }
        for expectation in scene.expected + unannounced.map({ Scene.Expectation($0, []) }) {
            let heard = transcript.notices(of: expectation.listener)
            notices += heard.count
            let matches = heard == expectation.notices
            asAnnounced = asAnnounced && matches
            let text = row("heard", expectation.listener, heard, width: width)
            terminal.line(
                matches ? "\(text) \(terminal.green("✓"))" : "\(text) \(terminal.red("✗ not as expected"))")
        }
        if !asAnnounced { mismatches += 1 }
    }

    /// One line, or one line for each notice where that would be too wide.
    private func row(_ what: String, _ listener: String, _ notices: [String], width: Int) -> String {
        let indent = 4 + 9 + width + 2
        let length = notices.reduce(indent) { $0 + $1.count + 3 }
        let separator = length > 110 ? " ·\n\(String(repeating: " ", count: indent))" : " · "
        let text = notices.isEmpty ? "nothing" : notices.joined(separator: separator)
        return "    \(terminal.dim(what.padded(to: 9)))\(listener.padded(to: width))  \(text)"
    }
}

extension String {
    /// This text, filled up with spaces.
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
