#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation
import Kivo
import TestRandomness
import XCTest

@testable import KivoTool

/// Exports of what a table shows.
final class StudioExportTests: StudioTestCase {
    /// Takes an export. Returns the refusal if there is one.
    private func export(_ view: Int, _ format: String, keys: [Int]? = nil) throws -> HTTPAnswer {
        let prepared = try prepare(view, format, keys: keys)
        guard prepared.status == 200 else { return prepared }
        // A browser takes it without headers of the page.
        return try request(try XCTUnwrap(prepared.json["path"] as? String), isAuthorized: false)
    }

    private func prepare(_ view: Int, _ format: String, keys: [Int]? = nil) throws -> HTTPAnswer {
        var body: [String: Any] = ["view": view, "format": format]
        body["keys"] = keys
        return try request("/api/export", post: body)
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
        let chosen = try export(view, "jsonl", keys: [1])
        XCTAssertEqual(chosen.text.split(separator: "\n").count, 1)
        XCTAssertEqual(try export(view, "table").status, 400)
        XCTAssertEqual(try export(99, "csv").status, 410)
    }

    func testAnExportIsTakenOnce() throws {
        try makePets()
        try serve()
        let (events, view) = try open("ToolDog")
        defer { events.connection.end() }
        let path = try XCTUnwrap(try prepare(view, "csv").json["path"] as? String)
        XCTAssertEqual(
            try request("/api/export", post: ["view": view, "format": "csv"], isAuthorized: false).status, 401
        )
        XCTAssertEqual(try request(path, isAuthorized: false).status, 200)
        XCTAssertEqual(try request(path, isAuthorized: false).status, 404)
        XCTAssertEqual(try request("/download/", isAuthorized: false).status, 404)
        _ = try prepare(view, "csv")
    }

    func testASelectionOfThousandsIsExportedAsAWhole() throws {
        try withRealm { realm in
            try realm.write { for index in 0..<3000 { realm.add(ToolDog(value: ["name": "Dog \(index)"])) } }
        }
        try serve()
        let (events, view) = try open("ToolDog")
        defer { events.connection.end() }
        let chosen = try export(view, "jsonl", keys: Array(stride(from: 2, through: 3000, by: 2)))
        XCTAssertEqual(chosen.text.split(separator: "\n").count, 1500)
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
        let path = try XCTUnwrap(try prepare(view, "csv").json["path"] as? String)
        let connection = try RawConnection(port: port)
        connection.send(
            "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(authorization)\r\nConnection: close\r\n\r\n"
        )
        var text = String(decoding: connection.read(), as: UTF8.self)
        try withRealm { realm in try realm.write { realm.delete(realm.objects(ToolDog.self)) } }
        text += connection.readAll()
        XCTAssertTrue(text.contains("\(count),0,,Dog \(count - 1)"))
        XCTAssertTrue(text.hasSuffix("0\r\n\r\n"))
    }
}
#endif
