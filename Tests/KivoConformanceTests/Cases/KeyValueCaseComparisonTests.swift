import Foundation
import XCTest

/// The comparison of cases must distinguish right from wrong.
final class KeyValueCaseComparisonTests: XCTestCase {
    private func complaint(
        _ expected: String, _ records: [KeyValueCaseRecord], isUnordered: Bool = false,
        ignoring: Set<Int> = []
    ) throws -> String? {
        let expected = try JSONDecoder().decode([KeyValueCaseExpectation].self, from: Data(expected.utf8))
        return KeyValueCaseComparison(expected: expected, isUnordered: isUnordered)
            .complaint(records, ignoring: ignoring)
    }

    private func record(
        at step: Int = 0, _ observer: String = "A", _ entries: [String: RecordedValue] = [:],
        kind: String = "setting", isPrior: Bool = false
    ) -> KeyValueCaseRecord {
        KeyValueCaseRecord(
            at: step, observer: observer, objects: ["obj"], keyPath: "title", kind: kind, isPrior: isPrior,
            entries: entries, context: "null")
    }

    private let setting = #"{"at":0,"observer":"A","object":"obj","keyPath":"title","kind":"setting"}"#

    func testFields() throws {
        XCTAssertNil(try complaint("[\(setting)]", [record()]))
        XCTAssertNotNil(try complaint("[\(setting)]", []))
        XCTAssertNotNil(try complaint("[\(setting)]", [record(), record()]))
        XCTAssertNotNil(try complaint("[\(setting)]", [record(at: 1)]))
        XCTAssertNotNil(try complaint("[\(setting)]", [record("B")]))
        XCTAssertNotNil(try complaint("[\(setting)]", [record(kind: "removal")]))
        XCTAssertNotNil(try complaint("[\(setting)]", [record(isPrior: true)]))
        XCTAssertNotNil(try complaint(#"[{"at":0,"object":"other"}]"#, [record()]))
        XCTAssertNotNil(try complaint(#"[{"at":0,"keyPath":"count"}]"#, [record()]))
        XCTAssertNotNil(try complaint(#"[{"at":0,"context":1}]"#, [record()]))
        XCTAssertNotNil(try complaint("[]", [record()]))
    }

    func testEntries() throws {
        let null = #"[{"at":0,"old":null}]"#
        XCTAssertNil(try complaint(null, [record("A", ["old": .null])]))
        XCTAssertNotNil(try complaint(null, [record("A", ["old": .string("")])]))
        XCTAssertNotNil(try complaint(null, [record()]))
        let absent = #"[{"at":0,"absent":["old"]}]"#
        XCTAssertNil(try complaint(absent, [record("A", ["new": .null])]))
        XCTAssertNotNil(try complaint(absent, [record("A", ["old": .null])]))
        let indexes = #"[{"at":0,"indexes":[1,2]}]"#
        XCTAssertNil(try complaint(indexes, [record("A", ["indexes": .list([.number(1), .number(2)])])]))
        XCTAssertNotNil(try complaint(indexes, [record("A", ["indexes": .list([.number(1)])])]))
    }

    func testCounts() throws {
        let three = #"[{"at":0,"observer":"A","repeat":3}]"#
        XCTAssertNil(try complaint(three, [record(), record(), record()]))
        XCTAssertNotNil(try complaint(three, [record(), record()]))
        let open = #"[{"at":0,"observer":"B","countNotAsserted":true},{"at":0,"observer":"A"}]"#
        XCTAssertNil(try complaint(open, [record()]))
        XCTAssertNil(try complaint(open, [record("B"), record("B"), record()]))
        XCTAssertNotNil(try complaint(open, [record("B"), record(), record()]))
        XCTAssertNil(try complaint("[]", [record(at: 3)], ignoring: [3]))
    }

    func testOrder() throws {
        let both = #"[{"at":0,"observer":"A"},{"at":0}]"#
        XCTAssertNil(try complaint(both, [record("A"), record("B")]))
        XCTAssertNotNil(try complaint(both, [record("B"), record("A")]))
        XCTAssertNil(try complaint(both, [record("B"), record("A")], isUnordered: true))
        // The first expectation has to leave A to the second.
        let crossed = #"[{"at":0},{"at":0,"observer":"A"}]"#
        XCTAssertNil(try complaint(crossed, [record("A"), record("B")], isUnordered: true))
        XCTAssertNotNil(try complaint(both, [record("B"), record("B")], isUnordered: true))
    }

    func testValues() {
        func matches(_ wanted: JSONValue, _ got: RecordedValue) -> Bool {
            KeyValueCaseComparison.matches(wanted, got)
        }
        XCTAssertTrue(matches(.int(10), .number(10)))
        XCTAssertFalse(matches(.int(1), .bool(true)))
        XCTAssertFalse(matches(.bool(false), .number(0)))
        XCTAssertFalse(matches(.string("<obj>"), .object(["other"])))
        XCTAssertTrue(matches(.string("<obj>"), .object(["obj", "twin"])))
        XCTAssertFalse(matches(.array([.int(1), .int(2)]), .list([.number(2), .number(1)])))
        let set = JSONValue.object(["set": .array([.int(1), .int(2)])])
        XCTAssertTrue(matches(set, .set([.number(2), .number(1)])))
        XCTAssertFalse(matches(set, .set([.number(2), .number(2)])))
        XCTAssertFalse(matches(.object(["some": .null]), .string("")))
        XCTAssertFalse(matches(.object(["struct": .array([.int(1)])]), .point([2])))
    }

    func testFloatsAreComparedAsFloats() {
        func matches(_ wanted: JSONValue, _ got: RecordedValue) -> Bool {
            KeyValueCaseComparison.matches(wanted, got)
        }
        for (float, wanted) in [(Float(2.2), JSONValue.double(2.2)), (-0.1, .double(-0.1)), (5, .int(5))] {
            for value in [float as Any, NSNumber(value: float)] {
                XCTAssertTrue(matches(wanted, RecordedValue(value) { _ in [] }), "\(value)")
            }
        }
        XCTAssertFalse(matches(.double(2.2), .float(2.3)))
        XCTAssertFalse(matches(.double(2.2), .number(Double(Float(2.2)))), "a double is no float")
        XCTAssertFalse(matches(.bool(true), .float(1)))
    }

    func testChoices() throws {
        func told(_ context: String) -> [KeyValueCaseRecord] {
            var record = record()
            record.context = context
            return [record]
        }
        let context = #"[{"at":0,"context":"1 or 2"}]"#
        XCTAssertNil(try complaint(context, told("1")))
        XCTAssertNil(try complaint(context, told("2")))
        XCTAssertNotNil(try complaint(context, told("3")))
        XCTAssertNotNil(try complaint(context, told("null")))
        let value = #"[{"at":0,"new":"1 or 2"}]"#
        for right in [RecordedValue.number(1), .number(2), .string("1 or 2")] {
            XCTAssertNil(try complaint(value, [record("A", ["new": right])]))
        }
        for wrong in [RecordedValue.number(3), .string("1"), .null] {
            XCTAssertNotNil(try complaint(value, [record("A", ["new": wrong])]))
        }
        let names = #"[{"at":0,"new":"<a> or <b>"}]"#
        XCTAssertNil(try complaint(names, [record("A", ["new": .object(["b"])])]))
        XCTAssertNotNil(try complaint(names, [record("A", ["new": .object(["c"])])]))
        let count = #"[{"at":0,"repeat":"1 or 2"},{"at":0,"observer":"B"}]"#
        for isUnordered in [false, true] {
            for (times, agrees) in [(0, false), (1, true), (2, true), (3, false)] {
                let records = Array(repeating: record(), count: times) + [record("B")]
                XCTAssertEqual(
                    try complaint(count, records, isUnordered: isUnordered) == nil, agrees, "\(times)")
            }
        }
    }

    func testElementsInAnyOrder() throws {
        let values = #"[{"at":0,"new":["a","b"]}]"#
        let swapped = RecordedValue.list([.string("b"), .string("a")])
        XCTAssertNil(try complaint(values, [record("A", ["new": swapped])], isUnordered: true))
        XCTAssertNotNil(try complaint(values, [record("A", ["new": swapped])]))
        let positioned = record("A", ["new": swapped, "indexes": .list([.number(0), .number(1)])])
        XCTAssertNotNil(
            try complaint(values, [positioned], isUnordered: true), "positions give elements an order")
        let other = RecordedValue.list([.string("b"), .string("b")])
        XCTAssertNotNil(try complaint(values, [record("A", ["new": other])], isUnordered: true))
    }

    func testMessages() {
        XCTAssertTrue(KeyValueCaseFailure.fits("notRegistered", "'title' is not registered"))
        XCTAssertFalse(KeyValueCaseFailure.fits("notRegistered", "Index 3 is out of range"))
        XCTAssertTrue(KeyValueCaseFailure.fits("any", "some words"))
        XCTAssertFalse(KeyValueCaseFailure.fits("any", ""))
    }
}
