#if !os(Windows)

import Foundation
import Kivo
import TestRandomness
import XCTest

@testable import KivoTool

/// Output that cannot be written, and commands that are interrupted.
final class LostOutputTests: ToolTestCase {
    /// Runs the tool by a shell, which redirects its output.
    private func shell(_ words: String, _ redirection: String) throws -> (status: Int32, errors: String) {
        let program = try ProgramTests.builtProgram()
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

    /// Calls of each command that prints. NEW is a file that does not exist yet.
    private static let calls = [
        "--help", "--version", "dump --help", "realm help", "info FILE", "verify FILE", "dump FILE",
        "explain FILE --class ToolDog", "shell FILE < SCRIPT", "schema FILE", "log FILE",
        "changes OTHER --since 0", "consumers OTHER", "diff FILE OTHER",
        "set FILE age=3 --class ToolDog --write",
        "delete FILE --class ToolDog --where 'age < 0'", "export FILE", "export FILE --count",
        "import LINES NEW", "import CSV NEW --class Dog", "import CSV FILE --class ToolDog --dry-run",
        "import CSV FILE --class Order --new-class --dry-run",
        "copy FILE NEW", "salvage FILE NEW", "compact FILE --dry-run", "compact FILE",
        "reindex FILE",
        "realm info REALM", "realm schema REALM", "realm dump REALM", "realm models REALM",
        "realm import REALM NEW", "completion bash", "completion zsh", "completion fish", "manual",
    ]
    /// Commands that run until they are interrupted.
    private static let endless = ["watch", "studio"]

    /// Makes the files of ``calls``, calls each of these, and passes what became of it.
    private func forEachCall(
        _ redirection: String, _ check: (String, (status: Int32, errors: String)) throws -> Void
    ) throws {
        try makePets()
        let (other, lines) = (
            folder.appendingPathComponent("other.kivo"), folder.appendingPathComponent("lines")
        )
        let (csv, script) = (
            folder.appendingPathComponent("rows.csv"), folder.appendingPathComponent("script")
        )
        try Data("name,age\nMax,3\n".utf8).write(to: csv)
        try Data("info\n".utf8).write(to: script)
        try withRealm(other) { realm in
            try realm.write { realm.add(ToolDog(value: ["name": "Max"])) }
            _ = try realm.consumer("reader")
        }
        try Data(run("export", file.path).output.utf8).write(to: lines)
        let realm = Self.realmFile("links-1")
        for (number, call) in TestEffort.sample(Self.calls, 6, redirection).enumerated() {
            let words = call.split(separator: " ").map { word in
                switch word {
                case "FILE": "'\(file.path)'"
                case "OTHER": "'\(other.path)'"
                case "LINES": "'\(lines.path)'"
                case "CSV": "'\(csv.path)'"
                case "SCRIPT": "'\(script.path)'"
                case "REALM": "'\(realm.path)'"
                case "NEW": "'\(folder.path)/new\(number).kivo'"
                default: String(word)
                }
            }
            try check(call, shell(words.joined(separator: " "), redirection))
        }
    }

    func testEachCommandIsCalled() {
        func names(_ command: Command, _ path: [String] = []) -> [String] {
            command.subcommands.isEmpty
                ? [path.joined(separator: " ")]
                : command.subcommands.flatMap { names($0, path + [$0.name]) }
        }
        let missing = names(Tool.root).filter { name in
            !Self.endless.contains(name)
                && !Self.calls.contains { ($0 + " ").hasPrefix(name + " ") && !$0.hasSuffix("help") }
        }
        XCTAssertEqual(missing, [])
    }

    func testOutputOnAFullDiskIsAnError() throws {
        guard FileManager.default.fileExists(atPath: "/dev/full") else {
            throw XCTSkip("There is no /dev/full.")
        }
        try forEachCall("> /dev/full") { command, answer in
            XCTAssertEqual(answer.status, 1, command)
            XCTAssertEqual(
                answer.errors,
                "kivo: the output is not complete, because it cannot be written: No space left on device\n",
                command)
        }
    }

    func testClosedStandardOutputIsAnError() throws {
        try forEachCall(">&-") { command, answer in
            XCTAssertEqual(answer.status, 1, command)
            XCTAssertTrue(
                answer.errors.contains("cannot be written: Bad file descriptor"), command + answer.errors)
        }
        // The result is not written into a file that got the number of standard output.
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where name.hasSuffix(".kivo") {
            XCTAssertEqual(run("verify", folder.appendingPathComponent(name).path).code, .success, name)
        }
        let lines = folder.appendingPathComponent("lines")
        try Data(run("export", file.path).output.utf8).write(to: lines)
        let copy = folder.appendingPathComponent("copy.kivo")
        XCTAssertEqual(try shell("import '\(lines.path)' '\(copy.path)'", ">&-").status, 1)
        XCTAssertEqual(run("dump", "--json", copy.path).output, run("dump", "--json", file.path).output)
    }

    func testACommitThatIsWatchedOnAFullDiskIsAnError() throws {
        guard let program = ProgramTests.program, FileManager.default.fileExists(atPath: "/dev/full") else {
            throw XCTSkip("The tool was not built beside the tests, or there is no /dev/full.")
        }
        try makePets()
        let (process, errors) = (Process(), Pipe())
        process.executableURL = program
        process.arguments = ["watch", file.path]
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: "/dev/full"))
        process.standardError = errors
        try process.run()
        // It ends with the first commit after its start.
        let end = Date(timeIntervalSinceNow: 60)
        while process.isRunning, Date() < end {
            try withRealm { realm in try realm.write { realm.add(ToolDog()) } }
            usleep(20_000)
        }
        XCTAssertFalse(process.isRunning)
        process.terminate()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        XCTAssertEqual(process.terminationStatus, 1)
        XCTAssertTrue(text.contains("cannot be written: No space left on device"), text)
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
        let program = try ProgramTests.builtProgram()
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
