import Foundation
import KivoSchemaDrawing
import TestRandomness
import XCTest

@testable import KivoTool

/// The editor of the shell's lines: bytes of a terminal in, lines and frames out.
final class LineEditorTests: XCTestCase {
    private var random = RandomSource()

    /// Feeds keys and returns the line with `|` at the cursor.
    private func edited(_ keys: String, history: [String] = []) -> String {
        var editor = LineEditor(history: history)
        for byte in keys.utf8 { _ = editor.feed(byte) }
        return editor.before + "|" + editor.after
    }

    private func events(_ bytes: [UInt8]) -> [LineEditor.Event] {
        var editor = LineEditor()
        return bytes.compactMap { editor.feed($0) }
    }

    func testMoving() {
        XCTAssertEqual(edited("abc"), "abc|")
        XCTAssertEqual(edited("abc\u{1B}[D"), "ab|c")
        XCTAssertEqual(edited("abc\u{1B}[D\u{1B}[D\u{1B}[C"), "ab|c")
        XCTAssertEqual(edited("abc\u{2}x"), "abx|c")
        XCTAssertEqual(edited("abc\u{1}\u{6}x"), "ax|bc")
        for home in ["\u{1}", "\u{1B}[H", "\u{1B}[1~", "\u{1B}OH", "\u{1B}[7~"] {
            XCTAssertEqual(edited("abc" + home), "|abc")
            for end in ["\u{5}", "\u{1B}[F", "\u{1B}[4~", "\u{1B}OF", "\u{1B}[8~"] {
                XCTAssertEqual(edited("abc" + home + end), "abc|")
            }
        }
        XCTAssertEqual(edited("one two.x\u{1B}b\u{1B}b"), "one |two.x")
        XCTAssertEqual(edited("one two\u{1}\u{1B}[1;5C\u{1B}f"), "one two|")
        XCTAssertEqual(edited("one two\u{1B}[1;5D"), "one |two")
    }

    func testDeleting() {
        XCTAssertEqual(edited("abc\u{7F}"), "ab|")
        XCTAssertEqual(edited("abc\u{8}\u{8}\u{8}\u{8}"), "|")
        XCTAssertEqual(edited("abc\u{1}\u{1B}[3~"), "|bc")
        XCTAssertEqual(edited("abc\u{1}\u{4}"), "|bc")
        XCTAssertEqual(edited("abc\u{2}\u{B}"), "ab|")
        XCTAssertEqual(edited("abc\u{2}\u{15}"), "|c")
        XCTAssertEqual(edited("one two  \u{17}"), "one |")
        XCTAssertEqual(edited("one two\u{2}\u{17}"), "one |o")
        XCTAssertEqual(edited("one\u{1B}\u{7F}"), "|")
    }

    func testHistory() {
        let history = ["first", "second"]
        XCTAssertEqual(edited("\u{1B}[A", history: history), "second|")
        XCTAssertEqual(edited("\u{10}\u{10}\u{10}", history: history), "first|")
        XCTAssertEqual(edited("new\u{1B}[A\u{1B}OA\u{1B}[B\u{E}", history: history), "new|")
        XCTAssertEqual(edited("\u{1B}[A!", history: history), "second!|")
        XCTAssertEqual(edited("\u{1B}[B"), "|")
    }

    func testText() {
        XCTAssertEqual(edited("äé🐕"), "äé🐕|")
        XCTAssertEqual(edited("äé🐕\u{7F}\u{7F}"), "ä|")
        // A combining mark is a part of the character before it.
        XCTAssertEqual(edited("xe\u{301}\u{1B}[D"), "x|e\u{301}")
        XCTAssertEqual(edited("👨‍👩‍👧x\u{2}\u{7F}"), "|x")
        let invalid: [UInt8] = [0xFF, 0x61, 0xC3, 0x62, 0x80, 0xE2, 0x82, 0x63, 0xC0, 0x80, 0xF5, 0xC2, 0x9B]
        var editor = LineEditor()
        for byte in invalid { _ = editor.feed(byte) }
        XCTAssertEqual(editor.line, "abc")
    }

