import Foundation
import Kivo
import XCTest

/// The first call of an observer comes whatever happens before it.
final class FirstCallTests: RealmTestCase {
    func testAfterATurnInsideOfAWriteThatIsCancelled() throws {
        let realm = try openRealm()
        try realm.write { realm.add(Dog()) }
        var calls: [String] = []
        let token = realm.objects(Dog.self).observe { calls.append(self.text($0)) }
        realm.beginWrite()
        serveRunLoop()
        realm.cancelWrite()
        wait("the first call") { !calls.isEmpty }
        XCTAssertEqual(calls, ["initial"])
        token.invalidate()
    }

    func testAfterATurnInsideOfAWriteThatIsCommitted() throws {
        let realm = try openRealm()
        var calls: [String] = []
        let token = realm.objects(Dog.self).observe { calls.append(self.text($0)) }
        realm.beginWrite()
        serveRunLoop()
        realm.add(Dog())
        try realm.commitWrite()
        wait("the update") { calls.count == 2 }
        XCTAssertEqual(calls, ["initial", "-[] +[0] ~[]"])
        token.invalidate()
    }

    func testAfterAWriteThatThrows() throws {
        let realm = try openRealm()
        var calls: [String] = []
        let token = realm.objects(Dog.self).observe { calls.append(self.text($0)) }
        XCTAssertThrowsError(
            try realm.write {
                realm.add(Dog())
                serveRunLoop()
                throw Refusal()
            })
        wait("the first call") { !calls.isEmpty }
        XCTAssertEqual(calls, ["initial"])
        XCTAssertEqual(realm.objects(Dog.self).count, 0)
        token.invalidate()
    }

    /// The refresh that another thread's commit requests is skipped inside the write; observers are notified of the change all
    /// the same.
    func testAChangeFromElsewhereAfterATurnInsideOfAWrite() throws {
        let realm = try openRealm()
        var calls: [String] = []
        let token = realm.objects(Dog.self).observe { calls.append(self.text($0)) }
        realm.refresh()
        try writeElsewhere { $0.add(Dog()) }
        realm.beginWrite()
        serveRunLoop()
        realm.cancelWrite()
        wait("the change") { calls.count == 2 }
        XCTAssertEqual(calls, ["initial", "-[] +[0] ~[]"])
        token.invalidate()
    }
}

private struct Refusal: Error {}
