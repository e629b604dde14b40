import Foundation
import KivoObserving
import Observation
import XCTest

/// Classes that are `Observable` as well, read inside `withObservationTracking`.
final class TrackingTests: XCTestCase {
    private final class Gauge: KeyValueObservable, Observable, @unchecked Sendable {
        @Observed var value = 0
        @Observed var title = ""
        @Observed var next: Gauge?
        var text: String { "\(title) \(value)" }
    }

    private class Base: KeyValueObservable, Observable {
        @Observed var value = 0
    }

    private final class Derived: Base {
        @Observed var extra = 0
    }

    private final class Untracked: KeyValueObservable {
        @Observed var value = 0
    }

    private func track(_ read: () -> Void) -> Count {
        let count = Count()
        withObservationTracking(read) { count.add() }
        return count
    }

    private final class Count: @unchecked Sendable {
        private let lock = NSLock()
        private var count = 0
        func add() { lock.withLock { count += 1 } }
        var value: Int { lock.withLock { count } }
    }

    func testAReadPropertyIsReportedOnce() {
        let gauge = Gauge()
        let count = track { _ = gauge.value }
        gauge.title = "other"
        XCTAssertEqual(count.value, 0)
        gauge.value = 1
        XCTAssertEqual(count.value, 1)
        gauge.value = 2
        XCTAssertEqual(count.value, 1)
        let again = track { _ = gauge.value }
        gauge.value = 3
        XCTAssertEqual(again.value, 1)
    }

    func testTheChangeIsReportedBeforeItIsMade() {
        let gauge = Gauge()
        let seen = Seen()
        withObservationTracking {
            _ = gauge.value
        } onChange: { [unowned gauge] in
            seen.value = gauge.value
        }
        gauge.value = 5
        XCTAssertEqual(seen.value, 0)
    }

    private final class Seen: @unchecked Sendable { var value: Int? }

    func testReadsThroughComputedPropertiesAndOtherObjects() {
        let (gauge, other) = (Gauge(), Gauge())
        gauge.next = other
        let text = track { _ = gauge.text }
        let far = track { _ = gauge.next?.value }
        other.value = 1
        XCTAssertEqual([text.value, far.value], [0, 1])
        gauge.title = "t"
        XCTAssertEqual(text.value, 1)
    }

    func testPropertiesOfSubclasses() {
        let derived = Derived()
        let counts = [track { _ = derived.value }, track { _ = derived.extra }]
        derived.extra = 1
        XCTAssertEqual(counts.map(\.value), [0, 1])
        derived.setValue(1, forKey: "value")
        XCTAssertEqual(counts.map(\.value), [1, 1])
    }

    func testOtherClassesAreNotTracked() {
        let untracked = Untracked()
        let count = track { _ = untracked.value }
        untracked.value = 1
        XCTAssertEqual(count.value, 0)
    }

    func testReadsOutsideOfTrackingLeaveNoTrace() {
        let gauge = Gauge()
        _ = gauge.value
        gauge.value = 1
        let outer = track { _ = gauge.title }
        _ = gauge.value
        gauge.value = 2
        XCTAssertEqual(outer.value, 0)
    }

    func testObserversAndTrackingOfOneProperty() {
        let gauge = Gauge()
        var observed: [Int] = []
        let token = gauge.observe(\.value, options: [.old, .new]) { _, change in
            observed += [change.oldValue!, change.newValue!]
        }
        let count = track { _ = gauge.value }
        gauge.value = 4
        token.invalidate()
        gauge.value = 5
        XCTAssertEqual(observed, [0, 4])
        XCTAssertEqual(count.value, 1)
    }

    func testAnObjectThatIsReleasedReportsNothing() {
        var gauge: Gauge? = Gauge()
        weak let released = gauge
        let count = track { _ = gauge?.value }
        gauge = nil
        XCTAssertNil(released)
        XCTAssertEqual(count.value, 0)
    }

    /// Readers on several threads, while the values change one at a time.
    func testThreadsTrackWhileValuesChange() {
        final class Guarded: KeyValueObservable, Observable, @unchecked Sendable {
            @Observed var value = 0
            let lock = NSRecursiveLock()
        }
        let gauge = Guarded()
        // The first tracked read stores into the instance.
        withObservationTracking {
            _ = gauge.value
        } onChange: {
        }
        let count = Count()
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for round in 0..<500 {
                gauge.lock.withLock {
                    if thread == 0 {
                        gauge.value = round
                    } else {
                        withObservationTracking {
                            _ = gauge.value
                        } onChange: {
                            count.add()
                        }
                    }
                }
            }
        }
        gauge.value = -1
        XCTAssertEqual(count.value, 1500)
    }
}
