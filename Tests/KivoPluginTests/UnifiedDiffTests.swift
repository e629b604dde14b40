import TestRandomness
import XCTest

@testable import KivoAdoptTool

final class UnifiedDiffTests: XCTestCase {
    func testHunks() {
        let old = (1...30).map { "line \($0)\n" }.joined()
        let new = old.replacingOccurrences(of: "line 3\n", with: "three\nand more\n")
            .replacingOccurrences(of: "line 20\n", with: "").replacingOccurrences(
                of: "line 24\n", with: "twenty-four\n")
        XCTAssertEqual(
            UnifiedDiff.diff(old, new, path: "A.swift"),
            """
            --- a/A.swift
            +++ b/A.swift
            @@ -1,6 +1,7 @@
             line 1
             line 2
            -line 3
            +three
            +and more
             line 4
             line 5
             line 6
            @@ -17,11 +18,10 @@
             line 17
             line 18
             line 19
            -line 20
             line 21
             line 22
             line 23
            -line 24
            +twenty-four
             line 25
             line 26
             line 27

            """)
        XCTAssertEqual(UnifiedDiff.diff(old, old, path: ""), "")
    }

    func testTheEndOfAText() {
        XCTAssertEqual(
            UnifiedDiff.diff("a\nb", "a\nc\n", path: "A"),
            "--- a/A\n+++ b/A\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n")
        XCTAssertEqual(UnifiedDiff.diff("", "a\n", path: "A"), "--- a/A\n+++ b/A\n@@ -0,0 +1 @@\n+a\n")
    }

    /// Diffs of random texts, applied, give the new text.
    func testDiffsCanBeApplied() {
        let seed = RandomSource.seed()
        var generator = RandomSource(seed: seed)
        for _ in 0..<300 {
            func text() -> [String] {
                (0..<Int.random(in: 0...40, using: &generator)).map { _ in "\(Int.random(in: 0...5))" }
            }
            let old = text()
            var new = old
            for _ in 0..<Int.random(in: 0...6, using: &generator) {
                if Bool.random(using: &generator), let place = new.indices.randomElement(using: &generator) {
                    new.remove(at: place)
                }
                new.insert(
                    "x\(Int.random(in: 0...9, using: &generator))",
                    at: Int.random(in: 0...new.count, using: &generator))
            }
            func joined(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }
            let diff = UnifiedDiff.diff(joined(old), joined(new), path: "A")
            XCTAssertEqual(apply(diff, to: old), new, "seed \(seed): \(old) \(new)\n\(diff)")
        }
    }

    private func apply(_ diff: String, to old: [String]) -> [String] {
        var result: [String] = []
        var position = 0
        for line in diff.split(separator: "\n").dropFirst(2) {
            if line.hasPrefix("@@") {
                let range = line.split(separator: " ")[1].dropFirst().split(separator: ",")
                var start = Int(range[0])! - 1
                if range.count == 2, range[1] == "0" { start += 1 }
                while position < start {
                    result.append(old[position])
                    position += 1
                }
                continue
            }
            switch line.first {
            case "-", " ":
                XCTAssertEqual(old[position], String(line.dropFirst()))
                if line.first == " " { result.append(old[position]) }
                position += 1
            default: result.append(String(line.dropFirst()))
            }
        }
        return result + old[position...]
    }
}
