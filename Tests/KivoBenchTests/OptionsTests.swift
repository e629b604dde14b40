import XCTest

@testable import KivoBench

final class OptionsTests: XCTestCase {
    private func names(_ arguments: String...) throws -> [String] {
        try Options(arguments: arguments).groups.flatMap(\.rows).map(\.name)
    }

    func testWithoutArgumentsAllRowsAreMeasured() throws {
        let options = try Options(arguments: [])
        XCTAssertEqual(options.mode, .measure)
        XCTAssertFalse(options.quick || options.json || options.growth || options.oneProcess)
        // Without etcd there are no rows of realms over it.
        XCTAssertEqual(
            options.groups.map(\.name), Rows.groups.filter { !$0.rows.isEmpty }.map(\.name))
        XCTAssertEqual(options.rows.map(\.name), Rows.groups.flatMap(\.rows).map(\.name))
    }

    func testRowsAndGroupsHaveNamesOfTheirOwn() {
        let groups = Rows.groups + Rows.growth
        XCTAssertEqual(Set(groups.map(\.name)).count, groups.count)
        let rows = groups.flatMap(\.rows).map(\.name)
        XCTAssertEqual(Set(rows).count, rows.count)
    }

    func testAFilterSelectsRowsAndWhatTheyAreComparedWith() throws {
        XCTAssertEqual(try names("--filter", "^kvo.delete/50k$"), ["kvo.delete/50k"])
        XCTAssertEqual(try names("--filter=file.commit"), ["floor.fsync", "file.commit"])
        XCTAssertEqual(try names("--filter", "neighbour"), ["write.held", "write.held/neighbour"])
        XCTAssertEqual(
            try Options(arguments: ["--filter", "neighbour"]).rows.map(\.name), ["write.held/neighbour"])
        XCTAssertEqual(try names("--filter", "no such row"), [])
        XCTAssertTrue(try names("--growth", "--filter", "@").allSatisfy { $0.contains("@") })
    }

    func testAChildMeasuresWhatItsParentAsksOfIt() throws {
        let options = try Options(arguments: ["--quick", "--json", "--growth", "--filter", "view.*1"])
        for group in options.groups {
            let child = try Options(arguments: options.arguments(for: group))
            XCTAssertEqual(child.mode, .group(group.name))
            XCTAssertTrue(child.quick)
            let rows = child.groups.first { $0.name == group.name }?.rows
            XCTAssertEqual(rows?.map(\.name), group.rows.map(\.name))
        }
    }

    func testOtherArgumentsAreRefused() {
        for arguments in [["--fast"], ["--filter"], ["--filter", "("], ["--memory-child", "memory.item"]] {
            XCTAssertThrowsError(try Options(arguments: arguments)) { error in
                XCTAssertTrue(error is Options.UsageError, "\(error)")
            }
        }
    }
}
