import Foundation
import XCTest

/// A test with a folder of its own, and the path of a file in it.
class FolderTestCase: XCTestCase {
    private(set) var folder = URL(fileURLWithPath: "/")
    var path: String { folder.appendingPathComponent("test.kivo").path }

    override func setUpWithError() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("kivo-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    override func tearDownWithError() throws { try FileManager.default.removeItem(at: folder) }
}
