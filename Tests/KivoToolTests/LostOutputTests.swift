#if !os(Windows)

import Foundation
import Kivo
import XCTest

@testable import KivoTool

/// Output that cannot be written, and commands that are interrupted.
final class LostOutputTests: ToolTestCase {
    /// Runs the tool by a shell, which redirects its output.
    private func shell(_ words: String, _ redirection: String) throws -> (status: Int32, errors: String) {
        guard let program = ProgramTests.program else {
            throw XCTSkip("The tool was not built beside the tests.")
        }
        let process = Process()
        let errors = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "'\(program.path)' \(words) \(redirection)"]
        process.standardError = errors
        try process.run()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    private static let commands = [
        "--help", "--version", "info FILE", "verify FILE", "dump FILE", "schema FILE", "log FILE",
        "export FILE",
        "compact FILE --dry-run", "compact FILE", "realm help", "dump --help",
    ]

    private func forEachCommand(
        _ redirection: String, _ check: (String, (status: Int32, errors: String)) -> Void
    )
        throws
    {
        for command in Self.commands {
            check(
                command,
                try shell(command.replacingOccurrences(of: "FILE", with: "'\(file.path)'"), redirection))
        }
    }

    func testOutputOnAFullDiskIsAnError() throws {
        guard FileManager.default.fileExists(atPath: "/dev/full") else {
            throw XCTSkip("There is no /dev/full.")
        }
        try makePets()
        try forEachCommand("> /dev/full") { command, answer in
            XCTAssertEqual(answer.status, 1, command)
            XCTAssertEqual(
                answer.errors,
                "kivo: the output is not complete, because it cannot be written: No space left on device\n",
                command)
        }
    }

    func testClosedStandardOutputIsAnError() throws {
        try makePets()
        try forEachCommand(">&-") { command, answer in
            XCTAssertEqual(answer.status, 1, command)
            XCTAssertTrue(answer.errors.contains("cannot be written: Bad file descriptor"), answer.errors)
        }
        // The result is not written into a file that got the number of standard output.
        XCTAssertEqual(run("verify", file.path).code, .success)
        let lines = folder.appendingPathComponent("lines")
        try Data(run("export", file.path).output.utf8).write(to: lines)
        let copy = folder.appendingPathComponent("copy.kivo")
        XCTAssertEqual(try shell("import '\(lines.path)' '\(copy.path)'", ">&-").status, 1)
        XCTAssertEqual(run("dump", "--json", copy.path).output, run("dump", "--json", file.path).output)
    }

    func testAPipeThatItsReaderClosedIsAQuietEnd() throws {
        try withRealm { realm in
            try realm.write { for age in 0..<5000 { realm.add(ToolDog(value: ["age": age])) } }
        }
        let status = folder.appendingPathComponent("status").path
        for command in ["dump", "export", "log"] {
            let answer = try shell(
                "\(command) '\(file.path)'; echo $? > '\(status)'", ""
            ).errors
            XCTAssertEqual(answer, "", command)
            let piped = try shell(
                "--version > /dev/null; { '\(ProgramTests.program!.path)' \(command) '\(file.path)'; echo $? > '\(status)'; }",
                "| true")
            XCTAssertEqual(piped.errors, "", command)
            XCTAssertEqual(try String(contentsOfFile: status, encoding: .utf8), "0\n", command)
        }
    }

    /// The copy of standard input is removed, and the message names it.
    func testAnInterruptedImportLeavesNothing() throws {
        guard let program = ProgramTests.program else {
            throw XCTSkip("The tool was not built beside the tests.")
        }
        try makePets()
        let copy = folder.appendingPathComponent("copy.kivo")
        for (signal, unfinished) in [(SIGINT, ".lines"), (SIGTERM, ".lines")] {
            let process = Process()
            let (input, errors) = (Pipe(), Pipe())
            process.executableURL = program
            process.arguments = ["import", "-", copy.path]
            process.standardInput = input
            process.standardError = errors
            try process.run()
            try input.fileHandleForWriting.write(contentsOf: Data(run("export", file.path).output.utf8))
            let end = Date(timeIntervalSinceNow: 60)
            while !FileManager.default.fileExists(atPath: copy.path + unfinished), Date() < end {
                usleep(1_000)
            }
            kill(process.processIdentifier, signal)
            let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            XCTAssertEqual(process.terminationReason, .uncaughtSignal)
            XCTAssertEqual(process.terminationStatus, signal)
            XCTAssertEqual(
                text, "kivo: interrupted; the unfinished '\(copy.path + unfinished)' was removed\n")
            XCTAssertEqual(
                try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted(),
                ["test.kivo", "test.kivo.lock"])
        }
    }
}

#endif
