import KivoObserving
import XCTest

/// Many observers of one property, which share what they receive.
final class ManyObserversTests: XCTestCase {
    private final class Gauge: KeyValueObservable {
        @Observed var value = 0
        @Observed var other = 0
    }

    private static let allOptions: [NSKeyValueObservingOptions] = [
        [], .old, .new, [.old, .new], [.prior, .old, .new],
    ]

    func testEachObserverReceivesWhatItsOptionsAskFor() {
        let gauge = Gauge()
        let recorders = Self.allOptions.map { _ in (Recorder(), Recorder()) }
        for withPrior in [false, true] {
            let used = Self.allOptions.indices.filter { withPrior || !Self.allOptions[$0].contains(.prior) }
            for index in used {
                gauge.addObserver(recorders[index].0, forKeyPath: "value", options: Self.allOptions[index])
                gauge.addObserver(recorders[index].1, forKeyPath: "value", options: Self.allOptions[index])
            }
            gauge.value = 1
            gauge.value = 2
            for index in used {
                let options = Self.allOptions[index]
                for recorder in [recorders[index].0, recorders[index].1] {
                    let notices = recorder.notices.filter { !$0.isPrior }
                    XCTAssertEqual(
                        notices.map { $0.old as? Int },
                        options.contains(.old) ? [withPrior ? 2 : 0, 1] : [nil, nil])
                    XCTAssertEqual(
                        notices.map { $0.new as? Int }, options.contains(.new) ? [1, 2] : [nil, nil])
                    recorder.notices = []
                    gauge.removeObserver(recorder, forKeyPath: "value")
                }
            }
        }
    }

    func testTheOrderIsThatOfTheRegistrations() {
        let (gauge, named) = (Gauge(), Recorder())
        var log: [String] = []
        named.onNotice = { log.append("named") }
        let first = gauge.observe(\.value, options: .new) { log.append("a\($1.newValue!)") }
        gauge.addObserver(named, forKeyPath: "value", options: .old)
        let last = gauge.observe(\.value) { _, _ in log.append("b") }
        gauge.value = 1
        XCTAssertEqual(log, ["a1", "named", "b"])
        first.invalidate()
        last.invalidate()
        gauge.removeObserver(named, forKeyPath: "value")
    }

    func testAnObserverThatAssignsLeavesTheValuesOfTheOthers() {
        let gauge = Gauge()
        var (first, second): ([Int], [Int]) = ([], [])
        let tokens = [
            gauge.observe(\.value, options: [.old, .new]) { gauge, change in
                first += [change.oldValue!, change.newValue!]
                if change.newValue == 1 { gauge.value = 2 }
            },
            gauge.observe(\.value, options: [.old, .new]) { second += [$1.oldValue!, $1.newValue!] },
        ]
        gauge.value = 1
        XCTAssertEqual(first, [0, 1, 1, 2])
        XCTAssertEqual(second, [1, 2, 0, 1])
        tokens.forEach { $0.invalidate() }
    }

    func testObserversEndInsideOfTheNotification() {
        let gauge = Gauge()
        var (tokens, count): ([KeyValueObservation], Int) = ([], 0)
        for _ in 0..<4 {
            tokens.append(
                gauge.observe(\.value) { _, _ in
                    count += 1
                    tokens.forEach { $0.invalidate() }
                })
        }
        gauge.value = 1
        gauge.value = 2
        XCTAssertEqual(count, 1)
    }

    func testObserversByNameAreRemovedInAnyOrder() {
        var random = SystemRandomNumberGenerator()
        let gauge = Gauge()
        var recorders = (0..<200).map { _ in Recorder() }
        for recorder in recorders {
            gauge.addObserver(recorder, forKeyPath: "value", options: .new)
            gauge.addObserver(recorder, forKeyPath: "other", options: .new)
            gauge.addObserver(recorder, forKeyPath: "value", options: .new)
        }
        recorders.shuffle(using: &random)
        for (number, recorder) in recorders.enumerated() where number < 150 {
            gauge.removeObserver(recorder, forKeyPath: "value")
            gauge.removeObserver(recorder, forKeyPath: "other")
        }
        gauge.value = 1
        gauge.other = 2
        for (number, recorder) in recorders.enumerated() {
            let paths = recorder.notices.map(\.keyPath)
            XCTAssertEqual(paths, number < 150 ? ["value"] : ["value", "value", "other"])
        }
        for (number, recorder) in recorders.enumerated() {
            gauge.removeObserver(recorder, forKeyPath: "value")
            if number >= 150 { gauge.removeObserver(recorder, forKeyPath: "value") }
            if number >= 150 { gauge.removeObserver(recorder, forKeyPath: "other") }
        }
        gauge.value = 3
        XCTAssertEqual(recorders.reduce(0) { $0 + $1.notices.count }, 150 + 50 * 3)
    }

    func testReleasedObserversAreDroppedWhenTheyAreMet() {
        let (gauge, kept) = (Gauge(), Recorder())
        for _ in 0..<100 { gauge.addObserver(Recorder(), forKeyPath: "value", options: [.old, .new]) }
        gauge.addObserver(kept, forKeyPath: "value", options: .new)
        gauge.addObserver(Recorder(), forKeyPath: "value", options: .prior)
        gauge.value = 1
        gauge.value = 2
        XCTAssertEqual(kept.notices.map { $0.new as? Int }, [1, 2])
        gauge.removeObserver(kept, forKeyPath: "value")
        XCTAssertFalse(gauge._observing.isObserved(gauge))
    }

    func testAnObserverThatIsTornDownAssignsAndIsRemoved() {
        final class Watcher: KeyValueObserver {
            let gauge: Gauge
            init(_ gauge: Gauge) {
                self.gauge = gauge
                gauge.addObserver(self, forKeyPath: "value", options: .new)
            }
            deinit {
                gauge.value += 1
                gauge.removeObserver(self, forKeyPath: "value")
            }
            func observeValue(
                forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
                context: UnsafeMutableRawPointer?
            ) {}
        }
        let gauge = Gauge()
        _ = Watcher(gauge)
        XCTAssertEqual(gauge.value, 1)
    }
}
