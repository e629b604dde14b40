import Foundation
import XCTest

@testable import KivoBench

final class GroupRunnerTests: XCTestCase {
    private func line(_ row: Row) throws -> String {
        let measurement = RowMeasurement(row, Samples([1, 2, 3, 4, 5]))
        return String(decoding: try JSONEncoder().encode(measurement), as: UTF8.self)
    }

    private func error(_ runner: GroupRunner, _ report: (RowMeasurement, Row) -> Void = { _, _ in })
        -> String?
    {
        do {
            try runner.run(report)
            return nil
        } catch {
            return "\(error)"
        }
    }

    func testEachGroupIsMeasuredInAChild() throws {
        let options = try Options(arguments: ["--filter", "^kvo"])
        var groups: [String] = []
        let runner = GroupRunner(options) { group, hand in
            groups.append(group.name)
            for row in group.rows { try hand(try self.line(row)) }
        }
        var names: [String] = []
        try runner.run { measurement, row in
            XCTAssertEqual(measurement.name, row.name)
            names.append(row.name)
        }
        XCTAssertEqual(groups, ["floors", "kvo", "kvo.register", "kvo.refresh", "kvo.delete"])
        XCTAssertEqual(names, options.groups.flatMap(\.rows).map(\.name))
    }

    func testAChildThatFailsIsNamedAndTheOthersAreMeasured() throws {
        let options = try Options(arguments: ["--filter", "^(views\\.[hmo]|lists|hub)"])
        let runner = GroupRunner(options) { group, hand in
            try hand(try self.line(group.rows[0]))
            if group.name == "views" { throw ChildProcess.Failure(description: "was ended by signal 4") }
            for row in group.rows.dropFirst() { try hand(try self.line(row)) }
        }
        var names: [String] = []
        let error = error(runner) { names.append($1.name) }
        XCTAssertEqual(error, "group 'views': was ended by signal 4, in row 'views.miss/10k'")
        XCTAssertEqual(names, ["views.hit/10k", "lists.other/10k", "hub.small"])
    }

    func testRowsThatNobodyMeasuredAreAFailure() throws {
        let options = try Options(arguments: ["--filter", "^lists.other"])
        XCTAssertEqual(
            error(GroupRunner(options) { _, _ in }),
            "group 'lists': row 'lists.other/10k' was not measured")
        let other = GroupRunner(options) { _, hand in try hand(try self.line(Floor.get.row)) }
        XCTAssertEqual(error(other), "group 'lists': 'floor.get' was measured out of turn")
    }

    func testAChildHandsOverItsLinesAndHowItEnded() throws {
        func run(_ script: String) throws -> [String] {
            var lines: [String] = []
            let child = ChildProcess(executable: URL(fileURLWithPath: "/bin/sh"), arguments: ["-c", script])
            do {
                try child.run { lines.append($0) }
            } catch { lines.append("\(error)") }
            return lines
        }
        XCTAssertEqual(try run("echo one; sleep 0.05; printf 'two\\nthree\\n'"), ["one", "two", "three"])
        XCTAssertEqual(try run("echo one; exit 3"), ["one", "ended with status 3"])
        XCTAssertEqual(try run("echo one; kill -9 $$"), ["one", "was ended by signal 9"])
    }
}
