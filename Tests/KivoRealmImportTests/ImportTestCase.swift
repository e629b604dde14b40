import Foundation
import Kivo
import XCTest

/// A test with a realm in memory, and a folder for files.
class ImportTestCase: XCTestCase {
    private(set) var folder = URL(fileURLWithPath: "/")

    override func setUpWithError() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("kivo-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    override func tearDownWithError() throws { try FileManager.default.removeItem(at: folder) }

    func makeRealm(_ identifier: String = "", _ types: [ObjectBase.Type]? = nil) throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(inMemoryIdentifier: name + identifier, objectTypes: types))
    }
}
