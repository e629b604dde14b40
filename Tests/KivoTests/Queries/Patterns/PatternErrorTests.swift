import TestRandomness
import XCTest

@testable import Kivo

/// Patterns that are refused, with their messages.
final class PatternErrorTests: XCTestCase {
    private func check(_ text: String, _ reason: String, at position: Int, line: UInt = #line) {
        XCTAssertThrowsError(try Pattern(text), text, line: line) { error in
            XCTAssertEqual((error as? PatternError)?.reason, reason, text, line: line)
            XCTAssertEqual((error as? PatternError)?.position, position, text, line: line)
        }
    }

    func testUnsupportedConstructs() {
        let because = " not supported, because patterns are matched in linear time"
        for (text, construct, position) in [
            ("(a)\\1", "backreferences are", 3), ("(?<n>a)\\k<n>", "backreferences are", 7),
            ("(a)\\g{1}", "backreferences are", 3), ("(?<n>a)(?P=n)", "backreferences are", 7),
            ("(?=a)", "lookahead is", 0), ("a(?!b)", "lookahead is", 1), ("(?*a)", "lookahead is", 0),
            ("(?<=a)", "lookbehind is", 0), ("(?<!a)", "lookbehind is", 0), ("(?<*a)", "lookbehind is", 0),
            ("(?>a)", "atomic groups are", 0), ("a++", "possessive quantifiers are", 2),
            ("a{2}+", "possessive quantifiers are", 4), ("(?(1)a|b)", "conditionals are", 0),
            ("(?C1)", "callouts are", 0), ("(?{x})", "callouts are", 0), ("a(?R)", "recursion is", 1),
            ("(?1)", "recursion is", 0), ("(?&n)", "recursion is", 0), ("(?P>n)", "recursion is", 0),
            ("(?|a)", "branch reset groups are", 0), ("(?~a)", "absent functions are", 0),
            ("(?<a-b>c)", "balanced groups are", 3), ("\\X", "grapheme clusters, '\\X', are", 0),
            ("\\y", "grapheme clusters, '\\y', are", 0),
            ("(*ACCEPT)", "directives and callouts that begin with '(*' are", 0),
            ("(*atomic:a)", "directives and callouts that begin with '(*' are", 0),
        ] { check(text, construct + because, at: position) }
    }

    func testMalformedPatterns() {
        check("a(", "expected ')'", at: 2)
        check("a)", "')' without '('", at: 1)
        check("[", "a class without members", at: 1)
        check("[a", "expected ']'", at: 2)
        check("[]", "a class without members", at: 1)
        check("[^]", "a class without members", at: 2)
        check("[a&&]", "a class without members", at: 4)
        check("[\\Q\\E]", "an empty quotation in a class", at: 1)
        check("[z-a]", "a range that ends before it begins", at: 1)
        check("[\\d-a]", "a range needs a single scalar on each side", at: 1)
        check("[a-\\d]", "a range needs a single scalar on each side", at: 1)
        check("[a-[b]]", "a range needs a single scalar on each side", at: 1)
        check("[\\Qa\\E-c]", "a range needs a single scalar on each side", at: 6)
        check("[a-z-[b]]", "subtraction is written with '--'", at: 4)
        check("*a", "a quantifier without an operand", at: 0)
        check("a|{2}", "a quantifier without an operand", at: 2)
        check("a**", "a quantifier without an operand", at: 2)
        check("^*", "an anchor cannot be repeated", at: 0)
        check("(?i)*", "flags cannot be repeated", at: 0)
        check("a{2,1}", "the upper bound of a quantifier is below the lower bound", at: 1)
        check("a{65536}", "a quantifier above 65535", at: 2)
        check("a\\", "nothing follows the backslash", at: 1)
        check("\\q", "unknown or unsupported escape '\\q'", at: 0)
        check("\\E", "unknown or unsupported escape '\\E'", at: 0)
        check("\\K", "unknown or unsupported escape '\\K'", at: 0)
        check("[\\1]", "unknown or unsupported escape '\\1'", at: 1)
        check("\\cA", "unknown or unsupported escape '\\c'", at: 0)
        check("\\é", "unknown or unsupported escape '\\é'", at: 0)
        check("\\u12", "expected 4 hexadecimal digits", at: 4)
        check("\\x{110000}", "'110000' is not the number of a Unicode scalar", at: 0)
        check("\\u{d800}", "'d800' is not the number of a Unicode scalar", at: 0)
        check("\\x{-1}", "'-1' is not the number of a Unicode scalar", at: 0)
        check("\\u{}", "expected one hexadecimal number", at: 0)
        check("[\\u{41 42}]", "expected one hexadecimal number", at: 1)
        check("\\x{41", "expected '}'", at: 5)
        check("\\N{SPACE}", "unknown or unsupported escape '\\N'", at: 0)
        check("\\pL", "unknown or unsupported escape '\\p'", at: 0)
        check("\\p{Greek}", "unknown or unsupported property 'Greek'", at: 0)
        check("\\p{script=Greek}", "unknown or unsupported property 'script=Greek'", at: 0)
        check("[[:nope:]]", "unknown or unsupported property 'nope'", at: 1)
        check("\\p{L", "expected '}'", at: 4)
        check("(?#a", "expected ')'", at: 4)
        check("(?<a>b)(?<a>c)", "two groups named 'a'", at: 10)
        check("(?<1>b)", "expected the name of a group", at: 3)
        check("(?z)", "unknown or unsupported flag 'z'", at: 2)
        check("(?w)", "unknown or unsupported flag 'w'", at: 2)
        check("(?i", "expected ':'", at: 3)
        check("(?^-i)", "unknown or unsupported flag '-'", at: 3)
        check("[\u{301}a]", "a combining mark after '['", at: 0)
        XCTAssertEqual(
            PatternError(reason: "expected ')'", position: 2).description, "expected ')', at position 2")
    }

