#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation
import Kivo
import TestRandomness
import XCTest

@testable import KivoTool

/// Random edits of the page: of every kind, with values of every form, undone and done again.
final class StudioEditFuzzTests: StudioTestCase {
    private var random = RandomSource()

    private static let texts = [
        "", "5", "-1", "x", "1e400", "2024-01-01", "00ff", "true", "NaN", "a\u{0}b", "𝕏",
    ]

    private let values: [Any] = [
        NSNull(), true, 0, 5, -129, 1.5, 1e300, "", "text", "9223372036854775807", "9223372036854775808",
        "00000000-0000-0000-0000-00000000000a", "00000000000000000000000a",
        ["hex": "00ff"], ["hex": "0"], ["seconds": 1, "nanoseconds": 5], ["seconds": 1e30],
        ["repr": "nan", "bits": "7ff8000000000000"], ["repr": "1.50", "hi": 1, "lo": 2],
        ["key": 1], ["key": 2], ["key": 99], ["key": -1], [Any](), [1, NSNull(), 3], ["a", "b", "a"],
        [["key": 1], ["key": 2]], [["key": 99]], [["a", 1], ["b", NSNull()]], [["a", 1], ["a", 2]],
        [["a", ["key": 1]]], ["type": "int", "value": 5], ["type": "string", "value": "x"],
        ["type": "link", "value": ["class": "ToolDog", "key": 1]],
        ["type": "link", "value": ["class": "Nothing", "key": 1]],
        ["type": "list", "value": [["type": "int", "value": 1], NSNull()]],
        ["type": "dictionary", "value": [["a", ["type": "bool", "value": true]]]], ["type": "none"],
    ]

    override func setUpWithError() throws {
        try super.setUpWithError()
        try makePets()
        try withRealm { realm in
            try realm.write {
                for key in ["a", "b"] {
                    realm.add(ToolThing(value: ["key": key, "ints": [1, 2], "string": key]))
                }
            }
        }
    }

    /// The classes with the keys of their objects.
    private func objects() -> [String: [Int]] {
        Dictionary(
            grouping: run("dump", "--json", file.path).objects.compactMap {
                object -> (name: String, key: Int)? in
                guard let name = object["class"] as? String, let key = object["key"] as? Int else {
                    return nil
                }
                return (name, key)
            }, by: \.name
        ).mapValues { $0.map(\.key).sorted() }
    }

    private func pick<Element>(_ elements: [Element]) -> Element { elements[random.below(elements.count)] }

    /// A value as one of the texts or forms; of a link or a number as likely as of anything else.
    private func value() -> [String: Any] {
        switch random.below(10) {
        case 0..<4: ["text": pick(Self.texts)]
        case 4: ["text": pick(Self.texts), "type": pick(["int", "string", "date", "data", "nothing"])]
        default: ["value": pick(values)]
        }
    }

    private func edit(_ properties: [String: [String]]) throws -> [String: Any] {
        let objects = objects()
        let name = pick(properties.keys.sorted())
        let key = random.chance(95) ? pick(objects[name] ?? [1]) : 1000
        switch random.below(20) {
        case 0, 1:
            var values: [String: Any] = [:]
            for _ in 0..<random.below(3) { values[pick(properties[name]!)] = value() }
            return ["kind": "create", "class": name, "values": values]
        case 2, 3: return ["kind": "duplicate", "class": name, "key": key]
        case 4, 5: return ["kind": "delete", "class": name, "keys": [key]]
        default:
            let property = pick(properties[name]!)
            let known = try request(
                "/api/value" + StudioTestCase.query(["class": name, "key": "\(key)", "property": property]))
            let hash = random.chance(95) ? known.json["hash"] as? String : "0"
            return ["kind": "set", "class": name, "key": key, "property": property, "hash": hash ?? "0"]
                .merging(value()) { $1 }
        }
    }

    /// What is refused changes nothing; what is undone, and done again, leaves what was there before and after.
    func testNothingIsLost() throws {
        try serve(isWritable: true)
        let classes = try XCTUnwrap(try get("/api/file")["classes"] as? [[String: Any]])
        var properties: [String: [String]] = [:]
        for some in classes {
            properties[some["name"] as? String ?? ""] = (some["properties"] as? [[String: Any]] ?? [])
                .compactMap { $0["name"] as? String }
        }
        var (states, index, counts) = ([exportedObjects()], 0, (done: 0, refused: 0))
        for step in 0..<TestEffort.count(120, full: 300) {
            let kind = random.below(100)
            if kind < 60 {
                let edits = try (0...(random.chance(40) ? 2 : 0)).map { _ in try edit(properties) }
                let answer = try request("/api/edit", post: ["tab": "one", "edits": edits])
                let words = "step \(step): \(edits) \(answer.status) \(answer.text)"
                let now = exportedObjects()
                if answer.status == 200 {
                    (states, index, counts.done) = (
                        Array(states[...index]) + [now], index + 1, counts.done + 1
                    )
                } else {
                    XCTAssertLessThan(answer.status, 500, words)
                    XCTAssertEqual(now, states[index], words)
                    counts.refused += 1
                }
            } else {
                let isRedo = kind >= 85
                let next = index + (isRedo ? 1 : -1)
                let answer = try request("/api/undo", post: ["tab": "one", "isRedo": isRedo])
                let words = "step \(step): \(isRedo ? "redo" : "undo") \(answer.text)"
                XCTAssertEqual(answer.status, 200, words)
                let isPossible = states.indices.contains(next)
                XCTAssertEqual(answer.json["isUndone"] as? Bool, isPossible, words)
                if isPossible { index = next }
                XCTAssertEqual(exportedObjects(), states[index], words)
            }
            if testRun?.totalFailureCount != 0 { return }
        }
        XCTAssertGreaterThan(counts.done, 5)
        XCTAssertGreaterThan(counts.refused, 5)
        XCTAssertEqual(run("verify", "--indexes", file.path).code, .success)
    }
}
#endif
