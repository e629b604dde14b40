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

    func testATaskThatWaitsForARefresh() throws {
        let realm = try openRealm()
        realm.autorefresh = false
        XCTAssertTrue(realm.isEmpty)
        let configuration = configuration
        try writeElsewhere { $0.add(AsyncDog()) }
        serveRunLoop()
        let (asked, isDone) = (Done(), Done())
        Task { @MainActor in
            let realm = try Realm(configuration: configuration, queue: .main)
            asked.set()
            await realm.asyncRefresh()
            isDone.set()
        }
        var calls = 0
        let token = realm.observe { notification, _ in
            guard notification == .didChange else { return }
            calls += 1
            self.serveFor(0.05)
            XCTAssertFalse(isDone.isSet, "its turn came inside of the callback")
        }
        // Behind the task and before the turn that it asks for.
        DispatchQueue.main.async {
            XCTAssertTrue(asked.isSet)
            MainActor.assumeIsolated { _ = try? Realm(configuration: configuration, queue: .main).refresh() }
        }
        wait("the task to go on") { isDone.isSet }
        XCTAssertEqual(calls, 1)
        token.invalidate()
    }
}
