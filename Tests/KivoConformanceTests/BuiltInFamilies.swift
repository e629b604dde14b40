import Foundation
import XCTest

/// The families that come with the test target.
enum BuiltInFamilies {
    /// Those that follow the coalesced procedure.
    static let coalesced = ["list-int", "list-object", "object", "results", "depth", "backlinks", "set"]
    static let names = coalesced + ["kvo"]
    /// Those whose recordings the comparison of coalesced scenarios is checked with. Agreement with `keypath` is not
    /// required: Kivo takes `*` and paths through backlinks in another way than the recording engine.
    static let recordings = coalesced + ["keypath"]

    static func load(_ name: String) throws -> ConformanceFamily {
        let url = Bundle.module.url(forResource: "Resources/\(name)", withExtension: "json")
        return try ConformanceFamily(contentsOf: try XCTUnwrap(url, "there is no \(name).json"))
    }
}
