#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation
import Kivo
import XCTest

@testable import KivoTool

/// The table of a class, used by hand: what a person selects, copies and arranges.
final class StudioTableTests: StudioPageTestCase {
    private func makeDogs(_ count: Int = 200) throws {
        try withRealm { realm in
            try realm.write {
                for age in 0..<count { realm.add(ToolDog(value: ["name": "Dog \(age)", "age": age])) }
            }
        }
    }

    private func showDogs(_ count: Int = 200, isWritable: Bool = false) throws {
        try makeDogs(count)
        try show("/class/ToolDog", isWritable: isWritable)
        try browser.wait("document.querySelectorAll('.layer .row').length > 10")
        // What the page copies is looked at here.
        try browser.run("navigator.clipboard.writeText = async text => { window.copied = text }")
    }

    private var names: [String] {
        get throws {
            try XCTUnwrap(
                try browser.run(
                    "return [...document.querySelectorAll('.head .name')].map(some => some.innerText)")
                    as? [String])
        }
    }

    func testRowsAreSelectedAndCopied() throws {
        try showDogs()
        try browser.click(".layer .row[aria-rowindex='3'] .cell:nth-child(3)")
        try browser.click(".layer .row[aria-rowindex='6'] .cell:nth-child(3)", holding: Key.shift)
        try browser.wait("document.querySelectorAll('.row[aria-selected=true]').length === 4")
        try browser.press("c", holding: Key.control)
        try browser.wait("window.copied")
        XCTAssertEqual(
            try browser.run("return window.copied") as? String,
            "class\tkey\tage\tmother\tname\n"
                + (1...4).map { "ToolDog\t\($0 + 1)\t\($0)\t\tDog \($0)\n" }.joined())
        try browser.click(".menu summary")
        try browser.run("window.copied = null; document.querySelectorAll('.menu-items button')[1].click()")
        try browser.wait("window.copied")
        let json = try XCTUnwrap(try browser.run("return window.copied") as? String)
        XCTAssertEqual((try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [Any])?.count, 4)
        // Rows that the page has never seen are selected as well.
        try browser.run("studio.view.focus()")
        try browser.press("a", holding: Key.control)
        try browser.wait("studio.view.selected.size === 200")
    }

    func testACellIsCopiedAsAWhole() throws {
        let text = String(repeating: "long ", count: 200)
        try withRealm { realm in try realm.write { realm.add(ToolDog(value: ["name": text])) } }
        try showDogs(20)
        try browser.click(".layer .row .cell:nth-child(4)")
        try browser.press("c", holding: Key.control)
        try browser.wait("window.copied")
        XCTAssertEqual(try browser.run("return window.copied") as? String, text)
    }

    func testColumnsAreArrangedAndKept() throws {
        try showDogs()
        XCTAssertEqual(try names, ["age", "mother", "name"])
        try browser.run("document.querySelector('[data-does=\"hide mother\"]').click()")
        try browser.run("document.querySelector('[data-does=\"left name\"]').click()")
        try browser.run("document.querySelector('[data-does=\"left name\"]').click()")
        XCTAssertEqual(try names, ["name", "age"])
        try browser.wait("document.querySelector('.layer .row .cell:nth-child(2)')?.innerText === 'Dog 0'")
        try browser.run("location.reload()")
        try browser.wait("document.querySelectorAll('.layer .row').length > 10")
        XCTAssertEqual(try names, ["name", "age"])
        // With the keyboard: Alt and an arrow make a column wider, Enter sorts by it.
        let before = try XCTUnwrap(try browser.run("return studio.view.columns.shown[1].width") as? Int)
        try browser.run("document.querySelectorAll('.head .cell')[2].focus()")
        try browser.press(Key.right, holding: "\u{E00A}")
        XCTAssertEqual(try browser.run("return studio.view.columns.shown[1].width") as? Int, before + 20)
        try browser.press(Key.enter, Key.enter)
        try browser.wait("document.querySelectorAll('.layer .row').length > 10")
        try browser.run(
            "[...document.querySelectorAll('.menu-items button')].find(some => some.innerText === 'As at first' || some.textContent === 'As at first').click()"
        )
        XCTAssertEqual(try names, ["age", "mother", "name"])
    }

    func testBackReturnsToThePlace() throws {
        try showDogs()
        try browser.run("studio.view.moveCursor(150, 1)")
        try browser.wait("document.querySelector('.layer .row[aria-rowindex=\"152\"]')")
        try browser.press(Key.enter)
        try browser.wait("document.querySelector('.object h1')")
        try browser.run("history.back()")
        try browser.wait("document.querySelector('.layer .row[aria-rowindex=\"152\"]')")
        XCTAssertEqual(try browser.run("return studio.view.cursor.row") as? Int, 150)
    }

