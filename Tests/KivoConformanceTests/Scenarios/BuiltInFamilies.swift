import Foundation
import XCTest

/// The families that come with the test target.
enum BuiltInFamilies {
    /// The families that follow the coalesced procedure.
    static let coalesced = [
        "list-int", "list-object", "object", "results", "depth", "backlinks", "set", "dictionary",
        "keypath", "sectioned",
    ]
    /// The families that follow steps.
    static let steps = ["silent", "nested-writes", "shared-observers"]
    static let names = coalesced + steps + ["kvo"]

    static func load(_ name: String) throws -> ConformanceFamily {
        let url = Bundle.module.url(forResource: "Resources/\(name)", withExtension: "json")
        return try ConformanceFamily(contentsOf: try XCTUnwrap(url, "there is no \(name).json"))
    }
}
