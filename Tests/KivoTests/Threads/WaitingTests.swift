#if !os(Windows)

import Foundation
import Kivo
import KivoEngine
import KivoJournal
import XCTest

/// Writes that wait for others: for how long, and what is said of it.
final class WaitingTests: FileTestCase {
    private func configuration(_ timeout: TimeInterval?) -> Realm.Configuration {
        var configuration = configuration
        configuration.lockTimeout = timeout
        return configuration
    }

    // MARK: Timeouts

    func testAWriteThatIsOpenOnAnotherThreadIsWaitedForAsLongAsAllowed() throws {
        var memory = Realm.Configuration(inMemoryIdentifier: "WaitingTests")
        memory.lockTimeout = 0.02
        for configuration in [configuration(0.02), memory] {
            try withRealm(configuration) { realm in
                realm.beginWrite()
                realm.add(Dog(value: ["name": "first"]))
                try onAnotherThread {
                    let realm = try Realm(configuration: configuration)
                    for _ in 0..<3 {
                        XCTAssertThrowsError(try realm.write { XCTFail("the block is not called") }) {
                            XCTAssertEqual(($0 as? Realm.Error)?.code, .lockTimeout, "\($0)")
                            XCTAssert("\($0)".contains("0.02 seconds"), "\($0)")
                        }
                        XCTAssertFalse(realm.isInWriteTransaction)
                    }
                }
                try realm.commitWrite()
                try onAnotherThread {
                    let realm = try Realm(configuration: configuration)
                    try realm.write { realm.add(Dog(value: ["name": "second"])) }
                    XCTAssertEqual(realm.objects(Dog.self).map(\.name), ["first", "second"])
                }
            }
        }
    }

    /// Threads that are in time, behind one that is not: none of them is lost in the line.
    func testOthersGetThePlaceOfOneThatGaveUp() throws {
        let configuration = configuration(nil)
        var impatient = configuration
        impatient.lockTimeout = 0.01
        let given = impatient
        try withRealm(configuration) { realm in
            realm.beginWrite()
            let done = DispatchGroup()
            for index in 0..<6 {
                done.enter()
                Thread {
                    defer { done.leave() }
                    guard let realm = try? Realm(configuration: index % 2 == 0 ? given : configuration) else {
                        return XCTFail("opening")
                    }
                    do {
                        try realm.write { realm.add(Dog(value: ["name": "\(index)"])) }
                    } catch Realm.Error.lockTimeout {
                    } catch { XCTFail("\(error)") }
                }.start()
            }
            Thread.sleep(forTimeInterval: 0.1)
            try realm.commitWrite()
            done.wait()
        }
        let names = try names()
        XCTAssertTrue(Set(names).isSuperset(of: ["1", "3", "5"]), "\(names)")
    }

    /// A realm whose queue is busy is offered the place, and a blocked thread takes it first. The realm is the next one
    /// then, before those that asked after it.
    func testAnOvertakenOfferIsTheNextOne() throws {
        let memory = Realm.Configuration(inMemoryIdentifier: "WaitingTests")
        for configuration in [configuration, memory] {
            let order = Shared<[String]>([])
            let done = DispatchGroup()
            let (busy, free) = (AsyncWriter("busy", configuration), AsyncWriter("free", configuration))
            let go = DispatchSemaphore(value: 0)
            try withRealm(configuration) { realm in
                realm.beginWrite()
                for writer in [busy, free] { try writer.write(order, done) }
                busy.queue.async { go.wait() }
                try realm.commitWrite()
            }
            try onAnotherThread {
                let realm = try Realm(configuration: configuration)
                try realm.write { order.update { $0.append("blocked") } }
            }
            go.signal()
            XCTAssertEqual(done.wait(timeout: .now() + 120), .success)
            XCTAssertEqual(order.value, ["blocked", "busy", "free"])
            for writer in [busy, free] { writer.end() }
        }
    }

    /// A realm on a queue of its own that writes asynchronously.
    private final class AsyncWriter: @unchecked Sendable {
        let name: String
        let queue: DispatchQueue
        private let configuration: Realm.Configuration
        // Proof: it is used on the queue only.
        private var realm: Realm?

        init(_ name: String, _ configuration: Realm.Configuration) {
            (self.name, self.configuration) = (name, configuration)
            queue = DispatchQueue(label: name)
        }

        /// Requests a write that notes its turn. Returns after the request.
        func write(_ order: Shared<[String]>, _ done: DispatchGroup) throws {
            done.enter()
            try queue.sync {
                let realm = try Realm(configuration: configuration, queue: queue)
                self.realm = realm
                realm.writeAsync { [name] in
                    order.update { $0.append(name) }
                } onComplete: { _ in
                    done.leave()
                }
            }
        }

        func end() { queue.sync { realm = nil } }
    }

    func testAnotherProcessIsWaitedForAsLongAsAllowed() throws {
        try commit(["a"])
        let other = try FileDevice.open(path: file.path, isShared: true)
        defer { other.close() }
        try withRealm(configuration(0.02)) { realm in
            try other.sharing!.lock()
            assertError(.lockTimeout, says: [file.path, "has been writing the file"]) {
                try realm.write { XCTFail("the block is not called") }
            }
            XCTAssertFalse(realm.isInWriteTransaction)
            #if os(Linux)
            assertError(.lockTimeout, says: ["process \(getpid())"]) { try realm.write {} }
            #endif
            realm.beginWrite()
            realm.add(Dog(value: ["name": "lost"]))
            assertError(.lockTimeout) { try realm.commitWrite() }
            other.sharing!.unlock()
            try realm.write { realm.add(Dog(value: ["name": "b"])) }
            XCTAssertEqual(realm.objects(Dog.self).map(\.name), ["a", "b"])
        }
        try waitUntilFree(other)
        try other.sharing!.lock()
        assertError(.lockTimeout) { _ = try Realm(configuration: configuration(0.02)) }
        other.sharing!.unlock()
        XCTAssertEqual(try names(configuration(0.02)), ["a", "b"])
    }

