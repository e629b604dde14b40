import Foundation
import XCTest

/// Running cases must distinguish right from wrong, and both from cases that cannot be run.
final class KeyValueCaseRunTests: XCTestCase {
    private let observe =
        #"{"do":"observe","observer":"A","object":"obj","keyPath":"number32","options":["new"]}"#
    private let set = #"{"do":"set","object":"obj","keyPath":"number32","value":7}"#
    private let told =
        #"{"at":1,"observer":"A","object":"obj","keyPath":"number32","kind":"setting","new":7}"#
    private let everywhere = ["plain", "unmanaged", "managed", "otherAccessor", "otherRealm"]

    private func text(
        _ steps: [String], _ expect: [String] = [], in scenarios: [String], certainty: String = "asserted"
    ) throws -> String {
        let names = String(decoding: try JSONEncoder().encode(scenarios), as: UTF8.self)
        return """
            {"id":"test","setup":"","certainty":"\(certainty)","scenarios":\(names),\
            "steps":[\(steps.joined(separator: ","))],"expect":[\(expect.joined(separator: ","))]}
            """
    }

    private func outcomes(
        _ steps: [String], _ expect: [String] = [], in scenarios: [String],
        of kind: KeyValueCaseKind = .objects
    ) throws -> [KeyValueCaseOutcome] {
        let text = try text(steps, expect, in: scenarios)
        let test = try JSONDecoder().decode(KeyValueCase.self, from: Data(text.utf8))
        return test.pairs(kind).map(KeyValueCaseRun.run)
    }

    private func areDisagreements(_ outcomes: [KeyValueCaseOutcome]) -> Bool {
        !outcomes.isEmpty && outcomes.allSatisfy { if case .disagrees = $0 { true } else { false } }
    }

    private func areLeftOut(_ outcomes: [KeyValueCaseOutcome]) -> Bool {
        !outcomes.isEmpty && outcomes.allSatisfy { if case .leftOut = $0 { true } else { false } }
    }

    func testAgreement() throws {
        let outcomes = try outcomes([observe, set], [told], in: everywhere)
        XCTAssertEqual(outcomes, everywhere.map { _ in .agrees })
    }

    func testPlainClassesHaveTheOrdinarySituationOnly() throws {
        let agreement = try outcomes([observe, set], [told], in: everywhere, of: .plainClasses)
        XCTAssertEqual(agreement, [.agrees])
        XCTAssertTrue(areDisagreements(try outcomes([observe, set], [], in: everywhere, of: .plainClasses)))
        XCTAssertEqual(try outcomes([observe, set], [told], in: ["managed"], of: .plainClasses), [])
    }

    func testDisagreement() throws {
        XCTAssertTrue(areDisagreements(try outcomes([observe, set], [], in: everywhere)))
        XCTAssertTrue(areDisagreements(try outcomes([observe, set], [told, told], in: everywhere)))
        let other = told.replacingOccurrences(of: ":7", with: ":8")
        XCTAssertTrue(areDisagreements(try outcomes([observe, set], [other], in: everywhere)))
        let get = #"{"do":"get","object":"obj","keyPath":"number32","equals":3}"#
        XCTAssertTrue(areDisagreements(try outcomes([get], [], in: everywhere)))
    }

    func testLeavingOut() throws {
        let mixed = #"{"do":"set","object":"obj","keyPath":"number32","value":{"mixed":1}}"#
        XCTAssertTrue(areLeftOut(try outcomes([mixed], [], in: everywhere)))
        XCTAssertTrue(areLeftOut(try outcomes([#"{"do":"dance","object":"obj"}"#], [], in: everywhere)))
        let stranger = set.replacingOccurrences(of: "number32", with: "colour")
        XCTAssertTrue(areLeftOut(try outcomes([stranger], [], in: everywhere)))
        XCTAssertTrue(areLeftOut(try outcomes([observe, set], [told], in: ["elsewhere"])))
    }

    #if os(Linux)
    func testStepsThatFailOutsideOfAWrite() throws {
        let failing = set.replacingOccurrences(of: "}", with: #","raises":"notInWrite"}"#)
        let managed = ["managed", "otherAccessor", "otherRealm"]
        let right = try outcomesOfChildren([try text([observe, failing], in: managed)])
        XCTAssertEqual(right, [.agrees, .agrees, .agrees])
        // A step that needs no write does not fail without one.
        let ignored = failing.replacingOccurrences(of: "number32", with: "ignored")
        let wrong = try outcomesOfChildren([
            try text([ignored], in: managed), try text([failing], in: ["unmanaged"]),
        ])
        XCTAssertEqual(wrong.count, 4)
        XCTAssertTrue(areDisagreements(wrong), "\(wrong)")
    }

    func testStepsThatFail() throws {
        let remove =
            #"{"do":"unobserve","observer":"A","object":"obj","keyPath":"number32","raises":"RAISES"}"#
        let failing = remove.replacingOccurrences(of: "RAISES", with: "notRegistered")
        let other = remove.replacingOccurrences(of: "RAISES", with: "objectHasObservers")
        let tests = [
            try text([failing], in: ["plain"]), try text([other], in: ["plain"]),
            try text([observe, failing], in: ["plain"]),
        ]
        let outcomes = try outcomesOfChildren(tests)
        XCTAssertEqual(outcomes.count, 3)
        XCTAssertEqual(outcomes.first, .agrees)
        XCTAssertTrue(areDisagreements(Array(outcomes.dropFirst())), "\(outcomes)")
    }

    private func outcomesOfChildren(_ tests: [String]) throws -> [KeyValueCaseOutcome] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).json")
        try Data("[\(tests.joined(separator: ","))]".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let pairs = try XCTUnwrap(try KeyValueCase.load(file)).flatMap { $0.pairs(.objects) }
        return try KeyValueCaseChild.runAll(pairs, .objects, of: file)
    }
    #endif

    func testReport() throws {
        let texts = try ["asserted", "derived"].map { try text([], in: ["plain"], certainty: $0) }
        let pairs = try texts.flatMap { text in
            try JSONDecoder().decode(KeyValueCase.self, from: Data(text.utf8)).pairs(.objects)
        }
        let wrong = KeyValueCaseReport("some", pairs, [.disagrees("so"), .agrees])
        XCTAssertEqual(wrong.summary, "some: 1 of 2 scenarios agree")
        XCTAssertEqual(wrong.disagreements.map(\.complaint), ["so"])
        // Also what need not agree may differ only where a reason is listed.
        let derived = KeyValueCaseReport("some", pairs, [.agrees, .disagrees("so")])
        XCTAssertEqual(derived.disagreements.map(\.complaint), ["so"])
        let less = KeyValueCaseReport("some", pairs, [.agrees, .leftOut("why")])
        XCTAssertEqual(less.summary, "some: 1 of 1 scenarios agree")
        XCTAssertEqual(less.leftOut, ["why": 1])
    }
}