    func testEvents() {
        XCTAssertEqual(events(Array("a\r".utf8)), [.changed, .line("a")])
        XCTAssertEqual(events(Array("\n".utf8)), [.line("")])
        XCTAssertEqual(events([0x09]), [.complete])
        XCTAssertEqual(events([0x03]), [.interrupted])
        XCTAssertEqual(events([0x0C]), [.clearScreen])
        XCTAssertEqual(events([0x04]), [.end])
        XCTAssertEqual(events([0x61, 0x04]), [.changed, .refused])
        XCTAssertEqual(events([0x1B, 0x5B, 0x44]), [.refused])
        XCTAssertEqual(events(Array("\u{1B}[99;99;99Xa".utf8)), [.refused, .changed])
        XCTAssertEqual(events(Array("\u{1B}[200~".utf8)), [.refused])
        // An endless sequence does not take endless memory.
        XCTAssertFalse(events([0x1B, 0x5B] + Array(repeating: 0x31, count: 1000)).isEmpty)
    }

    // MARK: Display

    /// The row of a terminal of a width that prints a frame, and the column of its cursor.
    private func screen(_ frame: String, _ width: Int) -> (text: String, cursor: Int) {
        var (row, cursor) = ([Character](), 0)
        var rest = frame[...]
        while let character = rest.popFirst() {
            if character == "\r" {
                cursor = 0
            } else if character == "\u{1B}" {
                let sequence = rest.prefix { !$0.isLetter }
                rest = rest.dropFirst(sequence.count)
                switch rest.popFirst() {
                case "K": row = Array(row.prefix(cursor))
                case "C": cursor += Int(sequence.dropFirst())!
                default: XCTFail("\(frame.debugDescription)")
                }
            } else {
                // The second half of a wide character is nothing.
                let columns = TextWidth.columns(String(character))
                row = Array(row.prefix(cursor)) + [character] + (columns == 2 ? ["\u{200B}"] : [])
                cursor += columns
            }
            XCTAssertLessThan(cursor, max(width, 2), "the terminal would wrap")
        }
        return (String(row.filter { $0 != "\u{200B}" }), cursor)
    }

    private func shown(_ keys: String, _ width: Int, prompt: String = "> ") -> String {
        var editor = LineEditor()
        for byte in keys.utf8 { _ = editor.feed(byte) }
        let (text, cursor) = screen(editor.frame(prompt: prompt, width: width), width)
        return "\(text)@\(cursor)"
    }

    func testFrames() {
        XCTAssertEqual(shown("abc", 80), "> abc@5")
        XCTAssertEqual(shown("abc\u{1}", 80), "> abc@2")
        XCTAssertEqual(shown("", 80), "> @2")
        XCTAssertEqual(shown("犬🐕\u{2}", 80), "> 犬🐕@4")
        XCTAssertEqual(shown("0123456789abcdefghij", 15), "> 89abcdefghij@14")
        XCTAssertEqual(shown("0123456789abcdefghij\u{1}", 15), "> 0123456789ab@2")
        XCTAssertEqual(shown("0123456789abcdef\u{2}\u{2}", 15), "> 3456789abcde@13")
        XCTAssertEqual(shown("0123456789", 8), "3456789@7", "there is no room for the prompt")
        XCTAssertEqual(shown("犬犬犬犬犬犬犬犬", 15), "> 犬犬犬犬犬犬@14")
    }

    func testRandomKeys() {
        let keys = [
            "a", "b", " ", "犬", "🐕", "e\u{301}", "\u{1}", "\u{2}", "\u{5}", "\u{6}", "\u{7F}", "\u{4}",
            "\u{B}",
            "\u{15}", "\u{17}", "\u{1B}[A", "\u{1B}[B", "\u{1B}[3~", "\u{1B}b", "\u{1B}f", "\u{1B}", "\u{9B}",
        ]
        for _ in TestEffort.rounds(2000, within: 0.3) {
            var editor = LineEditor(history: ["one", "two \u{1B}[31m", "drei 犬犬犬犬犬犬犬犬犬犬犬犬"])
            let (width, prompt) = (4 + random.below(40), random.chance(50) ? "kivo> " : "> ")
            for _ in 0..<random.below(60) {
                for byte in keys[random.below(keys.count)].utf8 { _ = editor.feed(byte) }
                let (_, cursor) = screen(editor.frame(prompt: prompt, width: width), width)
                XCTAssertLessThan(cursor, width)
            }
            if testRun?.totalFailureCount != 0 { return }
        }
    }
}
