import Foundation
import Kivo
import XCTest

@testable import KivoTool

/// A class whose name controls a terminal.
class EscapingClass: Object {
    override class func _realmObjectName() -> String? { "Evil\u{1B}[31m\u{9B}2J" }
    @Persisted var text = ""
}

/// Names and texts of a file in what reads the tool's output: terminals and spreadsheets.
final class HostileTextTests: ToolTestCase {
    private func isControl(_ character: Unicode.Scalar) -> Bool {
        character.properties.generalCategory == .control && character != "\n" && character != "\t"
    }

    func testATerminalIsNotControlled() throws {
        let configuration = Realm.Configuration(fileURL: file, objectTypes: [EscapingClass.self])
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.add(EscapingClass(value: ["text": "\u{1B}]0;title\u{7}"])) }
        for words in [
            ["info"], ["verify"], ["schema"], ["dump"], ["dump", "--format", "jsonl"], ["log", "--changes"],
            ["dump", "--class", "Evil"], ["dump", "--where", "\u{1B} == 1"], ["export"],
        ] {
            let answer = run([words[0], file.path] + words.dropFirst())
            let text = answer.output + answer.errors
            XCTAssertFalse(text.unicodeScalars.contains(where: isControl), "\(words): \(text)")
        }
        let info = run("info", file.path).output
        XCTAssertTrue(info.contains("Evil\\u{1b}[31m\\u{9b}2J"), info)
        // Not on a terminal, the bytes are those of the file.
        XCTAssertTrue(
            run(["dump", file.path, "--format", "csv"], isJSON: true).output.contains("\u{1B}"))
    }

    func testControlCharactersAreEscaped() {
        func escaped(_ text: String) -> String {
            String(decoding: ControlCharacters.escaped(text.utf8), as: UTF8.self)
        }
        XCTAssertEqual(escaped("a\tb\nc"), "a\tb\nc")
        XCTAssertEqual(escaped("\u{0}\r\u{7F}\u{85}"), "\\u{0}\\u{d}\\u{7f}\\u{85}")
        XCTAssertEqual(escaped("ä\u{A0}é🙂"), "ä\u{A0}é🙂")
    }

    func testTextsOfCSVAreNoFormulas() throws {
        try withRealm { realm in
            try realm.write {
                for text in ["=1+2", "+1", "-1", "@SUM(A1)", "plain", "", "\t=1", "a=b"] {
                    realm.add(ToolDog(value: ["name": text, "age": -1]))
                }
            }
        }
        let words = ["dump", file.path, "--class", "ToolDog", "--format", "csv", "--fields", "name,age"]
        let lines = run(words).output.split(separator: "\n").dropFirst().map {
            $0.split(separator: ",")[2...].joined(separator: ",")
        }
        XCTAssertEqual(
            lines,
            ["'=1+2,-1", "'+1,-1", "'-1,-1", "'@SUM(A1),-1", "plain,-1", "\"\",-1", "'\t=1,-1", "a=b,-1"])
        XCTAssertTrue(run(words + ["--formulas"]).output.contains(",=1+2,-1\n"))
    }

    func testJSONAndTextExcludeEachOther() throws {
        try makePets()
        let answer = run("info", file.path, "--json", "--text")
        XCTAssertEqual(answer.code, .usage)
        XCTAssertTrue(answer.errors.contains("exclude each other"), answer.errors)
    }
}
