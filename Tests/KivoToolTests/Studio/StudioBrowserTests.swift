#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation
import Kivo
import XCTest

@testable import KivoTool

/// The page in a browser.
final class StudioBrowserTests: StudioPageTestCase {
    private func makeDogs(_ count: Int, from first: Int = 0) throws {
        try withRealm { realm in
            try realm.write {
                for index in first..<first + count {
                    realm.add(ToolDog(value: ["name": "Dog \(index)", "age": index % 10]))
                }
            }
        }
    }

    /// The texts of the cells of a row that is seen.
    private func cells(_ row: Int) throws -> [String] {
        try browser.run(
            """
            const cells = document.querySelectorAll(`.layer .row[aria-rowindex="${arguments[0] + 2}"] .cell`);
            return [...cells].map(cell => cell.innerText)
            """,
            row) as? [String] ?? []
    }

    func testATableIsOpenedFilteredAndSorted() throws {
        try makeDogs(1000)
        try show("/class/ToolDog")
        try browser.wait("document.querySelectorAll('.layer .row').length > 10")
        XCTAssertEqual(try cells(0), ["1", "0", "nil", "Dog 0"])
        XCTAssertEqual(try browser.text(".row-count"), "1,000 objects")
        XCTAssertEqual(try browser.text("#side a[aria-current]"), "ToolDog\n1,000")
        XCTAssertLessThan(try browser.count(".layer .row"), 60)
        // A mistake is shown where it is.
        try browser.press("/")
        try browser.press("nmae == 'Dog 7'")
        try browser.wait("document.querySelector('.mirror mark')?.textContent === 'nmae'")
        XCTAssertTrue(try XCTUnwrap(try browser.text(".mistake")).contains("nmae"))
        // Names are completed.
        try browser.run("document.querySelector('.predicate').select()")
        try browser.press("na")
        try browser.wait("document.querySelector('.completions li')")
        XCTAssertEqual(try browser.text(".completions li"), "name\nString")
        try browser.press(Key.tab)
        try browser.press(" == 'Dog 7' OR age == 9", Key.enter)
        try browser.wait("document.querySelector('.row-count')?.innerText === '101 objects'")
        // By a click, and by a second one with shift.
        try browser.click(".head .sortable:nth-child(2)")
        try browser.wait(
            "document.querySelector('.head .cell:nth-child(2)')?.getAttribute('aria-sort') === 'ascending'")
        try browser.wait("document.querySelector('.layer .row .cell:nth-child(4)')?.innerText === 'Dog 7'")
        try browser.click(".head .cell:nth-child(4)", holding: Key.shift)
        try browser.wait("decodeURIComponent(location.hash).includes('sort=age,name')")
        // The address leads to the same table, and back to the one before.
        let address = try XCTUnwrap(try browser.run("return location.href") as? String)
        try browser.run("history.back()")
        try browser.wait("!decodeURIComponent(location.hash).includes('sort=age,name')")
        try browser.open(address)
        try browser.wait("document.querySelector('.row-count')?.innerText === '101 objects'")
        XCTAssertEqual(
            try browser.run("return document.querySelector('.predicate').value") as? String,
            "name == 'Dog 7' OR age == 9")
    }

    /// With `KIVO_STUDIO_ROWS=10000000` of ten million rows, which take minutes to make in a debug build.
    func testATableIsScrolledToItsEnd() throws {
        // More than the page scrolls by pixels: the scroll bar is a scale, as with ten million rows.
        let count = ProcessInfo.processInfo.environment["KIVO_STUDIO_ROWS"].flatMap { Int($0) } ?? 60_000
        for made in stride(from: 0, to: count, by: 1_000_000) {
            try makeDogs(min(count - made, 1_000_000), from: made)
        }
        try show("/class/ToolDog")
        try browser.wait("document.querySelectorAll('.layer .row').length > 10")
        try browser.click(".grid")
        try browser.press(Key.end, holding: Key.control)
        try browser.wait("document.querySelector('.layer .row[aria-rowindex=\"\(count + 1)\"]')")
        XCTAssertEqual(
            try cells(count - 1), ["\(count)", "\((count - 1) % 10)", "nil", "Dog \(count - 1)"])
        XCTAssertLessThan(try browser.count(".layer .row"), 60)
        // A little movement is one of some rows, and one to the middle leads to the middle.
        try browser.run("document.querySelector('.grid').scrollTop -= 300")
        try browser.wait("document.querySelector('.layer .row[aria-rowindex=\"\(count - 20)\"]')")
        try browser.run(
            "const grid = document.querySelector('.grid'); grid.scrollTop = grid.scrollHeight / 2")
        let position = "Number(document.querySelector('.layer .row')?.getAttribute('aria-rowindex'))"
        try browser.wait("Math.abs(\(position) / \(count) - 0.5) < 0.02")
        try browser.run("document.querySelector('.grid').scrollTop = 0")
        try browser.wait("document.querySelector('.layer .row[aria-rowindex=\"2\"]')")
        guard count == 60_000 else { return }
        try browser.run("document.querySelector('.grid').scrollTop = 3000")
        try browser.wait("document.querySelector('.layer .row[aria-rowindex=\"130\"]')")
    }

