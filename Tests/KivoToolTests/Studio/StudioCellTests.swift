#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation
import Kivo
import TestRandomness
import XCTest

@testable import KivoTool

/// Editing in a browser: what a hand does all day.
final class StudioCellTests: StudioPageTestCase {
    /// Values whose texts say less than they do, or that a field of one line cannot hold.
    private func makeHostileThings() throws {
        let texts = [
            "", " spaces ", "two\nlines", "two\r\nlines\r\n", "mixed\r\nends\nof\rlines", "tab\tand\u{0}nul",
            String(repeating: "long ", count: 60), "\u{202E}right to left",
            String(repeating: "x", count: 70_000),
        ]
        let anys: [AnyRealmValue] = [
            .none, .string("two\nlines"), .data(Data(count: 300)), .double(-0.0), .int(.max),
            .date(Date(timeIntervalSinceReferenceDate: 1.5e-7)),
            .fromArray([.int(1), .fromDictionary(["a": .none])]),
            .string(texts[6]), .decimal128(Decimal128("1E+6000")),
        ]
        let doubles = [0.1, -0.0, 1e300, 1e-300, .infinity, .nan, 1e21, -1 / 3.0, 123_456_789_012_345_680]
        let dates = [
            0.123456789, -1e-9, 1e9 + 0.1, Date.distantPast.timeIntervalSinceReferenceDate, 1e14, .infinity,
            -63e9, 0.5, 7,
        ]
        try withRealm { realm in
            try realm.write {
                for index in texts.indices {
                    let thing = ToolThing(value: ["key": "\(index)"])
                    (thing.bool, thing.int8, thing.int64) = (index % 2 == 0, -128, .min + Int64(index))
                    (thing.float, thing.double) = (Float(doubles[index]), doubles[index])
                    (thing.string, thing.optionalString) = (
                        texts[index], index % 3 == 0 ? nil : texts[8 - index]
                    )
                    thing.data = Data(
                        (0..<[0, 1, 3, 199, 200, 201, 1000, 4096, 50_000][index]).map { UInt8($0 & 255) })
                    thing.optionalData = index % 3 == 0 ? nil : Data([1, 2])
                    (thing.date, thing.any) = (
                        Date(timeIntervalSinceReferenceDate: dates[index]), anys[index]
                    )
                    thing.optionalDate =
                        index % 3 == 0 ? nil : Date(timeIntervalSinceReferenceDate: -dates[index])
                    (thing.optionalDouble, thing.optionalInt) = (
                        index % 3 == 0 ? nil : -doubles[index], index % 2 == 0 ? nil : .max
                    )
                    thing.decimal = try Decimal128(string: "0.\(index)00")
                    realm.add(thing)
                    thing.ints.append(objectsIn: 0..<index)
                    thing.optionalInts.append(objectsIn: [nil, .max, .min])
                    thing.optionalStrings.append(objectsIn: [nil, texts[index]])
                    thing.doubles.insert(doubles[index])
                    thing.anys.append(objectsIn: anys)
                    thing.anyMap["k"] = anys[index]
                    thing.dates["d"] = Date(timeIntervalSinceReferenceDate: dates[index])
                }
            }
        }
    }

    private func contents() throws -> String { run("export", file.path).output }

    /// Enter, and Enter again: each value is opened and closed, in a field or in its dialog.
    func testLookingAtAValueWritesNothing() throws {
        try makeHostileThings()
        let before = try contents()
        try show("/class/ToolThing", isWritable: true)
        try browser.wait("document.querySelectorAll('.layer .row').length === 9")
        let commit = try get("/api/file")["commit"] as? Int
        let script = "return studio.view.columns.shown.map(some => some.property.isPrimaryKey)"
        let primary = try XCTUnwrap(try browser.run(script) as? [Bool])
        var (cells, dialogs) = (0, 0)
        var random = RandomSource()
        let rows = (0..<9).shuffled(using: &random).prefix(TestEffort.count(2, full: 9))
        for row in rows {
            for (index, isPrimary) in primary.enumerated() where !isPrimary {
                try browser.run("studio.view.moveCursor(...arguments)", row, index + 1)
                try browser.press(Key.enter)
                try browser.wait("document.querySelector('.cell.editing, dialog[open]')")
                if try browser.count("dialog[open]") > 0 {
                    dialogs += 1
                    try browser.press(Key.enter, holding: Key.control)
                } else {
                    cells += 1
                    try browser.press(Key.enter)
                }
                try browser.wait("!document.querySelector('.cell.editing, dialog[open]')")
            }
        }
        XCTAssertGreaterThan(cells, rows.count * 12)
        XCTAssertGreaterThan(dialogs, rows.count * 8)
        XCTAssertEqual(try get("/api/file")["commit"] as? Int, commit)
        XCTAssertEqual(try contents(), before)
    }

