import XCTest

@testable import KivoSourceModel

final class LexerTests: XCTestCase {
    private func tokens(_ text: String) -> [String] {
        let source = SourceText(path: "", text)
        return source.tokens.map(source.text(of:))
    }

    func testSigns() {
        XCTAssertEqual(
            tokens("@A(b: 1.5e-3)? -> [C<D>]==0x1F...`in`"),
            [
                "@", "A", "(", "b", ":", "1.5e-3", ")", "?", "->", "[", "C", "<", "D", ">", "]", "=", "=",
                "0x1F", ".",
                ".", ".", "`in`",
            ])
    }

    func testComments() {
        XCTAssertEqual(tokens("a // b\n/* c /* d */ e */ f /// \"\n g"), ["a", "f", "g"])
    }

    func testStrings() {
        XCTAssertEqual(tokens(#""a\"b" + "" + "//c""#), [#""a\"b""#, "+", "\"\"", "+", "\"//c\""])
        XCTAssertEqual(tokens(##"#"a"\n"# b"##), [##"#"a"\n"#"##, "b"])
        XCTAssertEqual(tokens("\"\"\"\n a \"b\" \\\n \"\"\" c"), ["\"\"\"\n a \"b\" \\\n \"\"\"", "c"])
        XCTAssertEqual(
            tokens(#""x\(f("y)", [1]))z" w"#),
            [#""x\(f("y)", [1]))z""#, "f", "(", "\"y)\"", ",", "[", "1", "]", ")", "w"])
    }

    func testRegularExpressions() {
        XCTAssertEqual(
            tokens("let a = /x\"(/ ; b / c / d"), ["let", "a", "=", "/x\"(/", ";", "b", "/", "c", "/", "d"])
        XCTAssertEqual(tokens("#/ \" /# e"), ["#/ \" /#", "e"])
    }

    func testUnfinishedTextEnds() {
        for text in ["\"", "\"\\", "\"\\(", "/*", "#\"", "`", "#/", "'", "\"\"\"", "/a\\", "1."] {
            _ = tokens("a " + text)
        }
    }

    func testLiteralsMeanWhatTheyMean() throws {
        func value(_ text: String) throws -> String {
            let source = SourceText(path: "", text)
            return StringLiteral(try XCTUnwrap(source.tokens.first), in: source).text
        }
        XCTAssertEqual(try value(#""a\n\t\"\u{e4}\\ä""#), "a\n\t\"ä\\ä")
        XCTAssertEqual(try value(##"#"a\n\#n"#"##), "a\\n\n")
        XCTAssertEqual(try value("\"\"\"\n    a\n      b \\\n    c\n\n    d\n    \"\"\""), "a\n  b c\n\nd")
    }

    func testPlaces() {
        let source = SourceText(path: "A.swift", "ä b\n\n  c")
        XCTAssertEqual(
            source.tokens.map { source.location(of: $0.start) },
            [
                SourceLocation(path: "A.swift", line: 1, column: 1),
                SourceLocation(path: "A.swift", line: 1, column: 4),
                SourceLocation(path: "A.swift", line: 3, column: 3),
            ])
    }

    func testTypes() throws {
        for text in [
            "Int", "Int?", "[Int]", "[String: [Int?]]", "A.B<C, D?>.E", "any P", "P & Q", "(Int, B)",
            "Map<String, Dog?>",
            "Dog.Type", "(any P)?",
        ] {
            let source = SourceText(path: "", text + " = 3")
            let parsed = try XCTUnwrap(TypeParser.type(in: source, at: 0), text)
            XCTAssertEqual(parsed.type.text, text)
            XCTAssertTrue(source.matches(parsed.end, "="), text)
        }
        let function = SourceText(path: "", "@escaping (_ a: Int, b: inout [C]) async throws(E) -> Void, d")
        let parsed = try XCTUnwrap(TypeParser.type(in: function, at: 0))
        XCTAssertEqual(parsed.type, .function)
        XCTAssertTrue(function.matches(parsed.end, ","))
    }
}
