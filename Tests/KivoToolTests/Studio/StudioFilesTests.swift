#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation
import Kivo
import KivoJournal
import XCTest

@testable import KivoTool

/// A program that shows several files.
final class StudioFilesTests: StudioPageTestCase {
    private var other: URL { folder.appendingPathComponent("other.kivo") }

    private func makeOther() throws {
        try withRealm(other) { realm in try realm.write { realm.add(ToolDog(value: ["name": "Other"])) } }
    }

    /// Serves the other file beside the one of the test, and returns its studio.
    private func serveOther() throws -> StudioService {
        let second = try StudioService(other.path, in: service.files)
        second.start()
        return second
    }

    func testAPageGetsAddressesOfTheOthers() throws {
        try makePets()
        try makeOther()
        try serve()
        XCTAssertEqual(try get("/api/files")["files"] as? [String], [file.path])
        let second = try serveOther()
        defer { second.stop() }
        let list = try get("/api/files")
        XCTAssertEqual(list["files"] as? [String], [file.path, other.path])
        XCTAssertEqual(list["current"] as? Int, 0)
        let answer = try request("/api/open", post: ["file": 1])
        let address = try XCTUnwrap(URL(string: try XCTUnwrap(answer.json["address"] as? String)))
        XCTAssertEqual(address.port, Int(second.server.port))
        XCTAssertNotEqual(second.server.port, port)
        let token = String(try XCTUnwrap(address.fragment).dropFirst("token=".count))
        // The other server takes it once, and this one does not. The printed one stays valid.
        XCTAssertEqual(try request("/api/session", post: ["token": token], isAuthorized: false).status, 403)
        let secret = try XCTUnwrap(second.access.exchange(token))
        XCTAssertFalse(secret.wasPrinted)
        XCTAssertFalse(authorization.contains(secret.secret), "each file has a secret of its own")
        XCTAssertNil(second.access.exchange(token))
        let printed = try XCTUnwrap(second.access.address.components(separatedBy: "#token=").last)
        XCTAssertEqual(second.access.exchange(printed)?.wasPrinted, true)
        // The newest of many unused ones are valid.
        let addresses = try (0..<20).map { _ in
            try XCTUnwrap(try request("/api/open", post: ["file": 1]).json["address"] as? String)
        }
        let works = addresses.map {
            second.access.exchange($0.components(separatedBy: "#token=").last!) != nil
        }
        XCTAssertEqual(works.filter { $0 }.count, 8)
        XCTAssertTrue(works.suffix(8).allSatisfy { $0 })
        XCTAssertEqual(try request("/api/open", post: ["file": 2]).status, 404)
        XCTAssertEqual(try request("/api/open", post: ["file": -1]).status, 404)
        XCTAssertEqual(try request("/api/open", post: ["file": 1], isAuthorized: false).status, 401)
        XCTAssertEqual(try request("/api/files", isAuthorized: false).status, 401)
        XCTAssertEqual(
            try request(
                "/api/open", post: ["file": 1], headers: ["Origin": "http://127.0.0.1:\(second.server.port)"]
            )
            .status, 403)
    }

    func testTheMenuLeadsToAnotherFile() throws {
        try makePets()
        try makeOther()
        try show("/class/ToolDog")
        try browser.wait("document.querySelector('.layer .row')")
        XCTAssertEqual(try browser.count(".files"), 0, "there is one file")
        let second = try serveOther()
        defer { second.stop() }
        try browser.run("location.reload()")
        try browser.wait("document.querySelector('.files summary')?.innerText.startsWith('test.kivo')")
        try browser.click(".files summary")
        try browser.wait("document.querySelector('.files').open")
        XCTAssertEqual(
            try browser.run(
                "return [...document.querySelectorAll('.files button')].map(some => `${some.innerText} ${some.disabled}`)"
            )
                as? [String], ["test.kivo true", "other.kivo false"])
        try browser.click(".files button:last-child")
        try browser.wait(
            "location.port === '\(second.server.port)' && document.querySelector('.layer .row')?.innerText.includes('Other')"
        )
        XCTAssertEqual(try browser.run("return location.hash") as? String, "#/class/ToolDog")
        XCTAssertEqual(try browser.run("return document.title") as? String, "other.kivo · Kivo Studio")
        // Back leads to the first file, whose page is still known.
        try browser.run("history.back()")
        try browser.wait(
            "location.port === '\(port)' && document.querySelectorAll('.layer .row').length === 2")
    }

    // MARK: The program

    /// Starts the program with files. Returns it, with a reader of its addresses and one of its errors.
    private func start(_ files: [URL]) throws -> (process: Process, lines: FileHandle, errors: FileHandle) {
        let process = Process()
        let (output, errors) = (Pipe(), Pipe())
        process.executableURL = try ProgramTests.builtProgram()
        process.arguments = ["studio"] + files.map(\.path)
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        return (process, output.fileHandleForReading, errors.fileHandleForReading)
    }

