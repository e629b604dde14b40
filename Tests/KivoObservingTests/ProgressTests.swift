#if !canImport(ObjectiveC)
import Foundation
import KivoObserving
import XCTest

final class ProgressTests: XCTestCase {
    func testCountsAndStatesAreObserved() {
        let (progress, recorder) = (KeyValueProgress(totalUnitCount: 4), Recorder())
        var fractions: [Double] = []
        let token = progress.observe(\.fractionCompleted, options: .new) { fractions.append($1.newValue!) }
        for key in ["completedUnitCount", "isFinished", "isCancelled", "isPaused"] {
            progress.addObserver(recorder, forKeyPath: key, options: [.old, .new])
        }
        progress.completedUnitCount = 1
        progress.completedUnitCount = 4
        XCTAssertEqual(fractions, [0.25, 1])
        XCTAssertEqual(
            recorder.notices.filter { $0.keyPath == "completedUnitCount" }.map { $0.new as? Int64 }, [1, 4])
        XCTAssertEqual(
            recorder.notices.filter { $0.keyPath == "isFinished" }.map { $0.new as? Bool }, [false, true])
        recorder.notices = []
        progress.pause()
        progress.resume()
        progress.cancel()
        XCTAssertEqual(recorder.notices.map(\.keyPath), ["isPaused", "isPaused", "isCancelled"])
        XCTAssertEqual(recorder.notices.map { $0.old as? Bool }, [false, true, false])
        for key in ["completedUnitCount", "isFinished", "isCancelled", "isPaused"] {
            progress.removeObserver(recorder, forKeyPath: key)
        }
        token.invalidate()
    }

    func testChangesOfChildrenAreChangesAbove() {
        let whole = KeyValueProgress(totalUnitCount: 2)
        var fractions: [Double] = []
        let token = whole.observe(\.fractionCompleted, options: .new) { fractions.append($1.newValue!) }
        let part = KeyValueProgress(totalUnitCount: 10, parent: whole, pendingUnitCount: 1)
        let leaf = KeyValueProgress(totalUnitCount: 4, parent: part, pendingUnitCount: 10)
        fractions = []
        leaf.completedUnitCount = 2
        leaf.completedUnitCount = 4
        XCTAssertEqual(fractions, [0.25, 0.5])
        XCTAssertEqual(whole.completedUnitCount, 1)
        token.invalidate()
    }

    func testTheFirstProgressWhileAnotherIsCurrentIsItsChild() {
        let whole = KeyValueProgress(totalUnitCount: 4)
        var fractions: [Double] = []
        let token = whole.observe(\.fractionCompleted, options: .new) { fractions.append($1.newValue!) }
        whole.becomeCurrent(withPendingUnitCount: 2)
        let part = KeyValueProgress(totalUnitCount: 2)
        whole.resignCurrent()
        fractions = []
        part.completedUnitCount = 1
        XCTAssertEqual(fractions, [0.25])
        // Units without a child are done at the end.
        whole.becomeCurrent(withPendingUnitCount: 2)
        whole.resignCurrent()
        XCTAssertEqual(fractions.last, 0.75)
        token.invalidate()
    }
}
#endif
