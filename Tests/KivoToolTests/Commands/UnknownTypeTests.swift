import KivoEngine
import XCTest

@testable import Kivo
@testable import KivoTool

/// Files with a type that this version does not know, as a newer one may write them: it is shown as such, and never taken for another
/// type.
final class UnknownTypeTests: ToolTestCase {
    private static let code: UInt8 = 200

    /// Creates a file whose class `Odd` has a property of an unknown type for each layout, a list of such values, and a property
    /// whose layout is not that of its type.
    private func makeFile() throws {
        let cells: [(name: String, kind: ColumnKind, cell: Cell)] = [
            ("bytes", .bytes, .bytes([1, 2])), ("string", .string, .string("text")),
            ("wide", .wide, .wide(1, 2)), ("word", .word, .word(7)),
        ]
        let made = try ImportedFile(file.path, schemaVersion: 0)
        try made.define { catalog in
            let table = catalog.declare("Odd", isEmbedded: false)
            var columns = cells.map { ColumnSpec(name: $0.name, kind: $0.kind, typeCode: Self.code) }
            columns.append(ColumnSpec(name: "list", kind: .sequence, element: .word, typeCode: Self.code))
            columns.append(ColumnSpec(name: "mixedUp", kind: .wide, typeCode: ScalarType.int.rawValue))
            columns.append(ColumnSpec(name: "plain", kind: .word, typeCode: ScalarType.int.rawValue))
            catalog.define(table, columns: columns.sorted(by: ColumnSpec.isOrderedBefore), typeName: "")
        }
        try made.write { transaction in
            let table = transaction.catalog.table(named: "Odd")!
            let columns = transaction.catalog.tables[table].columns
            func column(_ name: String) -> Int { columns.firstIndex { $0.name == name }! }
            transaction.insert(into: table, at: 1)
            for (name, _, cell) in cells { transaction.set(cell, table, 1, column(name)) }
            transaction.set(.wide(3, 4), table, 1, column("mixedUp"))
            transaction.set(.word(5), table, 1, column("plain"))
            let list = CollectionID(table: table, column: column("list"), key: 1)
            transaction.insertElements([.word(1)], at: 0, into: list)
        }
        try made.finish()
    }

    func testValuesAreShownAsUnknown() throws {
        try makeFile()
        let answer = run("dump", "--json", file.path)
        XCTAssertEqual(answer.code, .success, answer.errors)
        let values = try XCTUnwrap(answer.objects.first?["values"] as? [String: Any])
        let unknown: NSDictionary = ["unknownType": 200]
        for name in ["bytes", "string", "wide", "word"] {
            XCTAssertEqual(values[name] as? NSDictionary, unknown, name)
        }
        XCTAssertEqual(values["list"] as? [NSDictionary], [unknown])
        XCTAssertEqual(values["mixedUp"] as? NSDictionary, ["unknownType": 6])
        XCTAssertEqual(values["plain"] as? Int, 5)
        XCTAssertEqual(StoredValue.unknown(200).text, "a value of type 200")
        XCTAssertTrue(run("schema", file.path).output.contains("type 200"))
    }

    func testAnExportIsRefused() throws {
        try makeFile()
        let answer = run("export", file.path)
        XCTAssertEqual(answer.code, .problem)
        XCTAssertEqual(answer.output, "")
        XCTAssertTrue(answer.errors.contains("'Odd.bytes'"), answer.errors)
        XCTAssertTrue(
            answer.errors.contains("type 200, which this version of kivo does not know"), answer.errors)
    }

    func testAnImportIsRefused() throws {
        try withRealm {
            try $0.write { [realm = $0] in _ = realm.create(ToolThing.self, value: ["key": "a"]) }
        }
        let export = run("export", file.path).output
        let lines = folder.appendingPathComponent("lines.jsonl")
        try Data(export.replacingOccurrences(of: #""type":"Int8""#, with: #""type":"Temperature""#).utf8)
            .write(to: lines)
        let answer = run("import", lines.path, folder.appendingPathComponent("copy.kivo").path)
        XCTAssertEqual(answer.code, .problem)
        XCTAssertTrue(answer.errors.contains("unknown type 'Temperature'"), answer.errors)
    }

    /// Every type that the table has is read from its cell, and written and read as JSON under its name.
    func testEveryScalarTypeIsKnown() throws {
        for type in ScalarType.all where type != .any {
            let cell = try XCTUnwrap(type.swiftType).makeDefault().cell
            let value = try XCTUnwrap(StoredValue(cell, type), type.name)
            let read = try XCTUnwrap(value.scalar, type.name)
            XCTAssertEqual(read.tag, type.tag, type.name)
            XCTAssertEqual(read.columnKind, type.columnKind, type.name)
            if type.tag != nil { XCTAssertEqual(value.typeWord, read.jsonName, type.name) }
        }
    }
}