    func testWordsAndKeptFilters() throws {
        try showDogs()
        try browser.click(".predicate")
        try browser.press("dog 150", Key.enter)
        try browser.wait("document.querySelector('.row-count')?.innerText === '1 object'")
        try browser.click(".keep")
        try browser.click(".clear")
        try browser.wait("document.querySelector('.row-count')?.innerText === '200 objects'")
        try browser.click(".predicate")
        try browser.wait("document.querySelector('.completions li')?.innerText.startsWith('dog 150')")
        try browser.click(".completions li")
        try browser.wait("document.querySelector('.row-count')?.innerText === '1 object'")
        try browser.click(".frozen a")
        try browser.wait("document.querySelector('.chips .chip')?.innerText.includes('Dog 150')")
    }

    func testAWrongPredicateIsNoLossOfTheConnection() throws {
        try showDogs()
        try browser.click(".predicate")
        try browser.press("age >", Key.enter)
        try browser.wait("document.querySelector('.mistake')?.innerText.length > 0")
        XCTAssertEqual(try browser.text("#pulse-text"), "live")
        try browser.click(".clear")
        try browser.wait("document.querySelector('.row-count')?.innerText === '200 objects'")
    }

    func testRowsAreDuplicatedAndThatIsUndoneAndDoneAgain() throws {
        try showDogs(isWritable: true)
        try browser.click(".layer .row[aria-rowindex='3'] .cell:nth-child(2)")
        try browser.press("d", holding: Key.control)
        try browser.wait("document.querySelector('.row-count')?.innerText === '201 objects'")
        try browser.press("z", holding: Key.control)
        try browser.wait("document.querySelector('.row-count')?.innerText === '200 objects'")
        try browser.press("y", holding: Key.control)
        try browser.wait("document.querySelector('.row-count')?.innerText === '201 objects'")
    }

    /// Of very many columns, only those exist that can be seen.
    func testVeryManyColumns() throws {
        try withRealm { realm in
            try realm.write { realm.add(ToolDog(value: ["name": "Rex"])) }
        }
        let lines = folder.appendingPathComponent("wide.csv")
        let header = (0..<200).map { "c\($0)" }.joined(separator: ",")
        try Data((header + "\n" + (0..<200).map { "v\($0)" }.joined(separator: ",") + "\n").utf8).write(
            to: lines)
        try FileManager.default.removeItem(at: file)
        XCTAssertEqual(run("import", lines.path, file.path, "--class", "Wide").code, .success)
        try show("/class/Wide")
        try browser.wait("document.querySelectorAll('.layer .row .cell').length > 5")
        XCTAssertLessThan(try browser.count(".layer .row .cell"), 30)
        try browser.run("studio.view.moveCursor(0, 200)")
        try browser.wait("document.querySelector('.layer .row .cell.cursor')?.innerText.startsWith('v')")
        XCTAssertLessThan(try browser.count(".layer .row .cell"), 30)
        XCTAssertEqual(try browser.count(".head .cell"), 201)
    }

    /// Sorts, filters and completes properties with dots in their names.
    func testColumnsWhoseNamesHaveDots() throws {
        try makeDottedNames()
        try show("/class/Item")
        try browser.wait("document.querySelectorAll('.layer .row').length === 3")
        let keys =
            "[...document.querySelectorAll('.layer .row')].sort((a, b) => a.position - b.position).map(row => row.key).join()"
        let head =
            "[...document.querySelectorAll('.head .cell')].find(some => some.innerText.startsWith('a.b'))"
        for (direction, order) in [("ascending", "2,3,1"), ("descending", "1,3,2"), ("none", "1,2,3")] {
            try browser.run("\(head).click()")
            try browser.wait(
                "\(head)?.getAttribute('aria-sort') === '\(direction)' && \(keys) === '\(order)'")
        }
        try browser.run(
            "[...document.querySelectorAll('.head .cell')].find(some => some.innerText.startsWith('-n')).click()"
        )
        try browser.wait("\(keys) === '3,1,2'")
        try browser.click(".predicate")
        try browser.press("a.")
        try browser.wait("document.querySelectorAll('.completions li').length === 4")
        XCTAssertEqual(
            try browser.run(
                "return [...document.querySelectorAll('.completions li')].map(li => li.innerText.split('\\n')[0])"
            )
                as? [String], ["a.b", "a.d", "c", "e"])
        try browser.press(Key.tab)
        try browser.press(" > 1")
        try browser.press(Key.enter)
        try browser.wait("\(keys) === '3,1'")
        try go("/class/Item?find=20")
        try browser.wait("document.querySelector('.empty:not([hidden])')")
        try go("/class/Item?find=3")
        try browser.wait("\(keys) === '1,2'")
    }
}
#endif
