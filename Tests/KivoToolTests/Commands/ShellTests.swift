import Foundation
import Kivo
import XCTest

@testable import KivoTool

/// The lines of the shell, without a terminal.
final class ShellTests: ToolTestCase {
    /// Runs lines, as a script that stops at the first failure, or as at a prompt.
    private func shell(
        _ lines: String..., isWritable: Bool = false, isJSON: Bool = false, isPrompt: Bool = false
    ) -> Answer {
        let gathered = GatheredOutput()
        var rest = lines[...]
        let code = Shell(path: file.path, isWritable: isWritable).run(
            { rest.popFirst() }, gathered.output(isJSON: isJSON), stopsAtFailure: !isPrompt)
        return Answer(code: code, output: gathered.text, errors: gathered.errors)
    }

    func testLinesAreCommands() throws {
        try makePets()
        let path = file.path
        for (line, words) in [
            ("info", ["info", path]), ("dump", ["dump", path]),
            ("log --last 1", ["log", path, "--last", "1"]),
            (
                "dump --class ToolDog --where \"name == 'Rex'\" --json",
                [
                    "dump", path, "--class", "ToolDog", "--where", "name == 'Rex'", "--json",
                ]
            ),
            ("schema --format mermaid", ["schema", path, "--format", "mermaid"]),
            ("verify", ["verify", path]),
            ("  export --class ToolDog", ["export", path, "--class", "ToolDog"]),
            ("--version", ["--version"]),
            ("diff '\(path)'", ["diff", path, path]), ("manual", ["manual"]),
            ("completion bash", ["completion", "bash"]),
            (
                "realm info '\(Self.realmFile("links-1").path)'",
                ["realm", "info", Self.realmFile("links-1").path]
            ),
        ] {
            let answer = shell(line)
            XCTAssertEqual(answer.output, run(words).output, line)
            XCTAssertEqual(answer.errors, "", line)
            XCTAssertEqual(answer.code, .success, line)
        }
        XCTAssertTrue(shell("explain --class ToolDog --where 'age > 5'").output.contains("finds  1 object"))
        XCTAssertTrue(shell("copy '\(folder.path)/copy.kivo'").output.contains("bytes in"))
        // A format is that of its line.
        let formats = shell("info --json", "info").output
        XCTAssertTrue(formats.hasPrefix("{\"file\""), formats)
        XCTAssertTrue(formats.contains("\nfile            "), formats)
    }

    func testHelp() throws {
        try makePets()
        for line in [".help", "help"] {
            let help = shell(line).output
            for name in Tool.root.subcommands.map(\.name) where name != "shell" {
                XCTAssertTrue(help.contains("  \(name) "), name)
            }
            for (name, _) in Shell.shortForms { XCTAssertTrue(help.contains("  \(name) "), name) }
        }
        for line in ["dump --help", "help dump"] {
            let help = shell(line).output
            XCTAssertTrue(help.contains("Usage: dump [options]\n"), help)
        }
    }

    func testAClassAndAPredicate() throws {
        try makePets()
        let dump = run("dump", file.path, "--class", "ToolDog", "--where", "name == \"Rex\"").output
        for line in ["ToolDog name == \"Rex\"", "ToolDog  name == 'Rex'", "\tToolDog\tname=='Rex'"] {
            XCTAssertEqual(shell(line).output, dump, line)
        }
        XCTAssertEqual(shell("ToolDog").output, run("dump", file.path, "--class", "ToolDog").output)
        XCTAssertEqual(
            shell("ToolDog", isJSON: true).output,
            run("dump", file.path, "--class", "ToolDog", "--json").output)
        // The rest of the line is the predicate, with all of its quotes and dashes.
        XCTAssertEqual(shell("ToolDog age > -5 AND name != \"it's --class\"").code, .success)
        for (line, message) in [
            ("ToolDog agee > 3", "did you mean 'age'?"), ("ToolDog age >", "malformed"),
            ("ToolDgo age > 3", "no command and no class 'ToolDgo'; did you mean 'ToolDog'?"),
            ("dmup", "did you mean 'dump'?"), (".scehma", "did you mean '.schema'?"),
        ] {
            let answer = shell(line)
            XCTAssertEqual(answer.code, .problem, line)
            XCTAssertTrue(answer.errors.contains(message), answer.errors)
            XCTAssertTrue(answer.errors.contains("'.help'"), answer.errors)
        }
    }

    func testManyObjectsAreCut() throws {
        try withRealm { realm in
            try realm.write { for age in 0..<120 { realm.add(ToolDog(value: ["age": age])) } }
        }
        let answer = shell("ToolDog age >= 20")
        XCTAssertEqual(answer.output.split(separator: "\n").count, 2 + 50 + 1)
        XCTAssertTrue(answer.output.hasSuffix("\nand 50 more\n"), answer.output)
        XCTAssertFalse(shell("ToolDog age >= 70").output.contains("more"))
        let json = shell("ToolDog", isJSON: true).objects
        XCTAssertEqual(json.count, 51)
        XCTAssertEqual(json.last?["more"] as? Int, 70)
    }

