import Foundation
import Kivo
import KivoTesting
import XCTest

/// The stand-ins refuse what table views refuse, with the reasons of their exceptions.
final class BatchUpdateTableTests: RealmTestCase {
    private typealias Change = RealmCollectionChange<List<Int>>

    private func makeList(_ numbers: [Int]) throws -> List<Int> {
        let realm = try openRealm()
        return try realm.write {
            realm.deleteAll()
            return realm.create(Bag.self, value: ["numbers": numbers]).numbers
        }
    }

    /// Returns what is wrong with a change of the rows 1, 2, 3 to others.
    private func problems(
        as kind: TableViewKind = .uiTableView, to numbers: [Int], _ deletions: [Int] = [],
        _ insertions: [Int] = [], _ modifications: [Int] = []
    ) throws -> [String] {
        let table = BatchUpdateTable<Int, Int>(as: kind) { $0 }
        table.apply(Change.initial(try makeList([1, 2, 3])))
        let list = try makeList(numbers)
        table.apply(
            Change.update(
                list, deletions: deletions, insertions: insertions, modifications: modifications))
        XCTAssertEqual(table.rows, numbers, "the table goes on with the rows of the collection")
        return table.problems.map { $0.replacing("change 2: ", with: "") }
    }

    func testBothKindsFollowCorrectChanges() throws {
        for kind in [TableViewKind.uiTableView, .nsTableView] {
            XCTAssertEqual(try problems(as: kind, to: [2, 30, 4], [0], [2], [2]), [])
            XCTAssertEqual(try problems(as: kind, to: [0, 1, 20, 3], [], [0], [1]), [])
            XCTAssertEqual(try problems(as: kind, to: [], [0, 1, 2]), [])
            XCTAssertEqual(try problems(as: kind, to: [9, 2, 3], [], [], [0]), [])
        }
    }

    func testUIKitRefusesToReloadADeletedRow() throws {
        XCTAssertEqual(
            try problems(to: [1, 3], [1], [], [1]),
            [
                "attempt to delete and reload the same index path (<NSIndexPath> {length = 2, path = 0 - 1})"
            ])
    }

    func testUIKitRefusesRowsThatAreNotThere() throws {
        let deletion = "attempt to delete row 3 from section 0 which only contains 3 rows before the update"
        XCTAssertEqual(try problems(to: [1, 2, 3, 4], [], [], [3]), [deletion], "a reload is a deletion")
        XCTAssertEqual(try problems(to: [1, 2], [3]), [deletion])
        XCTAssertEqual(
            try problems(to: [1, 2, 3], [], [4]),
            [
                "attempt to insert row 4 into section 0, but there are only 3 rows in section 0 after the update"
            ])
    }

    func testUIKitCountsRows() throws {
        XCTAssertEqual(
            try problems(to: [1, 2, 3], [], [0], [2]),
            [
                """
                Invalid update: invalid number of rows in section 0. The number of rows contained in an existing section \
                after the update (3) must be equal to the number of rows contained in that section before the update (3), \
                plus or minus the number of rows inserted or deleted from that section (2 inserted, 1 deleted) and plus or \
                minus the number of rows moved into or out of that section (0 moved in, 0 moved out).
                """
            ])
    }

    func testARowThatIsNotReloadedIsFound() throws {
        XCTAssertEqual(try problems(to: [2, 30], [0], [], [1]), ["row 1 shows 3 and should show 30"])
        XCTAssertEqual(try problems(to: [3], [1, 0]), ["deletions [1, 0] do not ascend"])
    }

    func testAppKitTakesStepsOneAfterAnother() throws {
        XCTAssertEqual(
            try problems(as: .nsTableView, to: [1, 2], [3]),
            ["NSTableView error inserting/removing/moving row 3 (numberOfRows: 3)."])
        XCTAssertEqual(
            try problems(as: .nsTableView, to: [1, 2, 3, 4, 5], [], [4]),
            ["NSTableView error inserting/removing/moving row 4 (numberOfRows: 3)."])
        XCTAssertEqual(
            try problems(as: .nsTableView, to: [1, 2, 3, 4]), ["the table has 3 rows, and its data source 4"])
    }

    // MARK: Sections

    /// Returns the problems that a table with the sections 1: 10, 11 and 2: 20 finds in a change of no section.
    private func sectionedProblems(
        deletions: [IndexPath] = [], insertions: [IndexPath] = [], modifications: [IndexPath] = [],
        inserted: IndexSet = [], deleted: IndexSet = []
    ) throws -> [String] {
        let list = try makeList([10, 11, 20])
        let sections = list.sectioned(by: { $0 / 10 })
        let table = SectionedUpdateTable<Int, Int, Int> { $0 }
        table.apply(.initial(sections))
        table.apply(
            .update(
                sections, deletions: deletions, insertions: insertions, modifications: modifications,
                sectionsToInsert: inserted, sectionsToDelete: deleted))
        XCTAssertEqual(table.sections.map(\.rows), [[10, 11], [20]])
        return table.problems.map { $0.replacing("change 2: ", with: "") }
    }

    func testUIKitRefusesSectionsAndTheirRows() throws {
        XCTAssertEqual(try sectionedProblems(modifications: [[0, 1], [1, 0]]), [])
        XCTAssertEqual(
            try sectionedProblems(deletions: [[2, 0]]),
            ["attempt to delete row 0 from section 2, but there are only 2 sections before the update"])
        XCTAssertEqual(
            try sectionedProblems(insertions: [[2, 0]]),
            ["attempt to insert row 0 into section 2, but there are only 2 sections after the update"])
        XCTAssertEqual(
            try sectionedProblems(modifications: [[1, 1]]),
            ["attempt to delete row 1 from section 1 which only contains 1 rows before the update"])
        XCTAssertEqual(
            try sectionedProblems(deletions: [[1, 0]], insertions: [[1, 0]], modifications: [[1, 0]]),
            [
                "attempt to delete and reload the same index path (<NSIndexPath> {length = 2, path = 1 - 0})"
            ])
        XCTAssertEqual(
            try sectionedProblems(deleted: [2]),
            ["attempt to delete section 2, but there are only 2 sections before the update"])
        XCTAssertEqual(
            try sectionedProblems(inserted: [2]),
            ["attempt to insert section 2 but there are only 2 sections after the update"])
    }

    func testUIKitCountsSectionsAndTheRowsOfEach() throws {
        let sections = try sectionedProblems(inserted: [0])
        XCTAssertEqual(sections.count, 1)
        XCTAssertTrue(
            sections[0].hasPrefix("Invalid update: invalid number of sections.")
                && sections[0].hasSuffix("(1 inserted, 0 deleted)."), sections[0])
        let rows = try sectionedProblems(deletions: [[1, 0]])
        XCTAssertEqual(rows.count, 1)
        XCTAssertTrue(
            rows[0].hasPrefix("Invalid update: invalid number of rows in section 1.")
                && rows[0].contains("(0 inserted, 1 deleted)"), rows[0])
        XCTAssertEqual(
            try sectionedProblems(
                insertions: [[1, 0]], modifications: [[1, 0]], inserted: [1], deleted: [1]),
            ["row [1, 0] of a deleted section is among the deletions or modifications"])
    }
}
