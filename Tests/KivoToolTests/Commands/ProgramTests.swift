import Foundation
import Kivo
import XCTest

@testable import KivoTool

/// The tool as a program of its own, which knows none of the classes.
final class ProgramTests: ToolTestCase {
    static let program: URL? = {
        #if !os(Windows)
        if let program = LaunchedTool.program { return program }
        #endif
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).standardizedFileURL
        while folder.pathComponents.count > 1 {
            folder.deleteLastPathComponent()
            let program = folder.appendingPathComponent("kivo")
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: program.path, isDirectory: &isFolder),
                !isFolder.boolValue
            {
                return program
            }
        }
        return nil
    }()

    /// Returns the program. Skips the test if there is none.
    static func builtProgram() throws -> URL {
        guard let program else { throw XCTSkip("The tool was not built beside the tests.") }
        return program
    }

    private func launch(_ words: [String], input: URL? = nil) throws -> (
        status: Int32, output: String, errors: String
    ) {
        let program = try Self.builtProgram()
        let process = Process()
        process.executableURL = program
        process.arguments = words
        let (output, errors) = (
            folder.appendingPathComponent("output"), folder.appendingPathComponent("errors")
        )
        for file in [output, errors] { try Data().write(to: file) }
        if let input { process.standardInput = try FileHandle(forReadingFrom: input) }
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        process.waitUntilExit()
        XCTAssertEqual(process.terminationReason, .exit)
        return (
            process.terminationStatus, try String(contentsOf: output, encoding: .utf8),
            try String(contentsOf: errors, encoding: .utf8)
        )
    }

    func testItWorksWithoutTheClasses() throws {
        try makePets()
        let dump = try launch(["dump", file.path])
        XCTAssertEqual(dump.status, 0, dump.errors)
        XCTAssertEqual(dump.output, run("dump", "--json", file.path).output)
        let found = try launch(["dump", file.path, "--class", "ToolPerson", "--where", "ANY dogs.age > 6"])
        XCTAssertEqual(found.status, 0, found.errors)
        XCTAssertTrue(found.output.hasPrefix("{\"class\":\"ToolPerson\",\"key\":1,"), found.output)
        XCTAssertEqual(
            try launch(["dump", file.path, "--class", "ToolPerson", "--where", "dogs.@count > 5"]).output, "")
    }

    func testAnImportOfStandardInput() throws {
        try makePets()
        let lines = folder.appendingPathComponent("lines")
        try Data(run("export", file.path).output.utf8).write(to: lines)
        let copy = folder.appendingPathComponent("copy.kivo")
        XCTAssertEqual(try launch(["import", "-", copy.path], input: lines).status, 0)
        XCTAssertEqual(run("dump", "--json", copy.path).output, run("dump", "--json", file.path).output)
        XCTAssertFalse(FileManager.default.fileExists(atPath: copy.path + ".lines"))
    }

    /// A program that ends right after it wrote has made the checkpoint: the next process that opens the file replays nothing.
    func testWhatAProgramWroteIsACheckpoint() throws {
        let fixture = Self.realmFile("binaries-1")
        let lines = folder.appendingPathComponent("lines")
        let copy = folder.appendingPathComponent("copy.kivo")
        func check(_ file: URL, _ words: String..., line: UInt = #line) throws {
            let answer = try launch(words)
            XCTAssertEqual(answer.status, 0, answer.errors, line: line)
            let report = try Realm.verify(fileURL: file)
            XCTAssertNotNil(report.checkpointOffset, line: line)
            XCTAssertEqual(report.commitCount, 0, "commits after the checkpoint", line: line)
            XCTAssertGreaterThan(report.objectCount, 0, line: line)
        }
        try check(file, "realm", "import", fixture.path, file.path)
        try Data(run("export", file.path).output.utf8).write(to: lines)
        try check(copy, "import", lines.path, copy.path)
        try check(copy, "compact", copy.path)
    }

    func testWhatIsPipedIsJSON() throws {
        try makePets()
        XCTAssertTrue(try launch(["info", file.path]).output.hasPrefix("{\"file\":"))
        XCTAssertTrue(try launch(["info", file.path, "--text"]).output.hasPrefix("file "))
        XCTAssertTrue(try launch(["log", file.path]).output.hasPrefix("{\"commit\":1,"))
    }

    func testAFileThatAnotherProcessWritesToIsRead() throws {
        try makePets()
        try withRealm { realm in
            let words = ["dump", file.path, "--class", "ToolDog", "--where", "name == 'Kit'"]
            XCTAssertEqual(try launch(words).output, "")
            try realm.write { realm.add(ToolDog(value: ["name": "Kit"])) }
            let answer = try launch(words)
            XCTAssertEqual(answer.status, 0, answer.errors)
            XCTAssertTrue(answer.output.contains("Kit"), answer.output)
            XCTAssertEqual(try launch(["compact", file.path]).status, 1)
        }
    }

    func testExitCodes() throws {
        try makePets()
        XCTAssertEqual(try launch(["verify", file.path]).status, 0)
        XCTAssertEqual(try launch(["verify", file.path + "x"]).status, 1)
        XCTAssertEqual(try launch(["verify"]).status, 2)
        XCTAssertEqual(try launch([]).status, 2)
    }

    /// A damaged page would trap in a program; here it is a problem of the file, said in one sentence.
    func testADamagedPageIsAProblem() throws {
        var configuration = Realm.Configuration(fileURL: file, objectTypes: Self.classes)
        configuration.checkpoints.smallestTailOfClosing = 1
        try {
            let realm = try Realm(configuration: configuration)
            try realm.write {
                for age in 0..<2_000 { realm.add(ToolDog(value: ["name": "Kit", "age": age])) }
            }
        }()
        let bytes = try Data(contentsOf: file)
        let end = try XCTUnwrap(bytes.lastIndex { $0 != 0 })
        var found = 0
        for place in stride(from: 8192, to: end, by: end / 40) {
            var damaged = bytes
            damaged[place] ^= 1
            try damaged.write(to: file)
            let problems = run("verify", file.path, "--json").objects[0]["problems"] as? [[String: Any]] ?? []
            guard problems.contains(where: { ($0["message"] as? String ?? "").contains("a page of") }) else {
                continue
            }
            let answer = try launch(["dump", file.path])
            XCTAssertEqual(answer.status, 1, answer.errors)
            XCTAssertTrue(
                answer.errors.hasPrefix("kivo: The realm file '\(file.path)' is damaged at byte"),
                answer.errors)
            XCTAssertEqual(answer.errors.split(separator: "\n").count, 1, answer.errors)
            found += 1
        }
        XCTAssertGreaterThan(found, 0)
    }

    /// A predicate that does not fit the class would trap in a program; here it is a mistake of the user.
    func testAPredicateThatDoesNotFitIsAnErrorOfUse() throws {
        try makePets()
        for (predicate, message) in [
            ("furr == 3", "furr"), ("age == 'old'", "cannot be compared"), ("name.length > 3", "name"),
            ("age >", "malformed"),
        ] {
            let answer = try launch(["dump", file.path, "--class", "ToolDog", "--where", predicate])
            XCTAssertEqual(answer.status, 2, answer.errors)
            XCTAssertTrue(answer.errors.hasPrefix("kivo: "), answer.errors)
            XCTAssertTrue(answer.errors.contains(message), answer.errors)
            XCTAssertFalse(answer.errors.contains("Fatal error"), answer.errors)
        }
    }

    func testWatchEndsByItself() throws {
        try makePets()
        let program = try Self.builtProgram()
        let process = Process()
        let pipe = Pipe()
        process.executableURL = program
        process.arguments = ["watch", file.path, "--count", "1"]
        process.standardOutput = pipe
        try process.run()
        // The tool reports commits from the moment at which it has read the current contents.
        let url = file
        let writer = Thread {
            for age in 0..<1200 where process.isRunning {
                let configuration = Realm.Configuration(fileURL: url, objectTypes: ToolTestCase.classes)
                try? Realm(configuration: configuration).writeAge(age)
                Thread.sleep(forTimeInterval: 0.1)
            }
            if process.isRunning { process.terminate() }
        }
        writer.start()
        process.waitUntilExit()
        let told = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        XCTAssertEqual(process.terminationStatus, 0)
        XCTAssertEqual(told.split(separator: "\n").count, 1, told)
        XCTAssertTrue(told.contains("\"class\":\"ToolDog\""), told)
        while !writer.isFinished { Thread.sleep(forTimeInterval: 0.01) }
    }
}

extension Realm {
    fileprivate func writeAge(_ age: Int) throws {
        try write { objects(ToolDog.self)[0].age = 100 + age }
    }
}
