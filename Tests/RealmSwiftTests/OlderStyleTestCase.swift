import Foundation
import RealmSwift
import XCTest

/// A test with a realm in memory that no other test sees.
class OlderStyleTestCase: XCTestCase {
    var configuration: Realm.Configuration { Realm.Configuration(inMemoryIdentifier: "\(name)") }

    func openRealm() throws -> Realm { try Realm(configuration: configuration) }

    /// Writes on another thread, and returns when that is done.
    func writeElsewhere(_ work: @escaping @Sendable (Realm) -> Void) throws {
        let configuration = configuration
        let done = DispatchSemaphore(value: 0)
        Thread {
            do {
                let realm = try Realm(configuration: configuration)
                try realm.write { work(realm) }
            } catch { XCTFail("\(error)") }
            done.signal()
        }.start()
        done.wait()
    }
}
