import Foundation
import KivoObserving
import XCTest

/// Progress that several threads report, as a class with a lock of its own would protect it.
private final class Report: KeyValueObservable, @unchecked Sendable {
    @Observed var percent = 0
    @Observed var lines: [String] = []
}

private actor Keeper {
    private(set) var seen: [Int] = []
    private var token: KeyValueObservation?

    func follow(_ report: Report) {
        token = report.observe(\.percent, options: .new) { self.seen.append($1.newValue!) }
    }

    func assign(_ percent: Int, _ report: Report) { report.percent = percent }
}

final class HandlerIsolationTests: XCTestCase {
    @MainActor func testAHandlerOfTheMainActorIsCalledThere() async {
        let report = Report()
        var seen: [Int] = []
        let tokens = [
            report.observe(\.percent, options: [.old, .new]) { seen.append($1.newValue! - $1.oldValue!) },
            report.observe(\.lines.count, options: .new) { seen.append($1.newValue!) },
        ]
        report.percent = 3
        report.lines.append("one")
        // Outside of all tasks, too.
        await withCheckedContinuation { done in
            DispatchQueue.main.async {
                report.percent = 5
                done.resume()
            }
        }
        XCTAssertEqual(seen, [3, 1, 2])
        tokens.forEach { $0.invalidate() }
    }

    #if compiler(>=6.2)
    @globalActor private actor Background { static let shared = Background() }

    @Background private final class Log: @Background KeyValueObserver {
        private(set) var seen: [Int] = []

        func observeValue(
            forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
        ) {
            seen.append(change![.newKey] as! Int)
        }
    }

    @Background private final class Model: @Background KeyValueObservable {
        @Observed var percent = 0
    }

    func testWhatBelongsToAGlobalActorIsUsedThere() async { await Self.useBackground() }

    @Background private static func useBackground() {
        let (log, report, model) = (Log(), Report(), Model())
        report.addObserver(log, forKeyPath: "percent", options: .new)
        model.addObserver(log, forKeyPath: "percent", options: .new)
        report.percent = 2
        model.setValue(3, forKey: "percent")
        XCTAssertEqual(log.seen, [2, 3])
        XCTAssertEqual(model.value(forKey: "percent") as? Int, 3)
    }
    #endif

    func testAHandlerOfAnActorIsCalledThere() async {
        let (keeper, report) = (Keeper(), Report())
        await keeper.follow(report)
        await keeper.assign(7, report)
        let seen = await keeper.seen
        XCTAssertEqual(seen, [7])
    }

    @MainActor func testASendableHandlerIsCalledAnywhere() async {
        let report = Report()
        let isCalled = expectation(description: "called")
        let token = report.observe(\.percent, options: .new) { @Sendable in
            if $1.newValue == 1 { isCalled.fulfill() }
        }
        await Task.detached { report.percent = 1 }.value
        await fulfillment(of: [isCalled], timeout: 60)
        token.invalidate()
    }
}
