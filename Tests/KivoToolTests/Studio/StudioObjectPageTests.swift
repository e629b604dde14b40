#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation
import Kivo
import XCTest

@testable import KivoTool

/// Values as a person reads them, the page of an object, and what is around the tables.
final class StudioObjectPageTests: StudioPageTestCase {
    /// A picture of one pixel.
    private static let picture =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

    override func tearDownWithError() throws {
        unsetenv("TZ")
        try super.tearDownWithError()
    }

    private func makeThing(_ values: [String: Any]) throws {
        try withRealm { realm in
            try realm.write { _ = realm.create(ToolThing.self, value: values.merging(["key": "a"]) { $1 }) }
        }
    }

    /// A script for the cell of a property in the table's first row.
    private func cell(_ property: String) -> String {
        "studio.view.cell(1, 1 + studio.view.columns.shown.findIndex(some => some.property.name === '\(property)'))"
    }

    /// A script for the description of a property on the page of an object.
    private func part(_ property: String) -> String {
        """
        [...document.querySelectorAll('.subject > .values > dt')]
            .find(dt => dt.innerText.split('\\n')[0] === '\(property)')?.nextElementSibling
        """
    }

    private func string(_ expression: String) throws -> String? {
        try browser.run("return \(expression)") as? String
    }

    /// Makes a file of classes without objects.
    private func importClasses(_ names: [String]) throws {
        let classes = names.map {
            """
            {"name":"\($0)","typeName":"\($0)","isEmbedded":false,"nextKey":1,"properties":[{"name":"name","type":"String",\
            "nullable":false,"collection":null,"target":null,"indexed":false,"primaryKey":false}]}
            """
        }
        let lines = folder.appendingPathComponent("classes.jsonl")
        let text =
            "{\"kivo\":\"export\",\"version\":1,\"schemaVersion\":\"0\",\"classes\":[\(classes.joined(separator: ","))]}\n"
        try Data(text.utf8).write(to: lines)
        XCTAssertEqual(run("import", lines.path, file.path).code, .success)
    }

    func testDatesAreThoseOfTheReadersZone() throws {
        // The browser inherits it.
        setenv("TZ", "Europe/Berlin", 1)
        try makeThing(["date": Date(timeIntervalSince1970: 1_795_921_445.123)])
        try show("/class/ToolThing", isWritable: true)
        try browser.wait("document.querySelector('.layer .row')")
        XCTAssertEqual(try string("\(cell("date")).innerText"), "2026-11-29 04:04:05.123")
        let title = try XCTUnwrap(try string("\(cell("date")).title"))
        XCTAssertTrue(title.hasPrefix("2026-11-29T03:04:05.12"), title)
        XCTAssertTrue(title.hasSuffix("Z, shown in Europe/Berlin"), title)
        XCTAssertEqual(
            try string("document.querySelector('#side .side-foot:last-child').innerText"),
            "Times in Europe/Berlin")
        // It is edited as it is stored.
        try browser.run(
            "studio.view.moveCursor(0, 1 + studio.view.columns.shown.findIndex(some => some.property.name === 'date'))"
        )
        try browser.press(Key.enter)
        try browser.wait(
            "document.querySelector('.cell.editing input')?.value.startsWith('2026-11-29T03:04:05.12')")
        try browser.press(Key.escape)
        try browser.wait("!document.querySelector('.editing')")
    }

    func testBooleansAndDataSayWhatTheyAre() throws {
        try makeThing([
            "bool": true, "optionalBool": false, "data": Data((1...12).map { UInt8($0) }),
            "optionalData": Data([255]),
        ])
        try show("/class/ToolThing")
        try browser.wait("document.querySelector('.layer .row')")
        XCTAssertEqual(try string("\(cell("bool")).innerText"), "✓")
        XCTAssertEqual(try string("\(cell("optionalBool")).innerText"), "–")
        let word = "querySelector('[role=img]').getAttribute('aria-label')"
        XCTAssertEqual(try string("\(cell("bool")).\(word)"), "true")
        XCTAssertEqual(try string("\(cell("optionalBool")).\(word)"), "false")
        XCTAssertEqual(try string("\(cell("data")).textContent"), "12 bytes  01 02 03 04 05 06 07 08 …")
        XCTAssertEqual(
            try string("\(cell("data")).title"), "12 bytes  01 02 03 04 05 06 07 08 09 0a 0b 0c")
        XCTAssertEqual(try string("\(cell("optionalData")).textContent"), "1 byte  ff")
    }

