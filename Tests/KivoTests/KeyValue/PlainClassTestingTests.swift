import Foundation
import Kivo
import KivoTesting
import XCTest

/// The recorders and expectations of `KivoTesting` with classes that are not models.
final class PlainClassTestingTests: FailureCatchingTestCase {
    private final class Score: KeyValueObservable, @unchecked Sendable {
        @Observed var name = ""
        @Observed var points = 0
        @Observed var marks: [Int] = []
        @Observed var next: Score?
        var grade: String { points > 10 ? "good" : "fair" }

        static func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
            key == "grade" ? ["points"] : []
        }
        static func computedProperties() -> [String: AnyKeyPath] { ["grade": \Score.grade] }
    }

    func testRecorderByName() {
        let score = Score()
        let recorder = KeyValueRecorder(observing: score, "points", "marks", "grade", "next.name")
        score.points = 12
        score.mutableArrayValue(forKey: "marks").addObjects(from: [10, 20])
        score.marks.removeAll()
        score.next = Score()
        recorder.assertChanges([
            .setting("points", from: 0, to: 12),
            .setting("grade", from: "fair", to: "good"),
            .insertion("marks", at: [0, 1], of: [10, 20]),
            .setting("marks", from: [10, 20], to: [Int]()),
            .setting("next.name", from: nil, to: ""),
        ])
        XCTAssertNotNil(recorder.difference(from: [.setting("points", to: 13)]))
        recorder.stop()
        score.points = 1
        XCTAssertEqual(recorder.changes.count, 5)
    }

    func testRecorderByTypedKeyPath() {
        let score = Score()
        let recorder = KeyValueRecorder(observing: score, \.name, as: "name", options: [.prior, .old, .new])
        score.name = "Mia"
        recorder.assertChanges([.prior(.setting("name", from: "")), .setting(from: "", to: "Mia")])
    }

    func testRecorderOfAsynchronousSequences() async {
        let score = Score()
        let recorder = KeyValueRecorder()
        var values = score.values(of: \.points).makeAsyncIterator()
        var changes = score.changes(of: \.marks).makeAsyncIterator()
        await recorder.record(next: &values, as: "points")
        score.points = 1
        score.points = 2
        await recorder.record(next: &values, as: "points")
        score.mutableArrayValue(forKey: "marks").add(5)
        await recorder.record(next: &changes, as: "marks")
        recorder.assertChanges([
            .setting("points", to: 0), .setting("points", to: 2), .insertion("marks", at: [0], of: [5]),
        ])
    }

    func testTheEndOfASequenceIsNotRecorded() async {
        let recorder = KeyValueRecorder()
        var score: Score? = Score()
        var values = score!.values(of: \.points).makeAsyncIterator()
        let first = await recorder.record(next: &values)
        score = nil
        let second = await recorder.record(next: &values)
        XCTAssertEqual([first, second], [true, false])
        XCTAssertEqual(recorder.changes.count, 1)
        XCTAssertNil(score)
    }

    #if !canImport(ObjectiveC)
    func testExpectations() {
        let score = Score()
        let end = keyValueObservingExpectation(for: score, keyPath: "points", expectedValue: 3)
        let good = keyValueObservingExpectation(for: score, keyPath: "grade") { _, change in
            change[.newKey] as? String == "good"
        }
        let own = XCTKVOExpectation(keyPath: "next.name", object: score)
        score.points = 12
        score.points = 3
        score.next = Score()
        wait(for: [end, good, own], timeout: 60)
    }

    func testAnExpectationOfAChangeOnAnotherThread() {
        let score = Score()
        let end = keyValueObservingExpectation(for: score, keyPath: "points", expectedValue: 100)
        DispatchQueue.global().async { for points in 1...100 { score.points = points } }
        wait(for: [end], timeout: 60)
    }
    #endif
}
