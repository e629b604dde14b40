import XCTest

@testable import Kivo

/// The language of patterns: strings that match, and others.
final class PatternSyntaxTests: XCTestCase {
    private func check(
        _ text: String, _ matching: [String], _ others: [String], ignoringCase: Bool = false,
        line: UInt = #line
    ) {
        do {
            let pattern = try Pattern(text, ignoringCase: ignoringCase)
            // Twice, because the second time reads the table that the first time wrote.
            for _ in 0..<2 {
                for string in matching {
                    XCTAssertTrue(
                        pattern.matches(string), "\(text) on \(string.debugDescription)", line: line)
                }
                for string in others {
                    XCTAssertFalse(
                        pattern.matches(string), "\(text) on \(string.debugDescription)", line: line)
                }
            }
        } catch {
            XCTFail("\(text): \(error)", line: line)
        }
    }

    func testLiteralsAndEscapes() {
        check("", [""], ["a"])
        check("Rex", ["Rex"], ["", "Re", "Rexx", "rex"])
        check("é€😀", ["é€😀"], ["e\u{301}€😀", "é€"])
        check("a]b}c{d", ["a]b}c{d"], ["abcd"])
        check(#"\.\*\[\\\/\-"#, [#".*[\/-"#], ["a*[/-"])
        check(#"\t\n\r\f\a\e"#, ["\t\n\r\u{C}\u{7}\u{1B}"], ["tnrfae"])
        check(#"\x41\x{1F600}\u0042\u{43}\U00000044\N{U+45}\o{106}\0107\x"#, ["A😀BCDEFG\0"], ["A"])
        check(#"\u{41 42  43}+"#, ["ABC", "ABCABC"], ["ABCC"])
        check(#"a\Q.*\Eb"#, ["a.*b"], ["ab"])
        check(#"\Qa|b"#, ["a|b"], ["a", "b"])
        // The quantifier follows a character of two scalars.
        check("e\u{301}+", ["e\u{301}", "e\u{301}e\u{301}"], ["é", "e\u{301}\u{301}"])
    }

    func testClasses() {
        check(".", ["a", "é", "😀", "\0"], ["", "\n", "\r", "\u{B}", "\u{85}", "\u{2028}", "e\u{301}"])
        check("(?s).", ["\n", "\u{2028}"], ["\r\n"])
        check(#"\d\D"#, ["1a", "½a", "٣a", "一."], ["12", "a1"])
        check(#"\w+"#, ["aé_1", "1\u{4E00}", "ß"], ["a-b", "\u{301}", "😀"])
        check(#"\W"#, ["-", "😀"], ["a", "1", "_"])
        check(#"\s\S"#, [" a", "\u{A0}b", "\n😀"], ["  ", "aa"])
        check(#"\h\H"#, ["\ta", " \n", "\u{3000}a"], ["\na"])
        check(#"\v\V"#, ["\na", "\u{2029} "], ["\t "])
        check(#"\R+"#, ["\n", "\r\n", "\r", "\u{85}\r\n"], ["", "a"])
        check(#"\R\n"#, ["\n\n", "\r\n\n"], ["\r\n"])
        check(#"\R{2}"#, ["\n\r", "\r\n\n", "\r\r"], ["\r\n"])
        check("[abc-e]+", ["abcde"], ["f", "-"])
        check("[^a-c]", ["d", "\n", "😀"], ["a", ""])
        check("[a-]+", ["a-"], ["b"])
        check("[-a]+", ["a-"], ["b"])
        check("[.*$(){}|^?+]+", [".*$(){}|^?+"], ["a"])
        check(#"[\b\]\[\-\\]+"#, ["\u{8}][-\\"], ["b"])
        check("[a[b-c]]+", ["abc"], ["d", "["])
        check("[[a-z]&&[^aeiou]]+", ["xyz"], ["a", "xa"])
        check("[a-z--aeiou]+", ["xyz"], ["a"])
        check("[a-d~~c-f]+", ["abef"], ["c", "d"])
        check("[a-z--[m-z]&&[a-c]]", ["a"], ["d", "m"])
        check(#"[\Q^]-\E]+"#, ["^]-"], ["a"])
        check(#"[\d\p{Lu}_]+"#, ["1A_É"], ["a"])
        check("[[:alpha:]]+[:digit:][[:^space:]]", ["aé1x"], ["a1 ", "1"])
        check("[a-c-[:digit:]]+", ["a-1"], ["d"])
        check("[:=a=b:]+", [":=ab"], ["c"])
        check("[:a]", [":", "a"], ["b", "[:a]"])
        check("[e\u{301}]", ["e", "\u{301}"], ["é", "e\u{301}"])
    }

    func testProperties() {
        check(#"\p{L}\p{Ll}\p{Lu}\p{gc=Lu}"#, ["aaAA"], ["AAAA", "aaaa"])
        check(#"\P{L}+"#, ["1 -"], ["a"])
        check(#"\p{Is_White-space}\p{isUppercase}\p{general category=Decimal_Number}"#, [" A1"], ["AA1"])
        check(#"\p{any}\p{ASCII}\p{Emoji}\p{ri}"#, ["éa😀🇫"], ["éé😀🇫"])
        check(
            "[:alnum:][:blank:][:graph:][:print:][:word:][:xdigit:][:punct:][:cntrl:]", ["1 a.-f!\n"],
            ["  a.-f!\n"])
    }

    func testQuantifiersAndGroups() {
        check("a*b+c?", ["b", "aabbc"], ["a", "abcc"])
        check("a{2}b{1,}c{2,3}d{,1}", ["aabccd", "aabbccc"], ["abcc", "aabc", "aabccdd"])
        check("a{ 1 , 2 }", ["a", "aa"], ["aaa"])
        check("a*?b+?c??d{1,2}?", ["aabbcdd", "bd"], ["bddd"])
        check("a{x", ["a{x"], ["a"])
        check("a{1 2}", ["a{1 2}"], ["a"])
        check("a{}", ["a{}"], ["a"])
        check("(ab|c)*", ["", "abcab"], ["a", "abc b"])
        check("(?:a|)(?<name>b)(?P<other>c)(?'third'd)", ["abcd", "bcd"], ["acd"])
        check("(a?)*(b*)+((c+)*)*", ["", "abc", "aabbcc"], ["ba"])
        check("a|b|", ["a", "b", ""], ["ab"])
        check("(){65535}a{0}", [""], ["a"])
        check("((((x+)+)+)+)+", ["x", "xxxx"], ["", "y"])
        check("a(?#comment)b", ["ab"], ["a#b"])
    }

    func testFlags() {
        check("(?i)aÉ", ["aé", "AÉ"], ["b"])
        check("a(?i)b|c", ["aB", "C"], ["AB"])
        check("a(?i:b)c", ["aBc"], ["aBC", "ABc"])
        check("(?i:a(?-i)b)c", ["Abc"], ["aBc"])
        check("(?^:a)b", ["ab"], ["Ab"])
        check("(?^:a)b", ["ab", "aB"], ["Ab"], ignoringCase: true)
        check("(?x) a b # comment\n [ c d ] + (?-x: )", ["abcd "], ["a b"])
        check("(?x)a +", ["aa"], ["a "])
        check(#"(?D)\d(?-D)\d"#, ["1٣"], ["٣1"])
        check(#"(?W)\w(?S:\s)"#, ["a "], ["é ", "a\u{A0}"])
        check(#"(?P)[\w\d]\W"#, ["aé"], ["éa"])
        check("(?)(?-)a(?n)(b)(?U)c*", ["ab", "abcc"], ["a"])
    }

    func testAnchors() {
        check("^a$", ["a"], ["a\n"])
        check(#"\A\Ga\z"#, ["a"], ["a\n", "aa"])
        check(#"a\Z\n?"#, ["a", "a\n"], ["a\n\n"])
        check(#"a\Z\s*"#, ["a", "a\n", "a\r", "a\u{2028}"], ["a ", "a\r\n", "a\n\n"])
        check(#"(\Z|b)*\n(\n|c)?"#, ["\n", "b\n", "\n\n", "b\nc"], ["c"])
        check("a^b|c$d", [], ["ab", "cd"])
        check("(?s)a$.*", ["a"], ["a\nb"])
        check("(?sm)a$.*^b", ["a\nb", "a\r\n\nb", "a\u{2028}b"], ["ab", "axb"])
        check(#"\bfoo\b.*"#, ["foo", "foo bar"], ["foobar"])
        check(#".*\bbar"#, ["bar", "foo bar", "é-bar"], ["foobar", "ébar"])
        check(#"a\Bb\B.*"#, ["abc"], ["ab", "ab-"])
        check(#"\b"#, [], ["", "a"])
        check(#"\B"#, [""], ["a"])
        check(#"(?W)é\ba"#, ["éa"], [])
        check("(^a|b$|c)*", ["", "acb", "cb"], ["ca", "bc"])
    }

    func testIgnoringCase() {
        check("straße", ["STRAßE", "straẞe"], ["STRASSE"], ignoringCase: true)
        check("[a-z]+", ["aZ", "\u{212A}"], ["İ", "ſ"], ignoringCase: true)
        check("[^k]", ["j"], ["k", "K", "\u{212A}"], ignoringCase: true)
        check("İi", ["İI"], ["ii", "İİ"], ignoringCase: true)
        check("ω", ["Ω", "\u{2126}"], [], ignoringCase: true)
        check("ς", ["ς"], ["σ", "Σ"], ignoringCase: true)
        check("Σ", ["σ", "Σ"], ["ς"], ignoringCase: true)
        check(#"\p{Lu}[\p{Ll}]"#, ["Aa"], ["aA"], ignoringCase: true)
    }
}
