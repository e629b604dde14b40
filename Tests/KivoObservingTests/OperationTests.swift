import Foundation
import KivoObserving
import XCTest

/// An asynchronous operation in the manner of Cocoa's guide, which ends when it is told to.
private final class Transfer: Operation, KeyValueObservable, @unchecked Sendable {
    @Observed var fraction = 0.0
    private let lock = NSLock()
    private var executing = false
    private var finished = false

    override var isAsynchronous: Bool { true }
    override var isExecuting: Bool { lock.withLock { executing } }
    override var isFinished: Bool { lock.withLock { finished } }

    override func start() {
        willChangeValue(for: \.isExecuting)
        lock.withLock { executing = true }
        didChangeValue(for: \.isExecuting)
    }

    func finish() {
        willChangeValue(for: \.isExecuting)
        willChangeValue(for: \.isFinished)
        lock.withLock { (executing, finished) = (false, true) }
        didChangeValue(for: \.isFinished)
        didChangeValue(for: \.isExecuting)
    }
}

final class OperationTests: XCTestCase {
    func testAnOperationAnnouncesItsStates() {
        let (transfer, recorder) = (Transfer(), Recorder())
        var finished: [Bool] = []
        let token = transfer.observe(\.isFinished, options: [.old, .new]) {
            finished += [$1.oldValue!, $1.newValue!]
        }
        transfer.addObserver(recorder, forKeyPath: "isExecuting", options: .new)
        let queue = OperationQueue()
        let isStarted = expectation(description: "started")
        recorder.onNotice = { if transfer.isExecuting { isStarted.fulfill() } }
        queue.addOperation(transfer)
        wait(for: [isStarted], timeout: 60)
        recorder.onNotice = nil
        transfer.fraction = 1
        transfer.finish()
        // The queue has learned of it, too.
        queue.waitUntilAllOperationsAreFinished()
        XCTAssertEqual(finished, [false, true])
        XCTAssertEqual(transfer.value(forKey: "isFinished") as? Bool, true)
        XCTAssertEqual(transfer.value(forKey: "isReady") as? Bool, true)
        XCTAssertEqual(recorder.notices.map { $0.new as? Bool }, [true, false])
        token.invalidate()
        transfer.removeObserver(recorder, forKeyPath: "isExecuting")
    }
}
