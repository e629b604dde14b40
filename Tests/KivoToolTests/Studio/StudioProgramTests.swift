#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation
import Kivo
import KivoJournal
import XCTest

@testable import KivoTool

/// The studio as a program of its own.
final class StudioProgramTests: ToolTestCase {
    /// A studio in a process, with a client of its page.
    private final class Program {
        let process = Process()
        let port: UInt16
        private(set) var secret = ""

        init(_ program: URL, _ file: URL) throws {
            let pipe = Pipe()
            process.executableURL = program
            process.arguments = ["studio", file.path]
            process.standardOutput = pipe
            try process.run()
            let line = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
            let address = try XCTUnwrap(URL(string: line.trimmingCharacters(in: .newlines)), line)
            port = UInt16(address.port ?? 0)
            let token = try XCTUnwrap(address.fragment).dropFirst("token=".count)
            let session = try post("session", ["token": String(token)])
            secret = try XCTUnwrap(session["secret"] as? String)
        }

        deinit { end() }

        func end() {
            process.terminate()
            process.waitUntilExit()
        }

        private func send(_ method: String, _ path: String, _ body: Data = Data()) throws -> RawConnection {
            let connection = try RawConnection(port: port)
            connection.send(
                "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAuthorization: Bearer \(secret)\r\n"
                    + "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n")
            connection.send(Array(body))
            return connection
        }

        func open(_ path: String) throws -> RawConnection { try send("GET", path) }

        func live(_ name: String) throws -> EventReader { try EventReader(open("/api/live?class=\(name)")) }

        func get(_ path: String) throws -> [String: Any] {
            try StudioProgramTests.json(send("GET", "/api/" + path))
        }

        func post(_ path: String, _ body: [String: Any]) throws -> [String: Any] {
            let connection = try send("POST", "/api/" + path, JSONSerialization.data(withJSONObject: body))
            return try StudioProgramTests.json(connection)
        }
    }