    func testTextsUnfoldAsJSONAndDataAsAPicture() throws {
        let json = #"{"id":12345678901234567890,"list":[1,2.50],"none":[],"text":"a \"b\", {c}"}"#
        // More than the page reads at first.
        let long = "[" + (0..<20_000).map { "\($0)" }.joined(separator: ",") + "]"
        try makeThing([
            "string": json, "optionalString": long, "data": Data(base64Encoded: Self.picture)!,
            "optionalData": Data("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8),
        ])
        try show("/object/ToolThing/1")
        try browser.wait("document.querySelectorAll('.part summary').length === 3")
        try browser.run("\(part("string")).querySelector('.part summary').click()")
        try browser.wait("\(part("string")).querySelector('pre')")
        XCTAssertEqual(
            try string("\(part("string")).querySelector('pre').textContent"),
            """
            {
              "id": 12345678901234567890,
              "list": [
                1,
                2.50
              ],
              "none": [],
              "text": "a \\"b\\", {c}"
            }
            """)
        try browser.run("\(part("optionalString")).querySelector('.part summary').click()")
        try browser.wait(
            "\(part("optionalString")).querySelector('pre')?.textContent.endsWith('\\n  19999\\n]')")
        try browser.wait("\(part("data")).querySelector('img')?.naturalWidth === 1")
        XCTAssertEqual(try browser.count(".preview"), 1)
        // It stays unfolded when the object changes.
        try withRealm { realm in try realm.write { realm.objects(ToolThing.self)[0].int8 = 5 } }
        try browser.wait("\(part("int8")).innerText === '5'")
        XCTAssertEqual(try browser.count(".part[open] pre"), 2)
    }

    func testAnObjectShowsTheCommitsThatChangedIt() throws {
        try makePets()
        for age in 10..<220 {
            try withRealm { realm in try realm.write { realm.objects(ToolDog.self)[0].age = age } }
        }
        try show("/object/ToolDog/1")
        try browser.wait("document.querySelectorAll('.past .entry').length === 200")
        XCTAssertEqual(try browser.text(".past del"), "218")
        XCTAssertEqual(try browser.text(".past ins"), "219")
        XCTAssertEqual(try string("document.querySelector('.past button').innerText"), "12 earlier")
        // Its creation is the last one.
        try browser.run("document.querySelector('.past button').focus()")
        try browser.press(Key.enter)
        try browser.wait("document.querySelectorAll('.past .entry').length === 212")
        try browser.wait("document.querySelector('.past button').hidden")
        XCTAssertEqual(
            try string("document.querySelector('.past .entry:last-child p').innerText.split(' ')[1]"),
            "created")
        XCTAssertEqual(
            try browser.run("return document.activeElement.closest('.past') !== null") as? Bool, true)
        // New ones appear at the top; those of other objects do not.
        try withRealm { realm in
            try realm.write { realm.add(ToolDog(value: ["name": "other"])) }
            try realm.write { realm.objects(ToolDog.self)[0].age = 33 }
        }
        try browser.wait("document.querySelector('.past ins')?.innerText === '33'")
        XCTAssertEqual(try browser.count(".past .entry"), 213)
        // There is no room for them in a narrow window.
        try browser.resize(1000, 700)
        try browser.wait("getComputedStyle(document.querySelector('.past')).display === 'none'")
    }

    func testManyClassesAreFiltered() throws {
        try importClasses((0..<13).map { "Class\($0)" } + ["Person"])
        try show("/class/Class3")
        try browser.wait("document.querySelector('.class-filter')")
        let shown = "[...document.querySelectorAll('#side a')].filter(link => !link.hidden)"
        try browser.click(".class-filter")
        try browser.press("ERS")
        try browser.wait("\(shown).length === 1 && \(shown)[0].innerText.startsWith('Person')")
        try browser.press(Key.enter)
        try browser.wait("location.hash === '#/class/Person'")
        try browser.click(".class-filter")
        try browser.press("x")
        try browser.wait("\(shown).length === 0 && !document.querySelector('.side-none').hidden")
        try browser.press(Key.escape)
        try browser.wait("\(shown).length === 14 && document.querySelector('.class-filter').value === ''")
    }

    func testAnEmptyFileSaysWhatToDo() throws {
        try importClasses([])
        try show("/")
        try browser.wait("document.querySelector('.empty')?.innerText.includes('they appear here')")
        XCTAssertEqual(try browser.count(".class-filter"), 0)
        try withRealm { realm in try realm.write { realm.add(ToolDog(value: ["name": "Rex"])) } }
        try browser.wait("document.querySelector('#side a[data-name=ToolDog] .count')?.innerText === '1'")
        try browser.wait("location.hash.startsWith('#/class/')")
        try browser.wait("!document.querySelector('section.empty')")
    }

    func testTheDiagramIsZoomedAndMoved() throws {
        try makePets()
        try show("/schema")
        try browser.wait("document.querySelector('.zoom:not([hidden])')")
        let percent = "parseInt(document.querySelector('.percent').innerText)"
        let width =
            "document.querySelector('.picture').shadowRoot.querySelector('svg').getBoundingClientRect().width"
        try browser.run("window.before = [\(percent), \(width)]")
        for _ in 0..<6 { try browser.click(".zoom button:nth-child(2)") }
        try browser.wait("\(percent) > before[0] * 3 && \(width) > before[1] * 3")
        // By keys, and by the wheel with Ctrl.
        try browser.run("window.large = \(percent); document.querySelector('.picture').focus()")
        try browser.press("-")
        try browser.wait("\(percent) < large")
        try browser.press("+")
        try browser.wait("\(percent) === large")
        try browser.run(
            """
            const picture = document.querySelector('.picture');
            const box = picture.getBoundingClientRect();
            picture.dispatchEvent(new WheelEvent('wheel',
                { deltaY: 50, ctrlKey: true, cancelable: true, clientX: box.left + 50, clientY: box.top + 50 }))
            """)
        try browser.wait("\(percent) < large && \(percent) > before[0]")
        // A hand moves it, which opens no class.
        try browser.run(
            """
            const picture = document.querySelector('.picture');
            picture.setPointerCapture = () => {};
            picture.scrollLeft = 0;
            const move = (name, x) => picture.dispatchEvent(new PointerEvent(name,
                { pointerId: 7, pointerType: 'mouse', buttons: 1, clientX: x, clientY: 300, bubbles: true }));
            move('pointerdown', 600);
            move('pointermove', 580);
            move('pointermove', 540);
            move('pointerup', 540);
            picture.shadowRoot.querySelector('g.class').dispatchEvent(
                new MouseEvent('click', { bubbles: true, composed: true }))
            """)
        try browser.wait("document.querySelector('.picture').scrollLeft === 60")
        XCTAssertEqual(try string("location.hash"), "#/schema")
        try browser.click(".zoom button:nth-child(3)")
        try browser.wait("\(percent) === before[0]")
    }
}
#endif