    /// Hostile patterns end, on a thread with a small stack.
    func testHostilePatterns() {
        func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }
        let tooDeep = "groups and classes are nested deeper than 64 levels"
        let tooLarge = "the pattern needs more than 20000 states; use fewer repetitions"
        let tooLong = "the pattern is longer than 65536 bytes"
        let categories = [
            "L", "M", "N", "P", "S", "Z", "C", "Lu", "Ll", "Alphabetic", "Emoji", "XIDS", "IDC", "Math",
        ]
        let different = (0..<UInt32(4000)).map {
            "[\\p{\(categories[Int($0) % 14])}\(Unicode.Scalar(0x3400 + $0)!)]"
        }
        let cases: [(String, String?)] = [
            (repeated("(", 100_000), tooLong), (repeated("(", 60_000), tooDeep),
            (repeated("[", 60_000), tooDeep),
            (repeated("(?i:", 10_000), tooDeep), (repeated("(", 63) + repeated(")", 63), nil),
            (repeated("[a", 63) + repeated("]", 63), nil),
            (repeated("(", 64) + "[a]" + repeated(")", 64), tooDeep),
            ("a{999999999}", "a quantifier above 65535"),
            ("a{9999999999999999999999}", "a quantifier above 65535"),
            ("((((a{100}){100}){100}){100}){100}", tooLarge), ("(|){60000}", tooLarge),
            (repeated("a", 30_000), tooLarge),
            ("((((){60000}){60000}){60000}){60000}", nil), ("a{19999}", nil), ("a{20000}", tooLarge),
            (repeated("((", 20) + "x" + repeated("+)+)", 20), nil),
            ("[" + repeated("\\x{2000}-\\x{10ffff}", 3000) + "]", nil),
            ("(?i)" + repeated("[\\0-\\x{10ffff}]", 400), nil),
            ("[" + repeated("\\w", 3000) + "]", nil),
            ("[" + repeated("[a][é]", 9000) + "]", nil), (repeated("\\w", 15_000), nil),
            (repeated("[:", 30_000) + "x", tooDeep), (repeated("a{", 9000), nil),
            (repeated("\\Q", 30_000), tooLarge),
            (repeated("|", 15_000), nil),
            (different.joined(), "the pattern has too many different character classes"),
            ((0..<9000).map { String(Unicode.Scalar(0x4E00 + $0)!) }.joined(separator: "|"), nil),
        ]
        let finished = expectation(description: "finished")
        let thread = Thread {
            for (text, reason) in TestEffort.cases(cases, within: 1) {
                do throws(PatternError) {
                    let pattern = try Pattern(text)
                    XCTAssertNil(reason, "\(text.prefix(40)) was accepted")
                    _ = pattern.matches("xxéa")
                } catch {
                    XCTAssertEqual(error.reason, reason, "\(text.prefix(40))")
                }
            }
            finished.fulfill()
        }
        thread.stackSize = Sanitizer.isPresent ? 8 << 20 : 512 << 10
        thread.start()
        wait(for: [finished], timeout: 100)
    }

    /// Parses damaged patterns. Nothing may trap.
    func testDamagedPatterns() {
        var random = RandomPatterns(generator: RandomSource())
        let signs = Array("()[]{}|*+?\\^$-&~:#<>!=QEpPuxN,0").map(String.init)
        var accepted = 0
        for _ in TestEffort.rounds(5000, atLeast: 300) {
            var characters = Array(random.sample().pattern).map(String.init)
            for _ in 0..<Int.random(in: 1...3, using: &random.generator) {
                let index = Int.random(in: 0...characters.count, using: &random.generator)
                characters.insert(signs.randomElement(using: &random.generator)!, at: index)
            }
            if let pattern = try? Pattern(characters.joined()) {
                accepted += 1
                _ = pattern.matches("a1\r\n")
            }
        }
        XCTAssertGreaterThan(accepted, 10)
    }
}
