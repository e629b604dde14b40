import Foundation
import Kivo
import Observation

/// A plain class with observed properties.
final class Gauge: KeyValueObservable {
    @Observed var value = 0
    @Observed var next: Gauge?
}

@inline(never)
private func read(_ gauge: Gauge) -> Int { gauge.value }

@inline(never)
private func write(_ gauge: Gauge, _ value: Int) { gauge.value = value }

/// Observed with the toolchain's own means.
@Observable
final class ToolchainGauge {
    var value = 0
}

@inline(never)
private func write(_ gauge: ToolchainGauge, _ value: Int) { gauge.value = value }

/// Key-value observing of classes that are no models.
extension Rows {
    private static let sets = 200_000

    static var observed: [Row] {
        [
            Row("observed.set", .observed, .ns, .timesFloor(1.2), floor: FloorReference(.set)) { fixtures in
                let gauge = Gauge()
                return Sampling.perOperation(fixtures.size(5_000_000)) {
                    for value in 0..<$0 { write(gauge, value) }
                    expect(gauge.value == $0 - 1, "observed.set did not set")
                }
            },
            Row("observed.get", .observed, .ns, .timesFloor(1.1), floor: FloorReference(.get)) { fixtures in
                let gauge = Gauge()
                gauge.value = 1
                return Sampling.perOperation(fixtures.size(5_000_000)) {
                    var sum = 0
                    for _ in 0..<$0 { sum &+= read(gauge) }
                    expect(sum == $0, "observed.get read something else")
                }
            },
            Row("observed.values", .observed, .ns, .atMost(60), measure: typed),
            Row("observed.name", .observed, .ns, .atMost(150), measure: named),
            Row("observed.path", .observed, .ns, .atMost(120), measure: path),
            Row("observed.reroute", .observed, .ns, measure: reroute),
            Row("observed.register", .observed, .ns, .atMost(600), measure: registering),
            Row("observed.end", .observed, .us, .atMost(0.4), measure: ending),
            Row("observed.toolchain", .observed, .ns, measure: toolchain),
        ]
    }

    private static func typed(_ fixtures: Fixtures) -> Samples {
        let (gauge, tally) = (Gauge(), Tally())
        let token = gauge.observe(\.value, options: [.old, .new]) { _, change in
            guard let old = change.oldValue, let new = change.newValue else {
                fatalError("kivo-bench: observed.values got no values")
            }
            tally.add(new &- old)
        }
        defer { token.invalidate() }
        var value = 0
        return Sampling.perOperation(fixtures.size(sets)) {
            for _ in 0..<$0 {
                value += 7
                write(gauge, value)
                tally.take(1, "observed.values")
                expect(tally.last == 7, "observed.values got other values")
            }
        }
    }

    private final class Counter: KeyValueObserver {
        let tally = Tally()

        func observeValue(
            forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
        ) {
            tally.add()
        }
    }

    private static func named(_ fixtures: Fixtures) -> Samples {
        let (gauge, counter) = (Gauge(), Counter())
        gauge.addObserver(counter, forKeyPath: "value")
        defer { gauge.removeObserver(counter, forKeyPath: "value") }
        return Sampling.perOperation(fixtures.size(sets)) {
            for value in 0..<$0 {
                write(gauge, value)
                counter.tally.take(1, "observed.name")
            }
        }
    }

    /// Observes the end of a path of two links, and measures with the gauges before the end and at the end.
    private static func observedPath(
        _ body: (_ last: Gauge, _ end: Gauge, _ tally: Tally) -> Samples
    ) -> Samples {
        let (first, last, end, tally) = (Gauge(), Gauge(), Gauge(), Tally())
        first.next = last
        last.next = end
        let token = first.observe(\.next?.next?.value) { _, _ in tally.add() }
        defer { token.invalidate() }
        return body(last, end, tally)
    }

    /// Measures a change of the end of a path of two links.
    private static func path(_ fixtures: Fixtures) -> Samples {
        observedPath { _, end, tally in
            Sampling.perOperation(fixtures.size(sets)) {
                for value in 0..<$0 {
                    write(end, value)
                    tally.take(1, "observed.path")
                }
            }
        }
    }

    /// Measures a change of the last link of a path of two links, which leads to another end then.
    private static func reroute(_ fixtures: Fixtures) -> Samples {
        observedPath { last, end, tally in
            let ends = [Gauge(), end]
            return Sampling.perOperation(fixtures.size(sets / 10)) {
                for number in 0..<$0 {
                    last.next = ends[number % 2]
                    tally.take(1, "observed.reroute")
                }
            }
        }
    }

    private static func registering(_ fixtures: Fixtures) -> Samples {
        let (gauge, tally) = (Gauge(), Tally())
        let samples = Sampling.perOperation(fixtures.size(sets)) {
            for _ in 0..<$0 { gauge.observe(\.value) { _, _ in tally.add() }.invalidate() }
        }
        gauge.value = 1
        tally.take(0, "observed.register")
        return samples
    }

    /// Measures ending the observations of 100,000 objects, each of which has one.
    private static func ending(_ fixtures: Fixtures) -> Samples {
        let count = fixtures.size(100_000)
        return Sampling.repetitions(5) {
            let gauges = (0..<count).map { _ in Gauge() }
            let tokens = gauges.map { $0.observe(\.value) { _, _ in } }
            let time = nanoseconds { for token in tokens { token.invalidate() } }
            return time / Double(count)
        }
    }

    /// Measures a change that the toolchain's Observation notifies, and the registration for the next one, which it requires.
    private static func toolchain(_ fixtures: Fixtures) -> Samples {
        let (gauge, tally) = (ToolchainGauge(), Tally())
        func track() {
            withObservationTracking {
                _ = gauge.value
            } onChange: {
                tally.add()
            }
        }
        var value = 0
        return Sampling.perOperation(fixtures.size(sets)) {
            for _ in 0..<$0 {
                track()
                // Equal values are not notified.
                value += 1
                write(gauge, value)
                tally.take(1, "observed.toolchain")
            }
        }
    }
}
