import Foundation
import XCTest

@testable import KivoTour

final class TourTests: XCTestCase {
    /// Plays the tour with a reader who gives some answers. Returns its output.
    private func play(
        file: String? = nil, isStepping: Bool = false, answers: [String] = []
    ) throws -> (succeeded: Bool, text: String) {
        var text = ""
        var rest = answers[...]
        let terminal = Terminal(write: { text += $0 }, read: { rest.popFirst() })
        let succeeded = try KivoTour.run(file: file, isStepping: isStepping, terminal: terminal)
        return (succeeded, text)
    }

    func testEveryLineFitsATerminal() throws {
        let (succeeded, text) = try play()
        XCTAssertTrue(succeeded, text)
        let lines = text.components(separatedBy: "\n")
        XCTAssertEqual(lines.filter { $0.count > Terminal.width }, [])
        XCTAssertEqual(lines[1], "into zones.kivo, in a temporary folder")
        XCTAssertEqual(lines.filter { $0 == "    ✓ as expected" }.count, Scenes.all.count + 1)
        // A notification is below the code that causes it.
        let code = try XCTUnwrap(lines.firstIndex(of: "       realm.refresh()"))
        XCTAssertEqual(lines[code + 1], "           a  initial, 0 rows")
        XCTAssertTrue(Arguments.usage.components(separatedBy: "\n").allSatisfy { $0.count <= Terminal.width })
    }

    func testScenesWaitForTheReader() throws {
        let question = "Return: the next scene; q: the end "
        let some = try play(isStepping: true, answers: ["", "", "q"])
        XCTAssertTrue(some.succeeded)
        XCTAssertEqual(some.text.components(separatedBy: question).count, 4)
        XCTAssertTrue(some.text.hasSuffix("all as expected\n"), some.text)
        XCTAssertTrue(some.text.contains("3 scenes, "), some.text)
        // Without a reader the tour goes on to its end.
        let all = try play(isStepping: true)
        XCTAssertEqual(all.text.components(separatedBy: question).count, 2)
        XCTAssertTrue(all.text.contains("\n\(Scenes.all.count + 1) scenes, "), all.text)
    }

    func testTheFileIsKept() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "kivo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("mine.kivo").path
        XCTAssertTrue(try play(file: file, isStepping: true, answers: ["q"]).text.contains("into \(file)\n"))
        XCTAssertTrue(FileManager.default.fileExists(atPath: file))
        XCTAssertThrowsError(try play(file: file))
    }

    func testArguments() {
        XCTAssertEqual(Arguments([]), .tour(file: nil, isStepping: false))
        XCTAssertEqual(Arguments(["--step", "--file", "a"]), .tour(file: "a", isStepping: true))
        XCTAssertEqual(Arguments(["--file"]), .wrong("--file needs a path"))
        XCTAssertEqual(Arguments(["--steps"]), .wrong("unknown argument --steps"))
        XCTAssertEqual(Arguments(["-h", "--steps"]), .help)
    }

    func testLongTextsAreDividedAtBlanks() {
        var lines: [String] = []
        let terminal = Terminal(write: { lines.append($0) }, read: { nil })
        let words = Array(repeating: "word", count: 40).joined(separator: " ")
        terminal.paragraph(words, label: " 1  ")
        terminal.paragraph("  " + String(repeating: "x", count: 100), label: "")
        XCTAssertTrue(lines.allSatisfy { $0.count <= Terminal.width + 1 })
        XCTAssertTrue(lines[0].hasPrefix(" 1  word") && lines[1].hasPrefix("      word"), "\(lines)")
        XCTAssertEqual(
            lines[0...2].joined().components(separatedBy: "word").count - 1, 40, "no word is lost: \(lines)")
        XCTAssertEqual(lines.dropFirst(3).joined().filter { $0 == "x" }.count, 100)
    }
}
