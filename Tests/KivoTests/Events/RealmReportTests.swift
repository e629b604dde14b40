import Foundation
import KivoTesting
import XCTest

@testable import Kivo

/// What the report and the log say of listeners and versions.
final class RealmReportTests: RealmTestCase {
    private var reported: Realm.Report.OpenRealm? { Realm.report().realms.first { $0.name == name } }

    func testListenersAreListedWithTheirStates() throws {
        let realm = try openRealm()
        let results = realm.objects(Dog.self)
        var tokens = [results.observe { _ in }.named("first")]
        tokens.append(results.observe(pacing: .manual) { _ in }.named("second"))
        tokens.append(results.observe { _ in }.named("third"))
        tokens.append(realm.observe { _, _ in }.named("fourth"))
        realm.refresh()
        let seen = try XCTUnwrap(reported?.newestVersion)
        tokens[2].pause()
        try realm.write { realm.create(Dog.self) }
        realm.refresh()
        let report = try XCTUnwrap(reported)
        XCTAssertEqual(report.listeners.map(\.info.name), ["first", "second", "third", "fourth"])
        XCTAssertEqual(report.listeners.map(\.state), [.listening, .holding, .paused, .listening])
        let newest = report.newestVersion
        XCTAssertEqual(report.listeners.map(\.version), [newest, seen, seen, newest])
        XCTAssertEqual(report.oldestVersion, seen)
        XCTAssertEqual(report.homes, ["on the main thread"])
        XCTAssertTrue(report.listeners.allSatisfy { $0.age >= .zero })
        let text = "\(Realm.report())"
        XCTAssertTrue(text.contains("Realm '\(name)': newest version \(newest), oldest in use \(seen)"), text)
        XCTAssertTrue(text.contains("Results<Dog> \"second\" (KivoTests/RealmReportTests.swift:"), text)
        tokens[0].invalidate()
        tokens[1].invalidate()
        XCTAssertEqual(reported?.listeners.map(\.info.name), ["third", "fourth"])
        tokens.removeAll()
        XCTAssertEqual(reported?.listeners.count, 0)
    }

    func testListenersOfOtherThreadsAreLeftOut() throws {
        let realm = try openRealm()
        let token = realm.objects(Dog.self).observe { _ in }
        realm.refresh()
        let name = name
        try elsewhere { realm in
            let token = realm.objects(Dog.self).observe { _ in }.named("here")
            realm.refresh()
            let report = Realm.report().realms.first { $0.name == name }
            XCTAssertEqual(report?.listeners.map(\.info.name), ["here"])
            XCTAssertEqual(report?.homes.sorted(), ["here", "on the main thread"])
            token.invalidate()
        }
        token.invalidate()
    }

    func testAClosedRealmIsNotReported() throws {
        XCTAssertNotNil(try withExtendedLifetime(openRealm()) { reported })
        XCTAssertNil(reported)
    }

    // MARK: The log

    /// Returns the messages with a part, which `body` causes. A busy machine causes others.
    private func messages(with part: String, _ body: () throws -> Void) rethrows -> [String] {
        let before = Logger.shared
        defer { Logger.shared = before }
        let lines = Shared<[String]>([])
        Logger.shared = Logger(level: .detail) { _, line in lines.update { $0.append(line) } }
        try body()
        return lines.value.filter { $0.contains(part) }
    }

    func testATokenThatEndsAtOnce() throws {
        let realm = try openRealm()
        let lines = messages(with: "its token was released") {
            _ = realm.objects(Dog.self).observe { _ in XCTFail("called") }.named("lost")
            realm.objects(Dog.self).observe { _ in XCTFail("called") }.invalidate()
            let token = realm.objects(Dog.self).observe { _ in }
            realm.refresh()
            withExtendedLifetime(token) {}
        }
        XCTAssertEqual(lines.count, 1, "\(lines)")
        XCTAssertTrue(
            lines.first?.contains("Results<Dog> \"lost\" (KivoTests/RealmReportTests.swift:") ?? false)
    }

    func testAListenerThatHoldsUpTheMainThread() throws {
        let realm = try openRealm()
        let isSlow = Done()
        let token = realm.objects(Dog.self).observe { _ in
            if isSlow.isSet { Thread.sleep(forTimeInterval: 0.02) }
        }
        realm.refresh()
        isSlow.set()
        try realm.write { realm.create(Dog.self) }
        let lines = messages(with: "on the main thread") { realm.refresh() }
        token.invalidate()
        XCTAssertEqual(lines.count, 1, "\(lines)")
        XCTAssertTrue(lines.first?.hasPrefix("Listeners of realm '\(name)' took ") ?? false, "\(lines)")
    }

    func testAVersionThatIsHeldIsToldOnce() {
        var watch = HeldVersionWatch()
        let start = Duration.seconds(1000)
        XCTAssertNil(watch.check(5, at: start))
        XCTAssertNil(watch.check(5, at: start + .seconds(9)))
        XCTAssertEqual(watch.check(5, at: start + .seconds(11)), .seconds(11))
        XCTAssertNil(watch.check(5, at: start + .seconds(30)))
        XCTAssertNil(watch.check(6, at: start + .seconds(31)))
        XCTAssertEqual(watch.check(6, at: start + .seconds(41)), .seconds(10))
    }
}