    func testTabAndAClickElsewhereWriteTheText() throws {
        try makePets()
        try show("/class/ToolDog", isWritable: true)
        try browser.wait("document.querySelectorAll('.layer .row').length === 2")
        // Writing on a cell begins to edit it, and Tab goes to the next one.
        try browser.click(".layer .row .cell:nth-child(2)")
        try browser.press("4")
        try browser.wait("document.querySelector('.cell.editing input')?.value === '4'")
        try browser.press("2", Key.tab)
        try browser.wait("!document.querySelector('.editing')")
        try withRealm { XCTAssertEqual($0.objects(ToolDog.self)[0].age, 42) }
        XCTAssertEqual(try browser.run("return studio.view.cursor.column") as? Int, 2)
        try browser.click(".layer .row .cell:nth-child(4)", times: 2)
        try browser.wait("document.querySelector('.cell.editing input')")
        try browser.press("Max")
        try browser.click(".row-count")
        try browser.wait("!document.querySelector('.editing')")
        try withRealm { XCTAssertEqual($0.objects(ToolDog.self)[0].name, "Max") }
        // What was refused is not thrown away.
        try browser.click(".layer .row .cell:nth-child(2)", times: 2)
        try browser.press("many")
        try browser.click(".row-count")
        try browser.wait("document.querySelector('.cell-error:not([hidden])')")
        XCTAssertEqual(
            try browser.run("return document.querySelector('.cell.editing input').value") as? String, "many")
    }

    func testLongTextsKeepTheEndsOfTheirLines() throws {
        let text = "one\r\ntwo\r\n" + String(repeating: "z", count: 5000)
        try withRealm { realm in
            try realm.write { realm.add(ToolThing(value: ["key": "a", "string": text])) }
        }
        try show("/object/ToolThing/1", isWritable: true)
        let cell =
            "[...document.querySelectorAll('.values > dt')].find(dt => dt.innerText.startsWith('string'))"
        try browser.wait(cell)
        try browser.run(
            "\(cell).nextElementSibling.querySelector('.value').dispatchEvent(new MouseEvent('dblclick'))")
        try browser.wait("document.querySelector('dialog[open] textarea')")
        try browser.run(
            "const area = document.querySelector('dialog textarea'); area.value = 'zero\\n' + area.value")
        // Somebody else changes the end of it meanwhile.
        try withRealm { realm in try realm.write { realm.objects(ToolThing.self)[0].string = text + "!" } }
        try browser.press(Key.enter, holding: Key.control)
        try browser.wait(
            "document.querySelector('.form-error:not([hidden])')?.innerText.includes('Another process')")
        try withRealm { XCTAssertEqual($0.objects(ToolThing.self)[0].string, text + "!") }
        try browser.press(Key.enter, holding: Key.control)
        try browser.wait("!document.querySelector('dialog')")
        try withRealm { XCTAssertEqual($0.objects(ToolThing.self)[0].string, "zero\r\n" + text) }
    }

    func testDataIsEditedInTwoForms() throws {
        try withRealm { realm in
            try realm.write { realm.add(ToolThing(value: ["key": "a", "data": Data([1, 2, 3])])) }
        }
        try show("/class/ToolThing", isWritable: true)
        try browser.wait("document.querySelector('.layer .row')")
        try browser.run(
            "studio.view.moveCursor(0, 1 + studio.view.columns.shown.findIndex(some => some.property.name === 'data'))"
        )
        try browser.press(Key.enter)
        try browser.wait("document.querySelector('dialog textarea')?.value === '01 02 03'")
        try browser.run(
            """
            const form = document.querySelector('.forms select');
            form.value = 'base64'; form.dispatchEvent(new Event('change'));
            document.querySelector('dialog textarea').value = '/+8=';
            form.value = 'hex'; form.dispatchEvent(new Event('change'))
            """)
        try browser.wait("document.querySelector('dialog textarea').value === 'ff ef'")
        try browser.press(Key.enter, holding: Key.control)
        try browser.wait("!document.querySelector('dialog')")
        try withRealm { XCTAssertEqual($0.objects(ToolThing.self)[0].data, Data([0xFF, 0xEF])) }
    }

    /// A table of a class that another program migrates shows its new properties, not their values in the old columns.
    func testAMigrationIsFollowed() throws {
        try withRealm { realm in
            try realm.write { realm.add(ToolThing(value: ["key": "a", "string": "text"])) }
        }
        try show("/class/ToolThing", isWritable: true)
        try browser.wait("document.querySelector('.layer .row')")
        let configuration = Realm.Configuration(
            fileURL: file, schemaVersion: 1,
            migrationBlock: { migration, _ in
                migration.renameProperty(onType: "ToolThing", from: "string", to: "text")
            },
            objectTypes: [RenamedThing.self])
        try withExtendedLifetime(Realm(configuration: configuration)) {}
        try browser.wait("document.querySelectorAll('.head .cell').length === 4")
        try browser.wait("document.querySelector('.layer .row .cell:nth-child(4)')?.innerText === 'text'")
        try browser.click(".layer .row .cell:nth-child(4)", times: 2)
        try browser.press("new", Key.enter)
        try browser.wait(
            "document.querySelector('.layer .row .cell:nth-child(4)')?.innerText.startsWith('new')")
    }

    /// A tab that cannot be seen has no stream, and knows everything when it is seen again.
    func testAHiddenTabHasNoStream() throws {
        try makePets()
        try show("/class/ToolDog")
        try browser.wait("document.querySelectorAll('.layer .row').length === 2")
        func hide(_ isHidden: Bool) throws {
            try browser.run(
                """
                Object.defineProperty(document, 'hidden', { value: arguments[0], configurable: true });
                document.dispatchEvent(new Event('visibilitychange'))
                """, isHidden)
        }
        try hide(true)
        usleep(200_000)
        try withRealm { realm in try realm.write { realm.add(ToolDog(value: ["name": "new"])) } }
        usleep(500_000)
        XCTAssertEqual(try browser.count(".layer .row"), 2)
        try hide(false)
        try browser.wait("document.querySelectorAll('.layer .row').length === 3")
    }
}
#endif
