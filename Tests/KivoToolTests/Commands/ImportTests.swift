import Foundation
import Kivo
import XCTest

@testable import KivoTool

/// An import that is made in many transactions, and what is there of one that fails.
final class ImportTests: ToolTestCase {
    private var copy: URL { folder.appendingPathComponent("copy.kivo") }
    private var lines: URL { folder.appendingPathComponent("lines.jsonl") }
    private var fileNames: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    }

    /// A graph of objects that lead to others before and behind them.
    private func export() throws -> String {
        try makePets()
        try withRealm(schemaVersion: 9) { realm in
            try realm.write {
                for id in 10..<60 {
                    let person = realm.create(ToolPerson.self, value: ["id": id, "name": "p\(id)"])
                    person.home = ToolAddress(value: ["street": "street \(id)"])
                    let dog = realm.create(ToolDog.self, value: ["name": "d\(id)"])
                    person.dogs.append(dog)
                    realm.objects(ToolPerson.self)[0].dogs.append(dog)
                    let thing = realm.create(ToolThing.self, value: ["key": "\(id)"])
                    thing.any = .fromArray([.object(dog), .int(id)])
                }
            }
        }
        let answer = run("export", file.path)
        XCTAssertEqual(answer.code, .success, answer.errors)
        return answer.output
    }

    private func makeCopy(batch: Int) throws {
        var reader = try ExportReader(lines.path)
        reader.batchLines = batch
        let file = try ImportedFile(copy.path, schemaVersion: reader.schemaVersion)
        try reader.fill(file) { _ in }
        try file.finish()
    }

    func testManyTransactionsMakeWhatOneMakes() throws {
        let export = try export()
        try Data(export.utf8).write(to: lines)
        for batch in [7, 1 << 20] {
            try makeCopy(batch: batch)
            XCTAssertEqual(run("export", copy.path).output, export, "\(batch)")
            XCTAssertEqual(run("verify", copy.path).code, .success)
            try withRealm(copy, schemaVersion: 9) { realm in
                let person = try XCTUnwrap(realm.object(ofType: ToolPerson.self, forPrimaryKey: 30))
                XCTAssertEqual(person.dogs[0].owners.map(\.id).sorted(), [1, 30])
            }
            try FileManager.default.removeItem(at: copy)
            try? FileManager.default.removeItem(atPath: copy.path + ".lock")
        }
    }

    /// Lines in another order, so that links lead to what comes later, also in other transactions.
    func testLinesInAnyOrder() throws {
        let export = try export().split(separator: "\n")
        try Data(([export[0]] + export.dropFirst().reversed()).joined(separator: "\n").utf8).write(to: lines)
        try makeCopy(batch: 10)
        XCTAssertEqual(
            run("export", copy.path).output.split(separator: "\n").sorted(), export.sorted())
    }

    func testNothingIsLeftOfAnImportThatFails() throws {
        var export = try export().split(separator: "\n").map(String.init)
        let names = try fileNames
        export.append(#"{"class":"ToolPerson","key":2000,"values":{"id":30}}"#)
        try Data(export.joined(separator: "\n").utf8).write(to: lines)
        let answer = run("import", lines.path, copy.path)
        XCTAssert(answer.errors.contains("two rows have one primary key: object 2000"), answer.errors)
        XCTAssertEqual(try fileNames, (names + ["lines.jsonl"]).sorted())
        try Data(export.dropLast().joined(separator: "\n").utf8).write(to: lines)
        XCTAssertEqual(run("import", lines.path, copy.path).code, .success)
        XCTAssertEqual(try fileNames, (names + ["lines.jsonl", "copy.kivo"]).sorted())
    }

    /// The leftovers of a killed import are ignored, and the import starts from the beginning.
    func testAnImportThatWasKilledBefore() throws {
        try Data(try export().utf8).write(to: lines)
        try Data(repeating: 7, count: 10_000).write(to: URL(fileURLWithPath: copy.path + ".unfinished"))
        XCTAssertEqual(run("import", lines.path, copy.path).code, .success)
        XCTAssertEqual(run("verify", copy.path).code, .success)
    }

    func testAnExportWithoutObjects() throws {
        try withRealm(schemaVersion: 4) { _ in }
        let export = run("export", file.path).output
        try Data(export.utf8).write(to: lines)
        XCTAssertEqual(run("import", lines.path, copy.path).code, .success)
        XCTAssertEqual(run("export", copy.path).output, export)
        XCTAssertEqual(try schemaVersionAtURL(copy), 4)
    }

    // MARK: Lines

    func testLinesOfAllLengths() throws {
        let texts = [0, 1, 262_143, 262_144, 3, 262_145, 700_000, 0, 0, 5].map {
            String(repeating: "x", count: $0)
        }
        for end in ["", "\n", "\n\n"] {
            try Data((texts.joined(separator: "\n") + end).utf8).write(to: lines)
            var reader = try LineReader(lines.path)
            var found: [Int] = []
            while let count = try reader.next({ $0.count }) { found.append(count) }
            XCTAssertEqual(found, texts.map(\.count).filter { $0 > 0 })
            XCTAssertEqual(reader.number, found.count)
            XCTAssertNil(try reader.next { $0.count })
        }
    }
}