    func testAnotherProgramIsFollowed() throws {
        try makeDogs(50)
        try show("/class/ToolDog")
        try browser.wait("document.querySelectorAll('.layer .row').length > 10")
        try withRealm { realm in
            let dogs = realm.objects(ToolDog.self)
            try realm.write { dogs[2].age = 77 }
            try browser.wait("document.querySelector('.cell.changed .old')?.innerText === '2'")
            XCTAssertEqual(try cells(2).dropFirst().first?.hasPrefix("77"), true)
            try realm.write { realm.delete(dogs[0]) }
            try browser.wait("document.querySelector('.row-count')?.innerText === '49 objects'")
            try browser.wait(
                "document.querySelector('.layer .row[aria-rowindex=\"2\"]')?.innerText.startsWith('2')")
            try browser.click(".tools > [aria-pressed]")
            try browser.wait("document.querySelector('.tools > [aria-pressed=true]')")
            try realm.write { for index in 0..<3 { realm.add(ToolDog(value: ["name": "new \(index)"])) } }
            try browser.wait("document.querySelector('.activity')?.innerText.includes('+3')")
            XCTAssertEqual(try browser.text(".row-count"), "49 objects")
            try browser.click(".tools > [aria-pressed]")
            try browser.wait("document.querySelector('.row-count')?.innerText === '52 objects'")
        }
        try browser.wait("document.querySelector('#status').textContent !== ''")
    }

    func testAnObjectUnfoldsAndLeadsOn() throws {
        try makePets()
        try show("/object/ToolPerson/1")
        try browser.wait("document.querySelector('.embedded dd')")
        let text = try XCTUnwrap(try browser.text(".object"))
        for part in ["Mia B.", "High", "chess", "ToolDog 1", "best"] {
            XCTAssertTrue(text.contains(part), part)
        }
        try browser.click(".elements a.chip")
        try browser.wait("location.hash.startsWith('#/object/ToolDog/')")
        try browser.wait("document.querySelector('.backlinks')")
        XCTAssertTrue(try XCTUnwrap(try browser.text(".backlinks")).contains("ToolPerson.dogs"))
        try browser.run("history.back()")
        try browser.wait("document.querySelector('h1')?.innerText.startsWith('Mia B.')")
        // It follows the file.
        try withRealm { realm in try realm.write { realm.objects(ToolPerson.self)[0].name = "Mia C." } }
        try browser.wait("document.querySelector('h1')?.innerText.startsWith('Mia C.')")
    }

    func testACommitOfManyObjectsSaysHowManyMore() throws {
        try withRealm { realm in
            try realm.write { for age in 0..<250 { realm.add(ToolDog(value: ["name": "Kit", "age": age])) } }
        }
        try show("#/history")
        try browser.wait("document.querySelector('.commit summary')")
        try browser.click(".commit summary")
        try browser.wait("document.querySelector('.class-change .hint')")
        XCTAssertEqual(try browser.text(".class-change .hint"), "and 50 more inserted")
    }

