import Foundation
import KivoObserving
import XCTest

/// Asynchronous operations, as kivo-adopt rewrites them: their queues and observers are notified of their end.
final class AdoptedOperationsTests: XCTestCase {
    /// Runs operations, and fails if their queue waits for them in vain.
    private func run(_ operations: [Operation], line: UInt = #line) {
        let queue = OperationQueue()
        queue.addOperations(operations, waitUntilFinished: false)
        let end = DispatchSemaphore(value: 0)
        queue.addBarrierBlock { end.signal() }
        XCTAssertEqual(end.wait(timeout: .now() + 60), .success, "the queue waits for ever", line: line)
    }

    private func check<Step: KeyValueOperation>(_ step: Step, line: UInt = #line) {
        let end = DispatchSemaphore(value: 0)
        let token = step.observe(\.isFinished, options: .new) { @Sendable _, change in
            if change.newValue == true { end.signal() }
        }
        run([step], line: line)
        XCTAssertEqual(end.wait(timeout: .now() + 60), .success, "no observer is notified", line: line)
        token.invalidate()
        XCTAssertTrue(step.isFinished, line: line)
        XCTAssertFalse(step.isExecuting, line: line)
    }

    func testObservedOperationsFinish() {
        check(QueuedStep())
        check(PhasedStep())
        check(FlaggedStep())
        check(ListedStep())
        check(KeyedStep())
        check(AnnouncedStep())
    }

    func testOperationsWithoutObserversFinish() {
        run([QueuedStep(), PhasedStep(), FlaggedStep(), ListedStep(), KeyedStep(), AnnouncedStep()])
    }

    func testAnOperationThatObservesAnother() {
        let first = QueuedStep()
        let second = ObservingStep(after: first)
        let end = DispatchSemaphore(value: 0)
        let token = second.observe(\.percent, options: .new) { @Sendable _, change in
            if change.newValue == 100 { end.signal() }
        }
        run([first, second])
        XCTAssertEqual(end.wait(timeout: .now() + 60), .success)
        token.invalidate()
    }
}
