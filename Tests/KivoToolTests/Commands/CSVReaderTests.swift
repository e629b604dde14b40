import Foundation
import Kivo
import TestRandomness
import XCTest

@testable import KivoTool

/// Rows of CSV, against a slow reader of the same grammar.
final class CSVReaderTests: ToolTestCase {
    private var csv: URL { folder.appendingPathComponent("rows.csv") }
    private var random = RandomSource()

    /// Reads all rows. Returns nil if there is a problem.
    private func rows(_ bytes: [UInt8], bufferSize: Int = 1 << 18) throws -> [[CSVReader.Field]]? {
        try Data(bytes).write(to: csv)
        do {
            var reader = try CSVReader(csv.path, bufferSize: bufferSize)
            var rows: [[CSVReader.Field]] = []
            while let row = try reader.next() { rows.append(row) }
            return rows
        } catch is Problem {
            return nil
        }
    }

    private func texts(_ text: String) throws -> [[String]]? {
        try rows(Array(text.utf8))?.map { $0.map { ($0.isQuoted ? "\"" : "") + ($0.text ?? "invalid") } }
    }

    func testRows() throws {
        XCTAssertEqual(try texts(""), [])
        XCTAssertEqual(try texts("a"), [["a"]])
        XCTAssertEqual(try texts("a,b\n1,2\n"), [["a", "b"], ["1", "2"]])
        XCTAssertEqual(try texts("a,b\r\n1,2\r\n"), [["a", "b"], ["1", "2"]])
        XCTAssertEqual(try texts("a,b\r1,2"), [["a", "b"], ["1", "2"]])
        XCTAssertEqual(try texts("\n\r\n\na\n\n\nb\n\n"), [["a"], ["b"]])
        XCTAssertEqual(try texts("\u{FEFF}a\n"), [["a"]])
        XCTAssertEqual(try texts("\u{FEFF}\"a\"\n"), [["\"a"]])
        XCTAssertEqual(try texts(",\n,,\n"), [["", ""], ["", "", ""]])
        XCTAssertEqual(
            try texts(#""","x","a""b","# + "\"1\n2\r\n3\""), [["\"", "\"x", "\"a\"b", "\"1\n2\r\n3"]])
        XCTAssertEqual(try texts(" a , b "), [[" a ", " b "]])
        XCTAssertEqual(try texts("\u{0},ä🐕\n"), [["\u{0}", "ä🐕"]])
        for wrong in ["\"a", "\"a\n", "a\"", "a\"b\"", "\"a\"b", "\"a\" ,b", "\"\"\"", "x,\"a\"\"b"] {
            XCTAssertNil(try texts(wrong), wrong)
        }
        XCTAssertEqual(try rows([0x61, 0x2C, 0xFF, 0x0A]), [[.init(text: "a"), .init(text: nil)]])
    }

    func testLinesOfRows() throws {
        try Data("a\r\n\n\"1\n2\r\n3\r4\"\nb\r\"c\n".utf8).write(to: csv)
        for size in [1, 2, 3, 100] {
            var reader = try CSVReader(csv.path, bufferSize: size)
            var lines: [Int] = []
            while let row = try? reader.next(), !row.isEmpty { lines.append(reader.line) }
            XCTAssertEqual(lines, [1, 3, 7], "\(size)")
            XCTAssertEqual(reader.line, 8)
        }
    }

    /// The reader, as a person would write it: character by character, with all bytes in memory.
    private func slowRows(_ bytes: [UInt8]) -> [[CSVReader.Field]]? {
        var rest = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        var rows: [[CSVReader.Field]] = []
        var (row, field): ([CSVReader.Field], [UInt8]) = ([], [])
        var (isQuoted, isOpen) = (false, false)
        func take(_ text: String) -> Bool {
            guard rest.starts(with: text.utf8) else { return false }
            rest = rest.dropFirst(text.utf8.count)
            return true
        }
        func endField() {
            row.append(.init(text: String(validating: field, as: UTF8.self), isQuoted: isQuoted))
            (field, isQuoted) = ([], false)
        }
        func endRow() {
            if row.isEmpty, field.isEmpty, !isQuoted { return }
            endField()
            rows.append(row)
            row = []
        }
        while !rest.isEmpty {
            if isOpen {
                if take("\"\"") {
                    field.append(UInt8(ascii: "\""))
                } else if take("\"") {
                    isOpen = false
                } else {
                    field.append(rest.removeFirst())
                }
            } else if take(",") {
                endField()
            } else if take("\r\n") || take("\n") || take("\r") {
                endRow()
            } else if rest.first == UInt8(ascii: "\"") {
                if isQuoted || !field.isEmpty { return nil }
                rest.removeFirst()
                (isQuoted, isOpen) = (true, true)
            } else {
                if isQuoted { return nil }
                field.append(rest.removeFirst())
            }
        }
        if isOpen { return nil }
        endRow()
        return rows
    }

    func testRandomBytes() throws {
        let alphabet: [[UInt8]] =
            [
                "a", "b", ",", ",", "\"", "\"", "\"\"", "\n", "\r", "\r\n", "\"x\"", ",\"", "\",", "ä",
                "\u{FEFF}",
            ].map { Array($0.utf8) } + [[0xFF], [0xC3], [0x00]]
        var (read, refused) = (0, 0)
        for round in TestEffort.rounds(4000, within: 0.4, atLeast: 300) {
            let bytes = (0..<random.below(14)).flatMap { _ in alphabet[random.below(alphabet.count)] }
            let found = try rows(bytes, bufferSize: 1 + random.below(5))
            XCTAssertEqual(
                found, slowRows(bytes),
                "round \(round): \(String(decoding: bytes, as: UTF8.self).debugDescription)")
            if found == nil { refused += 1 } else { read += 1 }
            if testRun?.totalFailureCount != 0 { return }
        }
        XCTAssertGreaterThan(read, 0)
        XCTAssertGreaterThan(refused, 0)
    }

    // MARK: Types

    private func type(_ fields: String...) -> String {
        var type = CSVColumnType()
        for field in fields {
            type.add(
                field == "\"\"" ? .init(text: "", isQuoted: true) : .init(text: field))
        }
        return type.scalar.name + (type.isOptional ? "?" : "")
    }

    func testTypesOfColumns() {
        XCTAssertEqual(type(), "String")
        XCTAssertEqual(type(""), "String?")
        XCTAssertEqual(type("\"\""), "String")
        XCTAssertEqual(type("a", "\"\""), "String")
        XCTAssertEqual(type("1", "-2", "0"), "Int")
        XCTAssertEqual(type("1", ""), "Int?")
        XCTAssertEqual(type("1", "\"\""), "Int?")
        XCTAssertEqual(type("1", "x"), "String")
        XCTAssertEqual(type("9223372036854775807", "-9223372036854775808", "1"), "Int")
        XCTAssertEqual(type("9223372036854775808"), "String", "no digit is lost")
        XCTAssertEqual(type("9007199254740993", "0.5"), "String", "no digit is lost")
        XCTAssertEqual(type("9007199254740992", "0.5"), "Double")
        for text in ["007", "+49", "0x10", "1_000", " 1", "1 ", "-", "1,5", "1.", ".5", "1e", "--1", "٣"] {
            XCTAssertEqual(type(text), "String", text)
        }
        XCTAssertEqual(type("1", "2.5"), "Double")
        XCTAssertEqual(type("1e3", "-0.5E-7", "nan", "-inf", "-0"), "Double")
        XCTAssertEqual(type("1e999"), "String")
        XCTAssertEqual(type("nan"), "String")
        XCTAssertEqual(type("nan", "inf"), "String")
        XCTAssertEqual(type("true", "false"), "Bool")
        XCTAssertEqual(type("TRUE", "False"), "Bool")
        XCTAssertEqual(type("true", "1"), "String")
        XCTAssertEqual(type("2024-12-31", "2024-12-31T23:59:59.5Z", "2024-02-29 10:00"), "Date")
        XCTAssertEqual(type("2024-12-32"), "String")
        XCTAssertEqual(type("2024-12-31", "2024"), "String")
        XCTAssertEqual(
            type("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "6BA7B811-9DAD-11D1-80B4-00C04FD430C8"), "UUID")
        XCTAssertEqual(type("6ba7b810-9dad-11d1-80b4-00c04fd430cx"), "String")
        XCTAssertEqual(type("'=1"), "String")
    }

    /// Dates, against the pattern of their notation and the calendar of Foundation.
    func testDates() throws {
        let pattern =
            #/([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?/#
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(secondsFromGMT: 0)!
        func number(_ digits: Substring?) -> Int { digits.flatMap { Int($0) } ?? 0 }
        func slowDate(_ text: String) -> Date? {
            guard let match = text.wholeMatch(of: pattern)?.output else { return nil }
            let (hour, minute, second) = (number(match.4), number(match.5), number(match.6))
            var parts = DateComponents(
                year: number(match.1), month: number(match.2), day: number(match.3), hour: hour,
                minute: minute,
                second: second)
            parts.calendar = calendar
            guard parts.isValidDate, let date = parts.date else { return nil }
            var offset = 0
            if let zone = match.8, zone != "Z" {
                let (hours, minutes) = (number(zone.dropFirst().prefix(2)), number(zone.suffix(2)))
                guard hours < 24, minutes < 60 else { return nil }
                offset = (zone.first == "-" ? -1 : 1) * (hours * 60 + minutes) * 60
            }
            let fraction = match.7.map { Double("0." + $0)! } ?? 0
            return date.addingTimeInterval(Double(-offset) + fraction)
        }
        let parts = [
            ["1970", "2024", "1999", "2100", "197", "20245", "x"], ["-"],
            ["01", "02", "12", "13", "00", "1"], ["-", "/"],
            ["01", "28", "29", "31", "32", "٣1"], ["T", " ", "", "t"], ["00", "23", "24", "7"], [":", ""],
            ["00", "59", "60"], ["", ":"], ["", "00", "59", "60", "1"],
            ["", ".5", ".", ".123456789", ".1234567890"],
            ["", "Z", "+01:00", "-0130", "+24:00", "z", "+1:00", "Z "],
        ]
        var found = 0
        for round in TestEffort.rounds(20_000, within: 0.5, atLeast: 300) {
            // Most parts are those of a date.
            let text = parts.map { $0[random.chance(70) ? 0 : random.below($0.count)] }.joined()
            let text10 = random.chance(30) ? String(text.prefix(10)) : text
            let (fast, slow) = (Date(iso8601: text10), slowDate(text10))
            XCTAssertEqual(fast == nil, slow == nil, "round \(round): \(text10)")
            if let fast, let slow {
                XCTAssertEqual(fast.timeIntervalSince(slow), 0, accuracy: 1e-6, text10)
                found += 1
            }
            if testRun?.totalFailureCount != 0 { return }
        }
        XCTAssertGreaterThan(found, 0)
    }
}