    func testHistoryAndFrozenVersions() throws {
        try makePets()
        try show("/history")
        try browser.wait("document.querySelectorAll('.commit').length >= 3")
        try browser.click(".commit summary")
        try browser.wait("document.querySelector('.changes')")
        XCTAssertEqual(try browser.text(".changes del"), "0")
        XCTAssertEqual(try browser.text(".changes ins"), "7")
        try withRealm { realm in
            try realm.write(label: "<b>Prices</b>", author: "importer") {
                realm.add(ToolDog(value: ["name": "x"]))
            }
        }
        try browser.wait("document.querySelector('.commits li .label')")
        XCTAssertEqual(try browser.text(".commits .label"), "<b>Prices</b>")
        XCTAssertEqual(try browser.text(".commits .author"), "by importer")
        // In the time zone of the browser, with the exact time as the title.
        let time = try XCTUnwrap(
            try browser.run("return document.querySelector('.commits time').title") as? String)
        XCTAssertEqual(try XCTUnwrap(Date(iso8601: time), time).timeIntervalSinceNow, 0, accuracy: 3600)
        XCTAssertNotNil(
            try browser.text(".commits time")?.range(
                of: "^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}$", options: .regularExpression))
        try browser.run("document.querySelectorAll('.then .chip')[0].click()")
        try browser.wait("document.querySelector('.frozen')")
        try browser.wait("document.querySelector('.row-count')?.innerText === '2 objects'")
        try go("/schema")
        try browser.wait(
            "document.querySelector('.picture')?.shadowRoot?.querySelector('g.class[role=link]')")
        try browser.run(
            """
            const boxes = [...document.querySelector('.picture').shadowRoot.querySelectorAll('g.class')];
            const box = boxes.find(box => box.getAttribute('aria-label')?.includes('ToolDog'));
            box.dispatchEvent(new MouseEvent('click', { bubbles: true }))
            """)
        try browser.wait("location.hash === '#/class/ToolDog'")
    }

    func testAnEditItsMistakesAndItsUndo() throws {
        try makePets()
        try show("/class/ToolDog", isWritable: true)
        try browser.wait("document.querySelectorAll('.layer .row').length === 2")
        try browser.click(".layer .row .cell:nth-child(2)", times: 2)
        try browser.wait("document.querySelector('.cell.editing input')")
        try browser.press("many", Key.enter)
        try browser.wait("document.querySelector('.cell-error:not([hidden])')")
        XCTAssertTrue(try XCTUnwrap(try browser.text(".cell-error")).contains("no value of type Int"))
        try browser.run("document.querySelector('.cell.editing input').select()")
        try browser.press("12", Key.enter)
        try browser.wait(
            """
            !document.querySelector('.editing')
                && document.querySelector('.layer .row .cell:nth-child(2)').innerText.startsWith('12')
            """
        )
        try withRealm { XCTAssertEqual($0.objects(ToolDog.self)[0].age, 12) }
        try browser.click("#undo")
        try browser.wait("document.querySelector('.layer .row .cell:nth-child(2)').innerText.startsWith('7')")
        try withRealm { XCTAssertEqual($0.objects(ToolDog.self)[0].age, 7) }
    }

    func testALinkIsChosenByName() throws {
        try makePets()
        try show("/class/ToolDog", isWritable: true)
        try browser.wait("document.querySelectorAll('.layer .row').length === 2")
        try browser.click(".layer .row .cell:nth-child(3)", times: 2)
        try browser.wait("document.querySelectorAll('.choices:not([hidden]) li').length === 2")
        // A text that is neither one of the choices nor a key is not sent.
        try browser.press("nobody")
        try browser.wait("document.querySelector('.choices .rest')?.innerText === 'No such object'")
        try browser.press(Key.enter)
        try browser.wait(
            "document.querySelector('.cell-error:not([hidden])')?.innerText.includes('Choose an object')")
        try browser.run("document.querySelector('.cell.editing input').select()")
        try browser.press("zo")
        try browser.wait("document.querySelector('.choices:not([hidden])')?.innerText === 'Zoe\\n#3'")
        try browser.press(Key.down, Key.enter)
        try browser.wait("document.querySelector('.choices').hidden")
        XCTAssertEqual(
            try browser.run("return document.querySelector('.cell.editing input').value") as? String, "3")
        try withRealm { XCTAssertNil($0.objects(ToolDog.self)[0].mother) }
        try browser.press(Key.enter)
        try browser.wait("!document.querySelector('.editing')")
        try browser.wait(
            "document.querySelector('.layer .row .cell:nth-child(3)').innerText.includes('Zoe')")
        try withRealm { XCTAssertEqual($0.objects(ToolDog.self)[0].mother?.name, "Zoe") }
    }

