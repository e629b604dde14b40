#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation
import KivoEngine
import KivoSchemaDrawing

/// A reader of lines that a user edits in the terminal.
final class ShellTerminal {
    private let prompt: String
    private var history: ShellHistory
    private let completion: () -> ShellCompletion?
    /// Bytes that were read behind the end of a line, as when several lines are pasted.
    private var pending: [UInt8] = []

    /// - Parameter completion: Returns the words that the terminal offers, or nil if the file cannot be read.
    init(prompt: String, history: ShellHistory, completion: @escaping () -> ShellCompletion?) {
        (self.prompt, self.history, self.completion) = (prompt, history, completion)
        TemporaryFiles.beforeSignalsEnd { TerminalMode.restore() }
        // A damaged page that completion reads ends the process.
        atexit { TerminalMode.restore() }
    }

    /// Whether standard input and output are a terminal that can move its cursor.
    static var isAvailable: Bool {
        let name = ProcessInfo.processInfo.environment["TERM"] ?? ""
        return isatty(0) != 0 && isatty(1) != 0 && !name.isEmpty && name != "dumb"
    }

    /// Returns the next line, or nil at the end of the input.
    func next() -> String? {
        guard let mode = TerminalMode.edit() else { return readLine() }
        defer { mode.restore() }
        var editor = LineEditor(history: history.lines)
        show(editor)
        while let byte = nextByte() {
            switch editor.feed(byte) {
            case nil: continue
            case .changed:
                // While pasted text is read, intermediate states are not shown.
                if pending.isEmpty { show(editor) }
            case .refused: write("\u{7}")
            case .clearScreen:
                write("\u{1B}[H\u{1B}[2J")
                show(editor)
            case .complete: complete(&editor)
            case .interrupted:
                write("^C\n")
                editor = LineEditor(history: history.lines)
                show(editor)
            case .end:
                write("\n")
                return nil
            case .line(let line):
                show(editor)
                write("\n")
                history.add(line)
                return line
            }
        }
        write("\n")
        return nil
    }

    /// Completes the word before the cursor as far as it is certain, or else shows the candidates.
    private func complete(_ editor: inout LineEditor) {
        guard let found = completion()?.candidates(editor.before), !found.words.isEmpty else {
            return write("\u{7}")
        }
        let common = found.common
        if found.words.count == 1 {
            // The value of an assignment follows without a space.
            editor.replace(last: found.replaced, by: common + (common.hasSuffix("=") ? "" : " "))
        } else if common.count > found.replaced {
            editor.replace(last: found.replaced, by: common)
        } else {
            write("\n" + ShellTerminal.columns(found.words, width: TerminalMode.width))
        }
        show(editor)
    }

    /// Returns words side by side, in as many lines as a width demands.
    static func columns(_ words: [String], width: Int) -> String {
        let widest = words.map(TextWidth.columns).max() ?? 0
        let count = max(1, width / (widest + 2))
        return stride(from: 0, to: words.count, by: count).map { start in
            let row = words[start..<min(start + count, words.count)]
            let cells = row.dropLast().map {
                TextWidth.padded($0, to: widest + 2)
            }
            return cells.joined() + row.last! + "\n"
        }.joined()
    }

    private func show(_ editor: LineEditor) { write(editor.frame(prompt: prompt, width: TerminalMode.width)) }

    private func write(_ text: String) { try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) }

    private func nextByte() -> UInt8? {
        if pending.isEmpty {
            var buffer = [UInt8](repeating: 0, count: 1024)
            var count = read(0, &buffer, buffer.count)
            while count < 0, errno == EINTR { count = read(0, &buffer, buffer.count) }
            if count <= 0 { return nil }
            pending = Array(buffer[..<count])
        }
        return pending.removeFirst()
    }
}

/// The mode of a terminal in which a program receives each key.
struct TerminalMode {
    private static let usual = Lock<termios?>(nil)

    /// Begins to edit. Returns nil if standard input is not a terminal.
    static func edit() -> TerminalMode? {
        var attributes = termios()
        guard tcgetattr(0, &attributes) == 0 else { return nil }
        usual.withLock { $0 = attributes }
        cfmakeraw(&attributes)
        // Ends of lines still begin a line.
        attributes.c_oflag |= tcflag_t(OPOST)
        guard tcsetattr(0, TCSADRAIN, &attributes) == 0 else { return nil }
        return TerminalMode()
    }

    /// Ends editing: commands run as in any terminal, where Ctrl-C interrupts them.
    func restore() { TerminalMode.restore() }

    /// Ends editing, if it is going on. A signal that ends the process calls this.
    static func restore() {
        usual.withLock { usual in
            guard var attributes = usual else { return }
            tcsetattr(0, TCSADRAIN, &attributes)
            usual = nil
        }
    }

    /// The number of the terminal's columns.
    static var width: Int {
        var size = winsize()
        return ioctl(1, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }
}
#endif