    private static func json(_ connection: RawConnection) throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: XCTUnwrap(connection.readBody())) as? [String: Any] ?? [:]
    }

    private func start(_ shown: URL? = nil) throws -> Program {
        let program = try ProgramTests.builtProgram()
        return try Program(program, shown ?? file)
    }

    func testItIsEndedByASignal() throws {
        try makePets()
        let built = try ProgramTests.builtProgram()
        // The page is part of the program, wherever that is.
        let moved = folder.appendingPathComponent("moved")
        try FileManager.default.copyItem(at: built, to: moved)
        let studio = try Program(moved, file)
        XCTAssertEqual(try studio.open("/").readStatus(), 200)
        studio.end()
        XCTAssertEqual(studio.process.terminationReason, .exit)
        XCTAssertEqual(studio.process.terminationStatus, 0)
    }

    /// What a browser keeps belongs to a port.
    func testAFileHasAPortOfItsOwn() throws {
        try makePets()
        let first = try start()
        let second = try start()
        XCTAssertNotEqual(first.port, second.port)
        first.end()
        XCTAssertEqual(try start().port, first.port)
    }

    func testItShowsARealmFile() throws {
        let fixture = Self.realmFile("links-1")
        let file = try start(fixture).get("file")
        XCTAssertEqual(file["isWritable"] as? Bool, false)
        let person = (file["classes"] as? [[String: Any]])?.first { $0["name"] as? String == "Person" }
        XCTAssertEqual(person?["count"] as? Int, 12)
        XCTAssertEqual(run("studio", fixture.path, "--writable").code, .usage)
    }

    func testWhatItRefuses() throws {
        try makePets()
        XCTAssertEqual(run("studio", file.path, "--port", "99999").code, .usage)
        XCTAssertEqual(run("studio", file.path, "--port", "x").code, .usage)
        XCTAssertEqual(run("studio", folder.appendingPathComponent("none.kivo").path).code, .problem)
        let other = folder.appendingPathComponent("other.txt")
        try Data("This is no realm, and long enough to be read as one.".utf8).write(to: other)
        XCTAssertEqual(run("studio", other.path).code, .problem)
    }

    /// Damages some of the leaves of the file, nearly all of which are those of dogs.
    private func damage(_ isChosen: (Int) -> Bool) throws {
        var bytes = [UInt8](try Data(contentsOf: file))
        let pages = PageSeal.pages(of: bytes).flatMap(\.pages)
        XCTAssertGreaterThan(pages.count, 40)
        // Inner nodes follow their children.
        for index in pages.indices.dropLast(8) where isChosen(index) {
            bytes[pages[index].upperBound - 9] ^= 1
        }
        try Data(bytes).write(to: file)
    }

    private static let count = 15_000

    private func makeDogs() throws {
        var configuration = Realm.Configuration(fileURL: file, objectTypes: Self.classes)
        configuration.checkpoints.smallestTailOfClosing = 1
        let realm = try Realm(configuration: configuration)
        try realm.write {
            for age in 0..<Self.count { realm.add(ToolDog(value: ["name": "Kit", "age": age])) }
            realm.add(ToolPerson(value: ["id": 1, "name": "Ann"]))
        }
    }

    /// What is damaged is said where it is met, and everything else goes on.
    func testADamagedPageIsASentence() throws {
        try makeDogs()
        try damage { $0 == 20 }
        let studio = try start()
        let dogs = try studio.live("ToolDog")
        let view = try XCTUnwrap(try dogs.next("begin")["view"] as? Int)
        let export = try XCTUnwrap(
            try studio.post("export", ["view": view, "format": "csv"])["path"] as? String)
        var message: String?
        for offset in stride(from: 0, to: Self.count, by: 100) where message == nil {
            message =
                try studio.get("rows?class=ToolDog&view=\(view)&offset=\(offset)&count=100")["message"]
                as? String
        }
        XCTAssertTrue(
            message?.hasPrefix("The realm file '\(file.path)' is damaged at byte") == true, message ?? "")
        // The stream says why it ends, and the next one why there is none.
        XCTAssertEqual(try dogs.next("problem")["message"] as? String, message)
        XCTAssertEqual(try studio.get("live?class=ToolDog")["message"] as? String, message)
        let download = try studio.open(export)
        let text = download.readAll()
        XCTAssertTrue(text.hasPrefix("HTTP/1.1 200"), String(text.prefix(100)))
        XCTAssertFalse(text.hasSuffix("0\r\n\r\n"), "the export is not complete")
        // The other class is shown, and followed.
        let people = try studio.live("ToolPerson")
        let other = try XCTUnwrap(try people.next("begin")["view"] as? Int)
        XCTAssertEqual((try studio.get("rows?class=ToolPerson&view=\(other)")["rows"] as? [Any])?.count, 1)
        try withRealm { realm in
            try realm.write { realm.add(ToolPerson(value: ["id": 2, "name": "Bob"])) }
        }
        XCTAssertEqual(try people.next("change")["count"] as? Int, 2)
        XCTAssertTrue(studio.process.isRunning)
    }

    /// Dozens of damaged pages, met by requests at once, neither end the program nor let one wait.
    func testManyDamagedPagesAreSentences() throws {
        try makeDogs()
        try damage { $0 > 4 }
        let studio = try start()
        var refused = 0
        for key in stride(from: 0, to: Self.count, by: 200) {
            let answer = try studio.get("object?class=ToolDog&key=\(key)")
            XCTAssertTrue(answer["values"] != nil || answer["message"] != nil)
            if answer["message"] != nil { refused += 1 }
        }
        XCTAssertGreaterThan(refused, 20)
        // More is damaged than threads may be lost for: the page says so.
        XCTAssertTrue((try studio.get("file")["message"] as? String)?.contains("is damaged at byte") == true)
        XCTAssertEqual(try studio.open("/").readStatus(), 200)
    }
}
#endif
