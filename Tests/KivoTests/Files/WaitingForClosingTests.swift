import Foundation
import Kivo
import XCTest

/// `Realm.waitUntilClosed(for:timeout:)`, which says whether a file is closed, and where it is held if it is not.
final class WaitingForClosingTests: FileTestCase {
    private func message(_ configuration: Realm.Configuration? = nil) -> String? {
        do {
            try Realm.waitUntilClosed(for: configuration ?? self.configuration, timeout: 0.01)
            return nil
        } catch let error as Realm.Error {
            XCTAssertEqual(error.code, .alreadyOpen)
            return error.message
        } catch {
            return "\(error)"
        }
    }

    func testAFileThatIsNotOpenIsClosed() throws {
        XCTAssertNil(message())
        try commit(["Rex"])
        XCTAssertNil(message())
        // The check has opened and created nothing.
        XCTAssertFalse(
            FileManager.default.fileExists(atPath: folder.appendingPathComponent("other.kivo").path))
        XCTAssertNil(message(Realm.Configuration(fileURL: folder.appendingPathComponent("other.kivo"))))
    }

    func testAnOpenFileIsHeldByItsRealmsAndTheirObjects() throws {
        var realm: Realm? = try Realm(configuration: configuration)
        XCTAssertTrue(try XCTUnwrap(message()).contains("open on the main thread, with"), message() ?? "")
        var dogs: Results<Dog>? = realm?.objects(Dog.self)
        realm = nil
        XCTAssertNotNil(message())
        let token = dogs?.observe { _ in }
        dogs = nil
        XCTAssertNotNil(message())
        token?.invalidate()
        XCTAssertNil(message())
        // Now nothing keeps it from being deleted.
        XCTAssertTrue(try Realm.deleteFiles(for: configuration))
    }

    func testEachPlaceIsNamedOnce() throws {
        let queue = DispatchQueue(label: "dogs")
        let opened = try queue.sync { [configuration] in
            QueueRealm(try Realm(configuration: configuration, queue: queue))
        }
        let realm = try Realm(configuration: configuration)
        let text = try XCTUnwrap(message())
        XCTAssertTrue(text.contains("open on a dispatch queue, on the main thread, with"), text)
        XCTAssertTrue(text.contains(file.path), text)
        queue.sync { opened.release() }
        XCTAssertTrue(try XCTUnwrap(message()).contains("open on the main thread, with"))
        withExtendedLifetime(realm) {}
    }

    func testFrozenValuesHoldAFile() throws {
        try commit(["Rex"])
        var frozen: Results<Dog>? = try withRealm { $0.objects(Dog.self).freeze() }
        XCTAssertTrue(try XCTUnwrap(message()).contains("Frozen values keep it open"))
        XCTAssertEqual(frozen?.count, 1)
        frozen = nil
        XCTAssertNil(message())
    }

    func testQueuedWritesAreCarriedOutBefore() throws {
        try withRealm { realm in
            _ = realm.writeAsync { realm.create(Dog.self, value: ["name": "Rex"]) }
        }
        XCTAssertNotNil(message())
        let end = Date() + 120
        while message() != nil, Date() < end {
            _ = RunLoop.main.run(mode: .default, before: Date() + 0.01)
        }
        XCTAssertEqual(try names(), ["Rex"])
    }

    func testAnActorClosesItsFile() async throws {
        let keeper = ClosingKeeper()
        try await keeper.open(configuration)
        XCTAssertTrue(
            try XCTUnwrap(message()).contains("on an actor of type ClosingKeeper"), message() ?? "")
        await keeper.close()
        XCTAssertNil(message())
    }

    func testDataInMemoryAreGoneWhenTheyAreClosed() throws {
        let configuration = Realm.Configuration(inMemoryIdentifier: name)
        var realm: Realm? = try Realm(configuration: configuration)
        try realm?.write { realm?.create(Dog.self) }
        XCTAssertTrue(try XCTUnwrap(message(configuration)).contains("in memory of identifier '\(name)'"))
        realm = nil
        XCTAssertNil(message(configuration))
    }

    /// Waits on another thread while this one still has the realm open.
    func testWaitingEndsWithTheLastRelease() throws {
        var realm: Realm? = try Realm(configuration: configuration)
        let (began, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let failure = Shared<String?>(nil)
        Thread { [configuration] in
            began.signal()
            do { try Realm.waitUntilClosed(for: configuration, timeout: 120) } catch {
                failure.update { $0 = "\(error)" }
            }
            ended.signal()
        }.start()
        began.wait()
        XCTAssertEqual(ended.wait(timeout: .now() + 0.02), .timedOut)
        XCTAssertEqual(realm?.objects(Dog.self).count, 0)
        realm = nil
        ended.wait()
        XCTAssertNil(failure.value)
    }
}

/// An actor with a realm of its own.
private actor ClosingKeeper {
    private var realm: Realm?

    func open(_ configuration: Realm.Configuration) async throws {
        realm = try await Realm.open(configuration: configuration)
    }

    func close() { realm = nil }
}

/// A realm of a queue; used and released there only.
private final class QueueRealm: @unchecked Sendable {
    private var realm: Realm?

    init(_ realm: Realm) { self.realm = realm }

    func release() { realm = nil }
}
