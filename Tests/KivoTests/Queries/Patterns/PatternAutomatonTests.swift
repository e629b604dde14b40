import Foundation
import Synchronization
import TestRandomness
import XCTest

@testable import Kivo

/// The automaton of a pattern: the cost of strings, a table that is full, threads, and the decoding of UTF-8.
final class PatternAutomatonTests: XCTestCase {
    private func matches(_ automaton: inout PatternAutomaton, _ string: String) -> Bool {
        var string = string
        return string.withUTF8 { automaton.matches($0) }
    }

    /// Counts steps, not time, for strings of n and 4n scalars.
    func testGrowth() throws {
        for (text, part) in [
            ("(x+x+)+y", "x"), ("(a*)*b", "a"), ("(a|aa)+c", "a"), ("(.*)(.*)(.*)(.*)=", "ab"),
            ("(a|b)*a(a|b){12}c", "aab"),
            ("((?m:^|$)|\\b|.|\\n)*!", "a\n "), ("(\\w+\\s?)*\\Z.", "äö ü"),
        ] {
            let program = try PatternProgram(text, ignoringCase: false)
            for capacity in [0, PatternAutomaton.defaultCapacity] {
                let counts = [2500, 10_000].map { count in
                    var automaton = PatternAutomaton(program, capacity: capacity)
                    XCTAssertFalse(matches(&automaton, String(repeating: part, count: count)))
                    return automaton.steps
                }
                XCTAssertLessThanOrEqual(counts[1], 4 * counts[0] * 101 / 100, "\(text) \(capacity)")
                // Two entries for each instruction and scalar, and the scalar.
                let scalars = part.utf8.count * 10_000
                XCTAssertLessThanOrEqual(counts[1], scalars * (1 + 2 * program.instructions.count), text)
            }
        }
    }

    func testLongStrings() throws {
        let pattern = try Pattern("(x+x+)+y")
        let long = String(repeating: "x", count: 100_000)
        XCTAssertFalse(pattern.matches(long))
        XCTAssertTrue(pattern.matches(long + "y"))
    }

    /// An automaton with room for few states answers like one with room for all.
    func testClearing() throws {
        var random = RandomPatterns(generator: RandomSource())
        var clearings = 0
        for _ in TestEffort.rounds(800, atLeast: 150) {
            let (text, strings) = random.sample()
            let program = try PatternProgram(text, ignoringCase: false)
            var automata = [0, 3 * program.classes.count + 20, PatternAutomaton.defaultCapacity].map {
                PatternAutomaton(program, capacity: $0)
            }
            for string in strings + strings {
                let answers = automata.indices.map { matches(&automata[$0], string) }
                XCTAssertEqual(Set(answers).count, 1, "\(text) on \(string.debugDescription): \(answers)")
            }
            clearings += automata[1].clearings
            XCTAssertEqual(automata[2].clearings, 0)
        }
        XCTAssertGreaterThan(clearings, 10)
        var automaton = PatternAutomaton(
            try PatternProgram("(a|b)*a(a|b){14}", ignoringCase: false), capacity: 1 << 12)
        var generator = RandomSource(seed: 3)
        let letters = Array((0..<5000).map { _ in Bool.random(using: &generator) ? "a" : "b" }.joined())
        for end in stride(from: 1000, to: 5000, by: 901) {
            XCTAssertEqual(matches(&automaton, String(letters[..<end])), letters[end - 15] == "a")
        }
        XCTAssertGreaterThan(automaton.clearings, 0)
    }

    func testThreads() throws {
        let pattern = try Pattern("(?i)(\\w+[ -])*\\bcafé\\Z\\s?", capacity: 300)
        let strings = [
            ("un bon CAFÉ", true), ("café\n", true), ("le-café ", false), ("décafé", false), ("", false),
            ("é é café", true),
        ]
        let wrong = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 32) { number in
            for round in 0..<200 {
                let (string, isMatch) = strings[(number + round) % strings.count]
                if pattern.matches(string) != isMatch { wrong.add(1, ordering: .relaxed) }
            }
        }
        XCTAssertEqual(wrong.load(ordering: .relaxed), 0)
    }

    /// Decodes the first and the last scalar of each length in UTF-8.
    func testDecoding() throws {
        for value: UInt32 in [0, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF] {
            let string = String(Unicode.Scalar(value)!)
            let number = String(value, radix: 16)
            XCTAssertTrue(try Pattern("\\x{\(number)}").matches(string), number)
            XCTAssertTrue(try Pattern("[\\x{\(number)}]{2}").matches(string + string), number)
            XCTAssertFalse(try Pattern("[^\\x{\(number)}]").matches(string), number)
        }
    }
}
