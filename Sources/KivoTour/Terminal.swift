import Foundation

/// Standard output and standard error, with colours if the output is a terminal.
struct Terminal {
    private let hasColours: Bool

    init() {
        let environment = ProcessInfo.processInfo.environment
        hasColours =
            isatty(1) != 0 && environment["TERM"] != "dumb" && environment["NO_COLOR"] == nil
    }

    /// Writes a line at once: the title of a scene must be printed before it is played, even if that traps.
    func line(_ text: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data("\(text)\n".utf8))
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
