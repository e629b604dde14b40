import Foundation
import Kivo
import KivoTesting
import XCTest

final class RecordedDifferenceTests: FailureCatchingTestCase {
    private let dog = Dog(value: ["name": "Rex", "age": 1])

    private func check(
        _ recorder: KeyValueRecorder, _ expected: [KeyValueChange], _ lines: [String],
        file: StaticString = #filePath, line: UInt = #line
    ) {
        let heading = "The recorded changes are not the expected ones (- expected, + recorded):"
        XCTAssertEqual(
            recorder.difference(from: expected), ([heading] + lines).joined(separator: "\n"), file: file,
            line: line)
    }

    func testLinesAreWrittenAsInATest() {
        let recorder = KeyValueRecorder(observing: dog, "age", "name")
        dog.age = 2
        dog.name = "A \"quoted\"\nline"
        dog.age = 3
        check(
            recorder, [.setting("age", from: 1, to: 2), .setting("name"), .setting("age", from: 2, to: 4)],
            [
                #"  .setting("age", from: 1, to: 2)"#,
                #"  .setting("name", from: "Rex", to: "A \"quoted\"\nline")"#,
                #"- .setting("age", from: 2, to: 4)"#,
                #"+ .setting("age", from: 2, to: 3)"#,
            ])
    }

    func testWhatIsMissingAndWhatIsTooMuch() {
        let recorder = KeyValueRecorder(observing: dog, "age")
        for age in [2, 3, 4] { dog.age = age }
        XCTAssertNil(recorder.difference(from: [.setting(to: 2), .setting(to: 3), .setting(to: 4)]))
        check(
            recorder, [.setting(to: 1), .setting(to: 2), .setting(to: 4)],
            [
                "- .setting(to: 1)", "  .setting(from: 1, to: 2)", "+ .setting(from: 2, to: 3)",
                "  .setting(from: 3, to: 4)",
            ])
        check(
            recorder, [.setting(to: 4), .setting(to: 3), .setting(to: 2)],
            [
                "- .setting(to: 4)", "- .setting(to: 3)", "  .setting(from: 1, to: 2)",
                "+ .setting(from: 2, to: 3)", "+ .setting(from: 3, to: 4)",
            ])
        check(
            recorder, [],
            ["+ .setting(from: 1, to: 2)", "+ .setting(from: 2, to: 3)", "+ .setting(from: 3, to: 4)"])
        recorder.removeAllChanges()
        check(recorder, [.setting("age", to: 2)], [#"- .setting("age", to: 2)"#])
        XCTAssertNil(recorder.difference(from: []))
    }

    func testListsAndPriors() {
        let bag = Bag()
        let recorder = KeyValueRecorder(observing: bag, "words", options: [.old, .new, .prior])
        bag.words.append(objectsIn: ["a", "b"])
        bag.words.replace(index: 1, object: "c")
        check(
            recorder, [.setting()],
            [
                "- .setting()",
                "+ .prior(.insertion(at: [0, 1]))",
                #"+ .insertion(at: [0, 1], of: ["a", "b"])"#,
                #"+ .prior(.replacement(at: [1], of: ["b"]))"#,
                #"+ .replacement(at: [1], of: ["b"], by: ["c"])"#,
            ])
    }

    func testLinesThatLookTheSameAreToldApart() throws {
        let (a, b) = (Person(value: ["name": "Ann"]), Person(value: ["name": "Ann"]))
        let recorder = KeyValueRecorder(observing: dog, "owner")
        dog.owner = a
        let text = try XCTUnwrap(recorder.difference(from: [.setting(to: b)]))
        let lines = text.split(separator: "\n")
        XCTAssertEqual(lines.count, 3, text)
        for (line, person) in zip(lines.dropFirst(), [b, a]) {
            XCTAssertTrue(line.contains("name = Ann"), text)
            XCTAssertTrue(line.contains("\(Unmanaged.passUnretained(person).toOpaque())"), text)
        }
    }

    #if !canImport(ObjectiveC)
    func testADifferenceFailsTheTest() {
        let recorder = KeyValueRecorder(observing: dog, "age")
        dog.age = 2
        let failures = failures {
            recorder.assertChanges([.setting(to: 2)])
            recorder.assertChanges([.setting(to: 3)])
            recorder.assertChanges([], "the dog aged")
            recorder.assertChanges([.setting(to: 4)], file: "Other.swift", line: 7)
        }
        XCTAssertEqual(failures.map(\.line), [#line - 4, #line - 3, 7])
        XCTAssertEqual(failures.map(\.file), [#filePath, #filePath, "Other.swift"])
        XCTAssertTrue(
            failures[0].text.contains("\n- .setting(to: 3)\n+ .setting(from: 1, to: 2)"), failures[0].text)
        XCTAssertTrue(failures[1].text.contains("the dog aged\n"), failures[1].text)
        XCTAssertTrue(failures[1].text.contains("\n+ .setting(from: 1, to: 2)"), failures[1].text)
    }
    #endif
}