    func testAConflictShowsBothValues() throws {
        try makePets()
        try show("/class/ToolDog", isWritable: true)
        try browser.wait("document.querySelectorAll('.layer .row').length === 2")
        try browser.click(".layer .row .cell:nth-child(2)", times: 2)
        try browser.wait("document.querySelector('.cell.editing input')")
        try withRealm { realm in try realm.write { realm.objects(ToolDog.self)[0].age = 20 } }
        try browser.press("12", Key.enter)
        try browser.wait("document.querySelector('.cell.conflict .theirs')")
        XCTAssertEqual(try browser.text(".theirs"), "Theirs: 20")
        XCTAssertEqual(try browser.text(".yours"), "Yours: 12")
        try browser.press(Key.escape)
        try browser.wait(
            "document.querySelector('.layer .row .cell:nth-child(2)').innerText.startsWith('20')")
        try withRealm { XCTAssertEqual($0.objects(ToolDog.self)[0].age, 20) }
    }

    func testHostileValuesAreText() throws {
        let hostile =
            "<img src=x onerror=\"document.title='broken'\"><script>document.title='broken'</script>"
        try withRealm { realm in
            try realm.write {
                realm.add(ToolDog(value: ["name": hostile]))
                let thing = ToolThing(value: ["key": hostile])
                realm.add(thing)
                thing.anyMap[hostile.replacingOccurrences(of: ".", with: "")] = .string(hostile)
                thing.strings.insert(hostile)
            }
        }
        try show("/class/ToolDog")
        try browser.wait("document.querySelector('.layer .row')")
        XCTAssertEqual(try cells(0).last, hostile)
        for place in [
            "/object/ToolDog/1", "/object/ToolThing/1", "/history",
            "/class/\(hostile.addingPercentEncoding(withAllowedCharacters: .alphanumerics)!)",
        ] {
            try go(place)
            usleep(300_000)
        }
        XCTAssertEqual(try browser.count("main img, main script"), 0)
        XCTAssertEqual(try browser.run("return document.title") as? String, "test.kivo · Kivo Studio")
    }

    func testEverythingByKeyboard() throws {
        try makePets()
        try show("/class/ToolDog", isWritable: true)
        try browser.wait("document.querySelectorAll('.layer .row').length === 2")
        XCTAssertEqual(
            try browser.run("return document.activeElement.getAttribute('role')") as? String, "grid")
        try browser.press(Key.down, Key.right)
        XCTAssertEqual(
            try browser.run(
                """
                const id = document.activeElement.getAttribute('aria-activedescendant');
                return document.getElementById(id).getAttribute('aria-colindex')
                """
            ) as? String, "2")
        try browser.press(Key.enter, "5", Key.enter)
        try browser.wait("!document.querySelector('.editing')")
        try withRealm { XCTAssertEqual($0.objects(ToolDog.self)[1].age, 5) }
        try browser.press("z", holding: Key.control)
        try browser.wait(
            "document.querySelectorAll('.layer .row .cell:nth-child(2)')[1].innerText.startsWith('0')")
        try browser.press(" ")
        try browser.wait("document.querySelector('.row[aria-selected=true]')")
        try browser.press(Key.delete)
        try browser.wait("document.querySelector('.row-count')?.innerText === '1 object'")
        try browser.press("z", holding: Key.control)
        try browser.wait("document.querySelector('.row-count')?.innerText === '2 objects'")
        try browser.run("document.querySelector('.grid').focus()")
        try browser.press("\u{E011}", Key.enter)
        try browser.wait("location.hash.startsWith('#/object/ToolDog/')")
    }

    func testColourSchemesAndANarrowWindow() throws {
        try makePets()
        try show("/class/ToolDog", width: 400)
        try browser.wait("document.querySelectorAll('.layer .row').length === 2")
        func background() throws -> String? {
            try browser.run("return getComputedStyle(document.body).backgroundColor") as? String
        }
        try browser.prefer(["prefers-color-scheme": "light"])
        let light = try background()
        try browser.prefer(["prefers-color-scheme": "dark", "prefers-reduced-motion": "reduce"])
        XCTAssertNotEqual(light, try background())
        for width in [400, 760, 1280, 2560] {
            try browser.resize(width, 700)
            for place in ["/class/ToolDog", "/object/ToolPerson/1", "/history", "/schema"] {
                try go(place)
                usleep(50_000)
                XCTAssertEqual(
                    try browser.run("return document.documentElement.scrollWidth <= innerWidth") as? Bool,
                    true, "\(place) \(width)")
            }
        }
        try browser.resize(400, 700)
        try go("/class/ToolDog")
        try browser.click("#menu")
        try browser.wait("document.querySelector('#side.open a')")
        try browser.wait("getComputedStyle(document.querySelector('#side')).visibility === 'visible'")
        try browser.press(Key.escape)
        try browser.wait("!document.querySelector('#side.open')")
    }
}
#endif
