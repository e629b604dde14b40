import KivoJournal
import XCTest

@testable import KivoTool

/// The tool's arguments, and the messages about invalid ones.
final class ArgumentTests: ToolTestCase {
    func testHelp() {
        let help = run("--help")
        XCTAssertEqual(help.code, .success)
        for command in Tool.root.subcommands {
            XCTAssertTrue(help.output.contains("  \(command.name) "), command.name)
            let own = run(command.name, "--help")
            XCTAssertEqual(run("help", command.name).output, own.output)
            XCTAssertEqual(own.code, .success)
            XCTAssertTrue(own.output.lowercased().contains("usage: kivo \(command.name)"), own.output)
            for option in command.options { XCTAssertTrue(own.output.contains(option.name), option.name) }
            XCTAssertTrue(own.output.split(separator: "\n").allSatisfy { $0.count <= 110 }, own.output)
        }
        XCTAssertEqual(run("help").output, help.output)
        XCTAssertEqual(run("dump", "nowhere", "-h").code, .success)
        XCTAssertEqual(
            run("--version").output, "kivo \(Tool.version), file format \(JournalError.currentVersion)\n")
    }

    /// Each command that the sources declare is a command of the tool, and each command is in the article about the tool.
    func testEveryCommandIsPartOfTheToolAndOfItsArticle() throws {
        let sources = Self.package.appendingPathComponent("Sources/KivoTool").path
        var declared: Set<String> = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: sources)
        where path.hasSuffix(".swift") {
            let source = try String(contentsOfFile: sources + "/" + path, encoding: .utf8)
            declared.formUnion(
                source.matches(of: #/static let `?(\w+)`? = Command\(\s*name: "(\w+)"/#).map { match in
                    XCTAssertTrue([String(match.output.2), "root"].contains(String(match.output.1)))
                    return String(match.output.2)
                })
        }
        let names = Set(Tool.root.subcommands.map(\.name))
        XCTAssertEqual(declared.subtracting([Tool.root.name]), names)
        let article = try String(
            contentsOf: Self.package.appendingPathComponent("Sources/Kivo/Kivo.docc/KivoTool.md"),
            encoding: .utf8)
        for name in names { XCTAssertTrue(article.contains("\n| `kivo \(name)"), name) }
    }

    func testWhatIsWrongIsNamed() {
        let wrong: [([String], String)] = [
            ([], "a command is missing"), (["dmup"], "no command 'dmup'"), (["dump"], "FILE is missing"),
            (["dump", "a", "b"], "'b' is one argument too many"),
            (["dump", "a", "--nope"], "no option '--nope'"),
            (["dump", "a", "--class"], "'--class' needs a value: --class NAME"),
            (["schema", "a", "--format", "png"], "is one of text, json, mermaid, dot, svg"),
            (["log", "a", "--last=0"], "takes a number above zero"),
            (["verify", "a", "--json=yes"], "takes no value"), (["import", "a"], "FILE is missing"),
        ]
        for (words, message) in wrong {
            let answer = Tool.answer(words)
            XCTAssertEqual(answer.code, .usage, "\(words)")
            XCTAssertTrue(answer.errors.contains(message), "\(words): \(answer.errors)")
            XCTAssertTrue(answer.errors.contains("--help"), "\(words): \(answer.errors)")
            XCTAssertEqual(answer.output, "", "\(words)")
        }
    }

    func testBehindTwoDashesThereAreNoOptions() {
        let answer = run("info", "--", "--help")
        XCTAssertEqual(answer.code, .problem)
        XCTAssertTrue(answer.errors.contains("'--help'"), answer.errors)
    }

    func testFilesThatAreNone() throws {
        let text = folder.appendingPathComponent("text.txt")
        try Data("this is a text and no realm".utf8).write(to: text)
        let empty = folder.appendingPathComponent("empty")
        try Data().write(to: empty)
        for command in ["info", "dump", "schema", "log", "watch", "export", "verify", "compact"] {
            let missing = run(command, folder.appendingPathComponent("missing").path)
            XCTAssertEqual(missing.code, .problem, command)
            XCTAssertTrue((missing.errors + missing.output).contains("does not exist"), missing.errors)
            let isFolder = run(command, folder.path)
            XCTAssertEqual(isFolder.code, .problem, command)
            let isText = run(command, text.path)
            XCTAssertEqual(isText.code, .problem, command)
            XCTAssertTrue((isText.errors + isText.output).contains("not a Kivo journal"), isText.errors)
            if command != "compact" { XCTAssertEqual(run(command, empty.path).code, .problem, command) }
        }
        XCTAssertEqual(try Data(contentsOf: text), Data("this is a text and no realm".utf8))
        XCTAssertEqual(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted(), ["empty", "text.txt"])
    }
}

extension Tool {
    /// Runs words and gathers what is said.
    fileprivate static func answer(_ words: [String]) -> (code: ExitCode, output: String, errors: String) {
        let gathered = GatheredOutput()
        let code = run(words, gathered.output)
        return (code, gathered.text, gathered.errors)
    }
}
