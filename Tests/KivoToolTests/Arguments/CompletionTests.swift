import Foundation
import Kivo
import XCTest

@testable import KivoTool

/// A class whose name a shell would run.
class ExpandedClass: Object {
    override class func _realmObjectName() -> String? { "$(touch expanded)" }
    @Persisted var text = ""
}

/// The scripts for shells and the manual page, which are made of the commands.
final class CompletionTests: ToolTestCase {
    private static func executable(_ name: String) -> String? {
        ["/bin/", "/usr/bin/", "/usr/local/bin/"].map { $0 + name }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }

    private func output(_ executable: String, _ arguments: String...) throws -> (text: String, errors: String)
    {
        let process = Process()
        let (pipe, errors) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.standardOutput = pipe
        process.standardError = errors
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let complaint = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (text, complaint)
    }

    func testEveryCommandAndOptionIsInEachScript() {
        for shell in Completion.allCases {
            let script = run("completion", shell.rawValue).output
            for (name, command) in Tool.root.leaves {
                XCTAssertTrue(script.contains(name.split(separator: " ").last!), name)
                for option in command.options {
                    let spelt = shell == .fish ? "-l \(option.name.dropFirst(2)) " : option.name
                    XCTAssertTrue(script.contains(spelt), "\(name) \(option.name)")
                }
            }
        }
        XCTAssertTrue(
            run("completion", "tcsh").errors.contains("SHELL is one of bash, zsh, fish, and not 'tcsh'"))
    }

    func testBashCompletes() throws {
        guard let bash = Self.executable("bash") else { throw XCTSkip("There is no bash.") }
        let script = folder.appendingPathComponent("kivo.bash")
        try Data(run("completion", "bash").output.utf8).write(to: script)
        func completed(_ words: String...) throws -> [String] {
            let quoted = words.map { "'\($0)'" }.joined(separator: " ")
            let answer = try output(
                bash, "-c",
                """
                cd '\(folder.path)'; source kivo.bash; COMP_WORDS=(kivo \(quoted)); COMP_CWORD=\(words.count); _kivo
                printf '%s\\n' "${COMPREPLY[@]}"
                """)
            XCTAssertEqual(answer.errors, "")
            return answer.text.split(separator: "\n").map(String.init)
        }
        XCTAssertEqual(try completed("d"), ["dump", "diff", "delete"])
        XCTAssertEqual(try completed(""), Tool.root.subcommands.map(\.name))
        XCTAssertEqual(try completed("realm", "i"), ["info", "import"])
        XCTAssertEqual(try completed("dump", "x", "--f"), ["--fields", "--format", "--formulas"])
        XCTAssertEqual(try completed("dump", "x", "--format", ""), ["jsonl", "csv", "table"])
        XCTAssertEqual(try completed("realm", "import", "--existing", "k"), ["keep"])
        XCTAssertEqual(try completed("import", "x", "y", "--ty"), ["--type"])
        XCTAssertEqual(try completed("import", "x", "y", "--n"), ["--new-class"])
        XCTAssertEqual(try completed("info", "kiv"), ["kivo.bash"])
        XCTAssertEqual(try completed("sh"), ["shell"])
        XCTAssertEqual(try completed("ex"), ["explain", "export"])
    }

    /// After `--class` come the classes of the file on the line, of which no name is run by the shell.
    func testBashCompletesClasses() throws {
        guard let bash = Self.executable("bash") else { throw XCTSkip("There is no bash.") }
        let program = try ProgramTests.builtProgram()
        try makePets()
        let hostile = Realm.Configuration(fileURL: file, objectTypes: Self.classes + [ExpandedClass.self])
        let configured = try Realm(configuration: hostile)
        try configured.write { configured.add(ExpandedClass()) }
        let script = folder.appendingPathComponent("kivo.bash")
        try Data(run("completion", "bash").output.utf8).write(to: script)
        for (words, classes) in [
            ("dump test.kivo --class ToolD", ["ToolDog"]),
            ("dump --limit 3 test.kivo --class ''", ["ToolAddress", "ToolDog", "ToolPerson"]),
            ("import kivo.bash test.kivo --class ToolP", ["ToolPerson"]), ("dump none.kivo --class ''", []),
        ] {
            let answer = try output(
                bash, "-c",
                """
                PATH='\(program.deletingLastPathComponent().path)':$PATH
                cd '\(folder.path)'; source kivo.bash; COMP_WORDS=(kivo \(words)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _kivo
                printf '%s\\n' "${COMPREPLY[@]}"
                """)
            XCTAssertEqual(answer.errors, "")
            let found = answer.text.split(separator: "\n").map(String.init)
            XCTAssertEqual(found, classes, words)
        }
        XCTAssertFalse(FileManager.default.fileExists(atPath: folder.path + "/expanded"))
    }

    func testScriptsOfOtherShellsAreWellFormed() throws {
        for shell in [Completion.zsh, .fish] {
            guard let executable = Self.executable(shell.rawValue) else { continue }
            let script = folder.appendingPathComponent("script")
            try Data(run("completion", shell.rawValue).output.utf8).write(to: script)
            XCTAssertEqual(try output(executable, "-n", script.path).errors, "")
        }
    }

    func testManual() throws {
        let manual = run("manual").output
        for (name, command) in Tool.root.leaves {
            XCTAssertTrue(manual.contains(".SS \"\(name)"), name)
            for option in command.options {
                XCTAssertTrue(
                    manual.contains(option.name.replacingOccurrences(of: "-", with: "\\-")), option.name)
            }
        }
        // A line that begins with a point or a quote is a request.
        for line in manual.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
            XCTAssertNotNil(line.prefixMatch(of: #/\.(TH|SH|SS|TP|PP|B|br)\b/#), String(line))
        }
        guard let groff = Self.executable("groff") else { return }
        let page = folder.appendingPathComponent("kivo.1")
        try Data(manual.utf8).write(to: page)
        XCTAssertEqual(try output(groff, "-man", "-Tutf8", "-ww", "-z", page.path).errors, "")
    }
}
