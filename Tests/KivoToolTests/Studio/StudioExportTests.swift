#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation
import Kivo
import TestRandomness
import XCTest

@testable import KivoTool

/// Exports of what a table shows.
final class StudioExportTests: StudioTestCase {
    private func export(_ view: Int, _ format: String, _ more: String = "") throws -> HTTPAnswer {
        try request("/api/export?view=\(view)&format=\(format)\(more)")
    }

    func testLinesOfJSONAreThoseOfDump() throws {
        try makePets()
        try serve()
        let (events, view) = try open("ToolDog", ["sort": "-name"])
        defer { events.connection.end() }
        let answer = try export(view, "jsonl")
        XCTAssertEqual(answer.headers["Content-Disposition"], "attachment; filename=\"ToolDog.jsonl\"")
        XCTAssertEqual(
            answer.text, run("dump", file.path, "--json", "--class", "ToolDog", "--sort", "-name").output)
        let chosen = try export(view, "jsonl", "&keys=1")
        XCTAssertEqual(chosen.text.split(separator: "\n").count, 1)
        XCTAssertEqual(try export(view, "jsonl", "&keys=1,x").status, 400)
        XCTAssertEqual(try export(view, "table").status, 400)
        XCTAssertEqual(try export(99, "csv").status, 410)
    }

    func testCSVIsThatOfDump() throws {
        try makePets()
        try serve()
        let (events, view) = try open("ToolPerson")
        defer { events.connection.end() }
        XCTAssertEqual(
            try export(view, "csv").text,
            run("dump", file.path, "--format", "csv", "--class", "ToolPerson").output)
    }

    func testManyRowsAreStreamedAsOfOneVersion() throws {
        let count = TestEffort.size(5_000, full: 20_000)
        try withRealm { realm in
            try realm.write {
                for index in 0..<count { realm.add(ToolDog(value: ["name": "Dog \(index)"])) }
            }
        }
        try serve()
        let (events, view) = try open("ToolDog")
        defer { events.connection.end() }
        let connection = try RawConnection(port: port)
        connection.send(
            "GET /api/export?view=\(view)&format=csv HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: \(cookie)\r\nConnection: close\r\n\r\n"
        )
        var text = String(decoding: connection.read(), as: UTF8.self)
        try withRealm { realm in try realm.write { realm.delete(realm.objects(ToolDog.self)) } }
        text += connection.readAll()
        XCTAssertTrue(text.contains("\(count),0,,Dog \(count - 1)"))
        XCTAssertTrue(text.hasSuffix("0\r\n\r\n"))
    }
}
#endif