    func testShortForms() throws {
        try makePets()
        XCTAssertEqual(
            shell(".classes").output,
            "ToolAddress  1 (embedded)\nToolDog      2\nToolPerson   1\n")
        XCTAssertEqual(shell(".classes", isJSON: true).objects.count, 3)
        XCTAssertEqual(shell(".schema").output, run("schema", file.path).output)
        let schema = shell(".schema ToolDog").output
        XCTAssertTrue(schema.contains("mother"), schema)
        XCTAssertFalse(schema.contains("scores"), schema)
        XCTAssertTrue(shell(".schema ToolDgo").errors.contains("did you mean 'ToolDog'?"))
        XCTAssertEqual(shell(".schema ToolDog ToolThing").code, .problem)
        for quit in [".quit", ".exit"] {
            XCTAssertEqual(shell(quit, "none").code, .success)
            XCTAssertEqual(shell(quit, "none").errors, "")
        }
    }

    func testWhatChangesTheFile() throws {
        try makePets()
        let csv = folder.appendingPathComponent("dogs.csv")
        try Data("name,age\nMax,3\n".utf8).write(to: csv)
        let set = "set age=99 --class ToolDog --where \"name == 'Rex'\""
        let lines = [
            set, set + " --write", "delete --class ToolDog --write", "import '\(csv.path)' --class ToolDog",
            "compact",
            "reindex", "studio --writable", "realm import x y",
        ]
        let before = try Data(contentsOf: file)
        for line in lines {
            let answer = shell(line)
            XCTAssertEqual(answer.code, .problem, line)
            XCTAssertTrue(answer.errors.contains("'kivo shell --writable' allows"), answer.errors)
        }
        XCTAssertEqual(shell("compact --dry-run").code, .success)
        XCTAssertEqual(try Data(contentsOf: file), before)
        XCTAssertTrue(shell(set, isWritable: true).output.contains("would change 1 object"))
        XCTAssertEqual(try Data(contentsOf: file), before, "--write is still needed")
        let answer = shell(
            set + " --write", "ToolDog age == 99", "import '\(csv.path)' --class ToolDog", "compact",
            isWritable: true)
        XCTAssertEqual(answer.code, .success, answer.errors)
        XCTAssertTrue(answer.output.contains("changed 1 object of class 'ToolDog'\nToolDog\n"), answer.output)
        XCTAssertTrue(answer.output.contains("added 1 object of class 'ToolDog'"), answer.output)
    }

    func testFailures() throws {
        try makePets()
        let script = shell("# a comment", "", ".classes", "none", ".classes")
        XCTAssertEqual(script.code, .problem)
        XCTAssertEqual(script.output.split(separator: "\n").count, 3, "the lines after a failure are not run")
        let prompt = shell(".classes", "none", "dump --nope", "dump 'x", ".classes", isPrompt: true)
        XCTAssertEqual(prompt.code, .success)
        XCTAssertEqual(prompt.output.split(separator: "\n").count, 6)
        XCTAssertTrue(prompt.errors.contains("no option '--nope'; try 'dump --help'"), prompt.errors)
        XCTAssertTrue(prompt.errors.contains("a closing ' is missing"), prompt.errors)
        // A line of several commands, or a shell in a shell, are none.
        XCTAssertEqual(shell("shell").code, .problem)
        XCTAssertEqual(run("shell", file.path + "x").code, .problem)
        XCTAssertEqual(run("shell").code, .usage)
    }

    func testTheReaderOfAPipeHasReadEnough() throws {
        try makePets()
        let gathered = GatheredOutput()
        var count = 0
        let code = Shell(path: file.path, isWritable: false).run(
            {
                count += 1
                return "manual"
            }, gathered.output(isJSON: true, limit: 10_000), stopsAtFailure: true)
        XCTAssertEqual(code, .success)
        XCTAssertLessThan(count, 10)
    }

    func testAnInterruptionEndsALine() throws {
        try makePets()
        let gathered = GatheredOutput()
        let output = gathered.output.successor()
        let ended = expectation(description: "ended")
        let shell = Shell(path: file.path, isWritable: false)
        Thread {
            XCTAssertEqual(shell.run(".watch", output), .done(.success))
            ended.fulfill()
        }.start()
        Thread.sleep(forTimeInterval: 0.1)
        output.stop()
        wait(for: [ended], timeout: 60)
    }

    // MARK: Words

