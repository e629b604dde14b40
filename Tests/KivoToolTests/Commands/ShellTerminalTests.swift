#if !os(Windows)
import Foundation
import Kivo
import KivoEngine
import XCTest

@testable import KivoTool

/// The shell as a program, in a pseudoterminal and with lines from a pipe.
final class ShellTerminalTests: ToolTestCase {
    /// A shell that runs in a terminal.
    private final class Session {
        let process = Process()
        private let terminal: Terminal
        private let screen = Screen()

        /// The text that the terminal has shown and that was not waited for.
        private final class Screen: Sendable {
            let bytes = Lock([UInt8]())
        }

        init(_ program: URL, _ words: [String], _ environment: [String: String]) throws {
            terminal = try Terminal()
            process.executableURL = program
            process.arguments = words
            process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
            process.standardInput = terminal.output
            process.standardOutput = terminal.output
            process.standardError = terminal.output
            try process.run()
            try terminal.output.close()
            Thread.detachNewThread { [terminal, screen] in
                var buffer = [UInt8](repeating: 0, count: 1 << 12)
                while true {
                    // The end of the other side is an error of reading here.
                    let count = read(terminal.reading.fileDescriptor, &buffer, buffer.count)
                    if count <= 0 { break }
                    screen.bytes.withLock { $0 += buffer[..<count] }
                }
            }
        }

        /// Waits until the terminal shows a text behind what it showed before, and returns all up to there.
        @discardableResult
        func wait(for text: String, line: UInt = #line) -> String {
            let end = Date(timeIntervalSinceNow: 60)
            while Date() < end {
                let found: String? = screen.bytes.withLock { bytes in
                    let shown = String(decoding: bytes, as: UTF8.self)
                    guard let range = shown.range(of: text) else { return nil }
                    bytes = Array(shown[range.upperBound...].utf8)
                    return String(shown[..<range.upperBound])
                }
                if let found { return found }
                Thread.sleep(forTimeInterval: 0.01)
            }
            XCTFail("no '\(text)' in \(shown.debugDescription)", line: line)
            return ""
        }

        var shown: String { String(decoding: screen.bytes.withLock { $0 }, as: UTF8.self) }

        func type(_ keys: String) { try? terminal.reading.write(contentsOf: Data(keys.utf8)) }

        func status() -> Int32 {
            process.waitUntilExit()
            return process.terminationStatus
        }
    }

    private func start(_ words: String..., terminal: String = "xterm") throws -> Session {
        let program = try ProgramTests.builtProgram()
        return try Session(program, ["shell", file.path] + words, ["TERM": terminal, "HOME": folder.path])
    }

    private static let prompt = "\rkivo> \u{1B}[K\r\u{1B}[6C"

    func testLinesAreEdited() throws {
        try makePets()
        let session = try start()
        session.wait(for: Self.prompt)
        session.type("ToolDog aeg > 5")
        session.wait(for: "ToolDog aeg > 5\u{1B}[K")
        session.type("\u{1B}b\u{1B}b\u{4}\u{4}\u{4}age\r")
        XCTAssertTrue(session.wait(for: Self.prompt).contains("  1    7    nil     \"Rex\""))
        // The line before, with another number.
        session.type("\u{1B}[A")
        session.wait(for: "ToolDog age > 5")
        session.type("\u{7F}-1 AND na\t== 'Zoe'\r")
        XCTAssertTrue(session.wait(for: Self.prompt).contains("\"Zoe\""))
        session.type("given up\u{3}")
        session.wait(for: "^C")
        session.wait(for: Self.prompt)
        session.type("none\r")
        session.wait(for: "no command and no class 'none'")
        session.wait(for: Self.prompt)
        session.type("ToolP\t\t")
        session.wait(for: "ToolPerson ")
        session.type("\u{15}di\t\r")
        session.wait(for: "B is missing")
        session.wait(for: Self.prompt)
        session.type("\u{4}")
        XCTAssertEqual(session.status(), 0)
        let history = try String(contentsOf: folder.appendingPathComponent(".kivo_history"), encoding: .utf8)
        XCTAssertEqual(
            history, "ToolDog age > 5\nToolDog age > -1 AND name == 'Zoe'\nnone\ndiff \n")
    }

    /// Several lines that are pasted at once.
    func testPastedLines() throws {
        try makePets()
        let session = try start()
        session.wait(for: Self.prompt)
        session.type(".classes\r.schema ToolDog\r.quit\r")
        session.wait(for: "ToolPerson   1")
        session.wait(for: "mother")
        XCTAssertEqual(session.status(), 0)
    }

    func testWatchEndsByCtrlC() throws {
        try makePets()
        let session = try start()
        session.wait(for: Self.prompt)
        session.type(".watch\r")
        session.wait(for: "\n")
        let end = Date(timeIntervalSinceNow: 60)
        // It reports commits from the moment at which it has read the file.
        while !session.shown.contains("+ ToolDog"), Date() < end {
            try withRealm { realm in try realm.write { realm.add(ToolDog()) } }
            Thread.sleep(forTimeInterval: 0.05)
        }
        session.process.interrupt()
        session.wait(for: Self.prompt)
        session.type(".quit\r")
        XCTAssertEqual(session.status(), 0)
    }

    /// A signal ends the shell, and the terminal is as before.
    func testASignalAtThePrompt() throws {
        try makePets()
        let session = try start()
        session.wait(for: Self.prompt)
        session.process.terminate()
        XCTAssertEqual(session.status(), SIGTERM)
        XCTAssertEqual(session.process.terminationReason, .uncaughtSignal)
    }

    /// A terminal that cannot move its cursor.
    func testADumbTerminal() throws {
        try makePets()
        for name in ["dumb", ""] {
            let session = try start(terminal: name)
            session.wait(for: "kivo> ")
            session.type(".classes\nnone\n")
            session.wait(for: "ToolPerson   1")
            session.wait(for: "no class 'none'")
            session.type(".quit\n")
            session.wait(for: "kivo> ")
            XCTAssertEqual(session.status(), 0)
        }
    }

    func testLinesOfAPipe() throws {
        let program = try ProgramTests.builtProgram()
        try makePets()
        func run(_ lines: String, _ words: String...) throws -> (
            status: Int32, output: String, errors: String
        ) {
            let (process, input, output, errors) = (Process(), Pipe(), Pipe(), Pipe())
            process.executableURL = program
            process.arguments = ["shell", file.path] + words
            (process.standardInput, process.standardOutput, process.standardError) = (input, output, errors)
            try process.run()
            try input.fileHandleForWriting.write(contentsOf: Data(lines.utf8))
            try input.fileHandleForWriting.close()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            let complaint = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            return (process.terminationStatus, text, complaint)
        }
        let good = try run("ToolDog name == 'Rex'\n.classes", "--text")
        XCTAssertEqual(good.status, 0, good.errors)
        XCTAssertTrue(good.output.hasPrefix("ToolDog\n  key  age"), good.output)
        XCTAssertTrue(try run("ToolDog\n").output.hasPrefix("{\"class\":\"ToolDog\""))
        let bad = try run("none\n.classes\n")
        XCTAssertEqual(bad.status, 1)
        XCTAssertEqual(bad.output, "")
        XCTAssertEqual(try run("").status, 0)
        // A predicate that does not fit its class ends the program.
        let trap = try run("ToolDog age == 'old'\n.classes\n")
        XCTAssertEqual(trap.status, 2)
        XCTAssertTrue(trap.errors.contains("cannot be compared"), trap.errors)
        XCTAssertFalse(FileManager.default.fileExists(atPath: folder.path + "/.kivo_history"))
    }
}
#endif
