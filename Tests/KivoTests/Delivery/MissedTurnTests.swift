import Dispatch
import Foundation
import Kivo
import XCTest

/// A callback may serve its run loop. Turns that come there find the realm busy, and come again behind the callback.
final class MissedTurnTests: RealmTestCase {
    /// Serves the main run loop for a while, as a callback that shows a dialogue does.
    private func serveFor(_ seconds: TimeInterval) {
        let end = Date(timeIntervalSinceNow: seconds)
        while Date() < end { _ = RunLoop.main.run(mode: .default, before: end) }
    }

    func testACommitOfAnotherThreadInsideOfAnObserverOfTheRealm() throws {
        let realm = try openRealm()
        let dogs = realm.objects(AsyncDog.self)
        var counts: [Int] = []
        let token = realm.observe { _, _ in
            counts.append(dogs.count)
            if counts.count > 1 { return }
            self.expectSuccess { try self.writeElsewhere { $0.add(AsyncDog()) } }
            self.serveFor(0.05)
        }
        try realm.write { realm.add(AsyncDog()) }
        wait("the second commit") { counts == [1, 2] }
        token.invalidate()
    }

    /// The completion is called only after the realm has moved back.
    func testACommitThatFailsInsideOfAnObserverOfTheRealm() throws {
        let disk = SmallDisk()
        var configuration = Realm.Configuration(fileURL: URL(fileURLWithPath: "/tmp/\(name).kivo"))
        configuration.makeDevice = { _, _ in disk }
        let realm = try Realm(configuration: configuration)
        realm.autorefresh = false
        let dogs = realm.objects(AsyncDog.self)
        try realm.write { realm.add(AsyncDog()) }
        disk.bytesLeft = 0
        var isCalling = false
        let token = realm.observe { _, _ in
            isCalling = true
            self.serveFor(0.05)
            isCalling = false
        }
        var counts: [Int] = []
        realm.beginWrite()
        realm.add(AsyncDog())
        realm.commitAsyncWrite { error in
            XCTAssertNotNil(error)
            XCTAssertFalse(isCalling)
            counts.append(dogs.count)
        }
        wait("the failure") { counts == [1] }
        token.invalidate()
    }
}
