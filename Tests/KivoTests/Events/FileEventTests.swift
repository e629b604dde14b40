import Foundation
import KivoTesting
import XCTest

@testable import Kivo

/// Events of files: checkpoints, and the trace.
final class FileEventTests: FileTestCase {
    private let heard = Shared<[Realm.Event]>([])

    override func tearDown() { Realm.events = nil }

    func testTheClosingCheckpointIsTold() throws {
        let (heard, url) = (heard, folder.appendingPathComponent("a.kivo"))
        Realm.events = { event in
            if event.realm == url.path { heard.update { $0.append(event) } }
        }
        try withRealm(Realm.Configuration(fileURL: url)) { realm in
            try realm.write { for age in 0..<50_000 { realm.create(Dog.self, value: ["age": age]) } }
        }
        try FileTestCase.waitUntilClosed(url)
        Events.finish()
        let told = heard.value.compactMap { if case .checkpoint(let told) = $0.kind { told } else { nil } }
        let commits = heard.value.compactMap { if case .commit(let commit) = $0.kind { commit } else { nil } }
        XCTAssertEqual(told.count, 1)
        XCTAssertNil(told.first?.failure)
        XCTAssertEqual(told.first?.version, commits.last?.version)
    }

    /// A file of JSON lines that tracing tools read: the array's end may be missing.
    func testTheTrace() throws {
        let path = folder.appendingPathComponent("trace.json").path
        let trace = try XCTUnwrap(ChromeTrace(path))
        let name = name
        Realm.events = { event in if event.realm == name { trace.write(event) } }
        let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: name))
        let token = realm.objects(Dog.self).where { $0.name != "\"" }.observe { _ in }.named("say \"hi\"")
        realm.refresh()
        try realm.write { realm.create(Dog.self) }
        realm.refresh()
        token.invalidate()
        Events.finish()
        let text = try String(contentsOfFile: path, encoding: .utf8)
        XCTAssertTrue(text.hasPrefix("[\n{"))
        XCTAssertTrue(text.hasSuffix("},\n"))
        let events = try XCTUnwrap(
            JSONSerialization.jsonObject(with: Data((text.dropLast(2) + "]").utf8)) as? [[String: Any]])
        XCTAssertEqual(
            events.compactMap { $0["cat"] as? String }, ["delivery", "commit", "delivery"])
        var end = 0.0
        for event in events {
            XCTAssertEqual(event["ph"] as? String, "X")
            XCTAssertEqual(event["tid"] as? Int, 1)
            let (start, duration) = try (
                XCTUnwrap(event["ts"] as? Double), XCTUnwrap(event["dur"] as? Double)
            )
            XCTAssertGreaterThanOrEqual(start, end)
            XCTAssertGreaterThanOrEqual(duration, 0)
            end = start + duration
        }
    }

    func testATraceThatCannotBeWritten() {
        XCTAssertNil(ChromeTrace(folder.appendingPathComponent("none/trace.json").path))
    }
}