    private func lines(_ count: Int, of handle: FileHandle) -> [String] {
        var text = ""
        while text.components(separatedBy: "\n").count <= count {
            let data = handle.availableData
            if data.isEmpty { break }
            text += String(decoding: data, as: UTF8.self)
        }
        return text.split(separator: "\n").map(String.init)
    }

    func testAFileThatCannotBeOpenedDoesNotEndTheOthers() throws {
        try makePets()
        try makeOther()
        let wrong = folder.appendingPathComponent("wrong.kivo")
        try Data("This is no realm, and long enough to be read as one.".utf8).write(to: wrong)
        let missing = folder.appendingPathComponent("none.kivo")
        let studio = try start([file, wrong, missing, other])
        let addresses = lines(2, of: studio.lines)
        XCTAssertEqual(addresses.map { $0.components(separatedBy: "  ").last }, [file.path, other.path])
        XCTAssertEqual(Set(addresses.map { URL(string: $0.components(separatedBy: "  ")[0])?.port }).count, 2)
        studio.process.terminate()
        studio.process.waitUntilExit()
        XCTAssertEqual(studio.process.terminationStatus, 1, "one could not be shown")
        let errors = String(decoding: studio.errors.readDataToEndOfFile(), as: UTF8.self)
        XCTAssertTrue(errors.contains("'\(wrong.path)'") && errors.contains("'\(missing.path)'"), errors)
        let none = try start([wrong, missing])
        none.process.waitUntilExit()
        XCTAssertEqual(none.process.terminationStatus, 1)
    }

    /// Shows damage on the page of its file, and the other file as before.
    func testDamageOfOneFile() throws {
        try makeOther()
        try withRealm { realm in
            try realm.write {
                for age in 0..<20_000 { realm.add(ToolDog(value: ["name": "Dog", "age": age])) }
            }
        }
        XCTAssertEqual(run("compact", file.path).code, .success)
        var bytes = [UInt8](try Data(contentsOf: file))
        for page in PageSeal.pages(of: bytes).flatMap(\.pages).dropLast(8) { bytes[page.upperBound - 9] ^= 1 }
        try Data(bytes).write(to: file)
        let studio = try start([file, other])
        let addresses = lines(2, of: studio.lines)
        func connect(_ line: String) throws -> (port: UInt16, authorization: String) {
            let address = try XCTUnwrap(URL(string: line.components(separatedBy: "  ")[0]))
            let port = UInt16(try XCTUnwrap(address.port))
            let token = try XCTUnwrap(address.fragment).dropFirst("token=".count)
            let body = "{\"token\":\"\(token)\"}"
            let session = try send(
                "POST /api/session", port, "Content-Type: application/json\r\nContent-Length: \(body.count)",
                body)
            return (port, "Authorization: Bearer \(try XCTUnwrap(session["secret"] as? String))")
        }
        let (first, second) = (try connect(addresses[0]), try connect(addresses[1]))
        for _ in 0..<3 {
            let damaged = try send("GET /api/object?class=ToolDog&key=5", first.port, first.authorization)
            XCTAssertTrue((damaged["message"] as? String)?.contains("damaged") == true, "\(damaged)")
            let intact = try send("GET /api/object?class=ToolDog&key=1", second.port, second.authorization)
            XCTAssertEqual(intact["label"] as? String, "Other")
        }
        studio.process.terminate()
        studio.process.waitUntilExit()
        XCTAssertEqual(studio.process.terminationStatus, 0)
    }

    private func send(
        _ line: String, _ port: UInt16, _ headers: String, _ body: String = ""
    ) throws -> [String: Any] {
        let connection = try RawConnection(port: port)
        connection.send("\(line) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(headers)\r\n\r\n\(body)")
        return try JSONSerialization.jsonObject(with: XCTUnwrap(connection.readBody())) as? [String: Any]
            ?? [:]
    }

    func testWhatItRefuses() throws {
        try makePets()
        try makeOther()
        let fixture = Self.realmFile("links-1").path
        for (words, message) in [
            ([file.path, file.path], "is given twice"),
            ([file.path, folder.path + "/./test.kivo"], "is given twice"),
            (
                [file.path, other.path, "--port", "8080"],
                "'--port' is for one file; of several, each has its own"
            ),
            ([fixture, file.path, "--writable"], "a .realm file is only looked at"), ([], "FILE is missing"),
        ] {
            let answer = run(["studio"] + words)
            XCTAssertEqual(answer.code, .usage, "\(words)")
            XCTAssertTrue(answer.errors.contains(message), answer.errors)
        }
    }
}
#endif