    #if !canImport(Darwin)
    /// Holds a realm that was opened on a queue.
    private final class Kept: @unchecked Sendable {
        // Proof: it is set on the queue and cleared when nothing runs there any more.
        var realm: Realm?
    }

    /// The write of a queue without references cannot be ended.
    func testTheWriteOfAQueueThatIsGoneIsGivenUp() throws {
        let configuration = Realm.Configuration(inMemoryIdentifier: "WaitingTests")
        let kept = Kept()
        func leaveWrite() throws {
            let queue = DispatchQueue(label: "left")
            try queue.sync {
                let realm = try Realm(configuration: configuration, queue: queue)
                realm.beginWrite()
                realm.add(Dog(value: ["name": "left"]))
                kept.realm = realm
            }
        }
        try leaveWrite()
        try onAnotherThread {
            let realm = try Realm(configuration: configuration)
            try realm.write { XCTAssertTrue(realm.isEmpty, "what was not committed is gone") }
        }
        withExtendedLifetime(kept) {}
    }

    func testAQueueThatIsThereKeepsThePlace() throws {
        let configuration = Realm.Configuration(inMemoryIdentifier: "WaitingTests")
        let kept = Kept()
        let queue = DispatchQueue(label: "kept")
        try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            realm.beginWrite()
            realm.add(Dog(value: ["name": "kept"]))
            kept.realm = realm
        }
        queue.asyncAfter(deadline: .now() + 1.5) {
            do { try kept.realm?.commitWrite() } catch { XCTFail("\(error)") }
            kept.realm = nil
        }
        try onAnotherThread {
            let realm = try Realm(configuration: configuration)
            try realm.write { XCTAssertEqual(realm.objects(Dog.self).map(\.name), ["kept"]) }
        }
        withExtendedLifetime(queue) {}
    }
    #endif

    /// The store of this process is gone.
    private func waitUntilFree(_ device: FileDevice) throws {
        let end = Date() + 120
        while Date() < end {
            if try device.sharing!.tryLock() { return device.sharing!.unlock() }
            usleep(500)
        }
    }

    // MARK: Words

    func testALongWaitIsLogged() throws {
        let lines = Lock<[String]>([])
        let logger = Logger.shared
        defer { Logger.shared = logger }
        Logger.shared = Logger(level: .warn) { _, line in lines.withLock { $0.append(line) } }
        func wait(for words: String) {
            let end = Date() + 60
            while !lines.withLock({ $0.contains { $0.contains(words) } }), Date() < end { usleep(5_000) }
            XCTAssert(lines.withLock { $0.contains { $0.contains(words) } }, words)
        }
        try commit(["a"])
        let (configuration, memory) = (configuration, Realm.Configuration(inMemoryIdentifier: "WaitingTests"))
        let other = try FileDevice.open(path: file.path, isShared: true)
        defer { other.close() }
        try other.sharing!.lock()
        let done = DispatchGroup()
        try withRealm(memory) { realm in
            realm.beginWrite()
            for configuration in [configuration, memory] {
                done.enter()
                Thread {
                    defer { done.leave() }
                    do {
                        let realm = try Realm(configuration: configuration)
                        try realm.write { realm.add(Dog(value: ["name": "b"])) }
                    } catch { XCTFail("\(error)") }
                }.start()
            }
            wait(for: "open on the main thread")
            wait(for: "'\(file.path)' has been waiting for 5 seconds for ")
            realm.cancelWrite()
        }
        other.sharing!.unlock()
        done.wait()
        XCTAssertEqual(try names(), ["a", "b"])
    }

    // MARK: Files of other classes

    func testAFileThatIsOpenElsewhereIsNotDeletedForItsClasses() throws {
        try commit(["a"])
        let other = try FileDevice.open(path: file.path, isShared: true)
        var newer = Realm.Configuration(fileURL: file, schemaVersion: 2)
        newer.deleteRealmIfMigrationNeeded = true
        assertError(.alreadyOpen) { _ = try Realm(configuration: newer) }
        XCTAssertNoThrow(try other.checkName())
        other.close()
        XCTAssertEqual(try names(), ["a"])
        XCTAssertEqual(try names(newer), [])
    }

    // MARK: Verifying

    /// A file is verified as it was at a moment, whatever others do to it meanwhile.
    func testAFileIsVerifiedBesideAWriter() throws {
        var writing = configuration
        writing.checkpoints.allowance = 1 << 12
        writing.checkpoints.smallestTail = 1 << 9
        writing.checkpoints.tailShare = 1 << 10
        let configuration = writing
        try commit(["a"])
        let isDone = Lock(false)
        let ended = DispatchSemaphore(value: 0)
        Thread {
            do {
                let realm = try Realm(configuration: configuration)
                var number = 0
                while !isDone.withLock({ $0 }) {
                    number += 1
                    try realm.write {
                        realm.delete(realm.objects(Dog.self).filter("name ENDSWITH '\(number % 7)'"))
                        for index in 0..<20 { realm.add(Dog(value: ["name": "\(number).\(index)"])) }
                    }
                }
            } catch { XCTFail("\(error)") }
            ended.signal()
        }.start()
        defer {
            isDone.withLock { $0 = true }
            ended.wait()
        }
        for _ in 0..<60 {
            XCTAssertEqual(try Realm.verify(fileURL: file).flaws.map(\.reason), [])
        }
    }
}

#endif
