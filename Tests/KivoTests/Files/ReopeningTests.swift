import Foundation
import KivoEngine
import XCTest

@testable import Kivo

/// Opening, deleting and salvaging right after the release of the last realm, while a checkpoint or another thread still retains the
/// file's store.
final class ReopeningTests: FileTestCase {
    /// A configuration with a checkpoint in the background after each commit.
    private var busy: Realm.Configuration {
        var busy = configuration
        (busy.checkpoints.smallestTail, busy.checkpoints.tailShare) = (1, 1 << 10)
        // The release does not wait for the checkpoint.
        busy.closingTimeLimit = 0
        return busy
    }

    /// Calls `body` while another thread looks at the store of the file, again and again.
    private func whileOthersLook(_ body: () throws -> Void) rethrows {
        let (configuration, end) = (configuration, DispatchSemaphore(value: 0))
        let thread = Thread {
            while !Thread.current.isCancelled { try? Realm.waitUntilClosed(for: configuration, timeout: 0) }
            end.signal()
        }
        thread.start()
        defer {
            thread.cancel()
            end.wait()
        }
        try body()
    }

    func testWithAnotherSchemaVersionAndPermission() throws {
        try whileOthersLook {
            for round in 1...150 {
                var next = busy
                next.schemaVersion = UInt64(round)
                next.migrationBlock = { _, _ in }
                try withRealm(next) { realm in
                    try realm.write { _ = realm.create(Dog.self, value: ["name": "\(round)"]) }
                }
                next.readOnly = true
                try withRealm(next) { XCTAssertEqual($0.objects(Dog.self).count, round) }
            }
        }
    }

    /// Several threads wait for the same store to close, and share the next one.
    func testSeveralThreadsWithTheNextSchemaVersion() throws {
        for round in 1...40 {
            var next = busy
            next.schemaVersion = UInt64(round)
            next.migrationBlock = { _, _ in }
            let count = Lock(0)
            let configuration = next
            DispatchQueue.concurrentPerform(iterations: 3) { _ in
                do {
                    let realm = try Realm(configuration: configuration)
                    try realm.write { _ = realm.create(Dog.self, value: ["name": "\(round)"]) }
                    count.withLock { $0 += 1 }
                } catch {
                    XCTFail("\(round): \(error)")
                }
            }
            XCTAssertEqual(count.withLock { $0 }, 3)
        }
    }

    func testDeletingAndSalvaging() throws {
        let rescued = folder.appendingPathComponent("rescued.kivo")
        try whileOthersLook {
            for _ in 0..<50 {
                try withRealm(busy) { realm in
                    try realm.write { _ = realm.create(Dog.self, value: ["name": "Rex"]) }
                }
                try Realm.salvage(contentsOf: file, to: rescued)
                try FileManager.default.removeItem(at: rescued)
                try withRealm(busy) { realm in try realm.write { realm.deleteAll() } }
                XCTAssertTrue(try Realm.deleteFiles(for: configuration))
            }
        }
    }
}
