import Kivo
import KivoSwiftUI
import XCTest

/// Tests of `@AutoOpen`.
@MainActor
final class OpeningStorageTests: ViewTestCase {
    private func realm(of storage: OpeningStorage) -> Realm? {
        if case .open(let realm) = storage.state { realm } else { nil }
    }

    private func error(of storage: OpeningStorage) -> (any Error)? {
        if case .error(let error) = storage.state { error } else { nil }
    }

    func testTheFirstReadOpensAndTheViewIsTold() async throws {
        let storage = OpeningStorage(configuration)
        let view = view(of: storage.relay)
        guard case .connecting = storage.state else { return XCTFail("it is not being opened") }
        try await wait(until: { view.count == 1 })
        let opened = try XCTUnwrap(realm(of: storage))
        XCTAssertEqual(opened, realm, "it belongs to the main actor")
        try opened.write { opened.add(Pup()) }
    }

    func testWhatCannotBeOpenedIsAnError() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("no.kivo")
        try Data("no realm, but text that is long enough".utf8).write(to: file)
        let storage = OpeningStorage(Realm.Configuration(fileURL: file))
        let view = view(of: storage.relay)
        _ = storage.state
        try await wait(until: { view.count == 1 })
        XCTAssertTrue(error(of: storage) is Realm.Error)
    }

    func testAnotherConfigurationOpensAnew() async throws {
        let other = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)
        let storage = OpeningStorage(nil)
        storage.update(nil, environment: configuration)
        let view = view(of: storage.relay)
        _ = storage.state
        // Before the first opening has ended.
        storage.update(nil, environment: other)
        try await wait(until: { view.count == 1 })
        XCTAssertEqual(realm(of: storage)?.configuration, other)
        storage.update(nil, environment: other)
        XCTAssertNotNil(realm(of: storage))
        storage.update(configuration, environment: other)
        XCTAssertNil(realm(of: storage))
        try await wait(until: { view.count == 2 })
        XCTAssertEqual(realm(of: storage)?.configuration, configuration)
        try await Task.sleep(for: .milliseconds(50))
        XCTAssertEqual(view.count, 2, "the opening that was replaced tells nobody")
    }

    func testCancellingLeavesTheState() async throws {
        let storage = OpeningStorage(configuration)
        let view = view(of: storage.relay)
        _ = storage.state
        storage.cancel()
        try await Task.sleep(for: .milliseconds(50))
        XCTAssertEqual(view.count, 0)
        XCTAssertNil(realm(of: storage))
    }
}