    func testWordsOfLines() throws {
        for (line, words) in [
            ("", []), ("a  b\tc", ["a", "b", "c"]), ("'a b' \"c d\"e", ["a b", "c de"]), ("a\\ b", ["a b"]),
            ("''  \"\"", ["", ""]), ("\"a\\\"b\\\\c\\d\"", ["a\"b\\c\\d"]), ("'a\\b'", ["a\\b"]),
            ("a\\", ["a\\"]),
            ("x=\"it's\"", ["x=it's"]),
        ] as [(String, [String])] {
            XCTAssertEqual(try ShellLine.words(of: line), words, line)
        }
        for line in ["'", "a \"b", "'a\"", "\"a\\\""] {
            XCTAssertThrowsError(try ShellLine.words(of: line), line)
        }
    }

    // MARK: Completion

    private func completed(_ line: String) throws -> [String] {
        let shell = Shell(path: file.path, isWritable: false)
        let found = try XCTUnwrap(ShellCompletion(shell)).candidates(line)
        return found.words.map { String(line.dropLast(found.replaced)) + $0 }
    }

    func testCompletion() throws {
        try makePets()
        XCTAssertEqual(try completed("du"), ["dump"])
        XCTAssertEqual(try completed(".sc"), [".schema"])
        XCTAssertEqual(try completed("ToolD"), ["ToolDog"])
        XCTAssertTrue(try completed("").contains("info"))
        XCTAssertEqual(try completed("realm i"), ["realm info", "realm import"])
        XCTAssertEqual(try completed("dump --wh"), ["dump --where"])
        XCTAssertEqual(try completed("dump --format c"), ["dump --format csv"])
        XCTAssertEqual(try completed("dump --class ToolP"), ["dump --class ToolPerson"])
        XCTAssertEqual(try completed("dump --class ToolDog --sort na"), ["dump --class ToolDog --sort name"])
        XCTAssertEqual(
            try completed("dump --class ToolDog --fields name,mother.a"),
            ["dump --class ToolDog --fields name,mother.age"])
        XCTAssertEqual(
            try completed("dump --class ToolDog --where \"age > 3 AND na"),
            ["dump --class ToolDog --where \"age > 3 AND name"])
        XCTAssertEqual(try completed("set --class ToolDog ag"), ["set --class ToolDog age="])
        XCTAssertEqual(try completed(".schema ToolA"), [".schema ToolAddress"])
        XCTAssertEqual(try completed("ToolDog "), ["ToolDog age", "ToolDog mother", "ToolDog name"])
        XCTAssertEqual(try completed("ToolDog mother.n"), ["ToolDog mother.name"])
        XCTAssertEqual(try completed("ToolPerson name beg"), ["ToolPerson name BEGINSWITH"])
        XCTAssertEqual(try completed("ToolPerson dogs.@"), ["ToolPerson dogs.@count"])
        XCTAssertEqual(try completed("ToolPerson ANY dogs.na"), ["ToolPerson ANY dogs.name"])
        for line in [
            "nothing x", "dump --limit ", "dump --arg x", "ToolDog age.x", "info x",
            "dump --class None --sort a",
        ] {
            XCTAssertEqual(try completed(line), [], line)
        }
        XCTAssertEqual(
            ShellCompletion.Candidates(replaced: 0, words: ["abcd", "abxy", "ab"]).common, "ab")
    }

    // MARK: History

    func testHistory() throws {
        let path = folder.appendingPathComponent("history").path
        var history = ShellHistory(path: path)
        for line in ["a", "b", "b", "", " secret", "a"] { history.add(line) }
        XCTAssertEqual(history.lines, ["a", "b", "a"])
        XCTAssertEqual(ShellHistory(path: path).lines, ["a", "b", "a"])
        // Another shell has added lines meanwhile.
        var other = ShellHistory(path: path)
        other.add("other")
        history.add("mine")
        XCTAssertEqual(ShellHistory(path: path).lines, ["a", "b", "a", "other", "mine"])
        for number in 0..<1500 where number > 1490 || number < 5 { history.add("\(number)") }
        try Data((0..<3000).map { "line \($0)\n" }.joined().utf8).write(to: URL(fileURLWithPath: path))
        history.add("last")
        XCTAssertEqual(ShellHistory(path: path).lines.count, 1000)
        XCTAssertEqual(try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").count, 1000)
        #if !os(Windows)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        history.add("private")
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        XCTAssertEqual(attributes[.posixPermissions] as? Int, 0o600)
        #endif
        // What cannot be written, or controls a terminal, is left out.
        var none = ShellHistory(path: folder.path + "/none/history")
        none.add("a")
        XCTAssertEqual(none.lines, ["a"])
        try Data("ok\nbad\u{1B}[31m\n\u{FF}\n".utf8).write(to: URL(fileURLWithPath: path))
        XCTAssertEqual(ShellHistory(path: path).lines, ["ok", "\u{FF}"])
    }
}
