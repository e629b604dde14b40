import Foundation
import XCTest

/// The families that come with the test target.
enum BuiltInFamilies {
    static let names = ["list-int", "list-object", "object"]

    static func load(_ name: String) throws -> ConformanceFamily {
        let url = Bundle.module.url(forResource: "Resources/\(name)", withExtension: "json")
        return try ConformanceFamily(contentsOf: try XCTUnwrap(url, "there is no \(name).json"))
    }
}
