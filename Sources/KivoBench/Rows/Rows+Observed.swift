import Foundation
import Kivo
import Observation

/// A plain class with observed properties.
final class Gauge: KeyValueObservable {
    @Observed var value = 0
    @Observed var next: Gauge?
}

/// An observer by name that counts, and reads both values.
final class ValueCounter: KeyValueObserver {
    let tally: Tally

    init(_ tally: Tally = Tally()) { self.tally = tally }

    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        guard let old = change?[.oldKey] as? Int, let new = change?[.newKey] as? Int else {
            fatalError("kivo-bench: observed.named got no values")
        }
        tally.add(new &- old)
    }
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
            toolchainRow,
            beside("observed.typed", .atMost(60), typed),
            beside("observed.named", .atMost(150), named),
            beside("observed.path", .atMost(120), path),
            beside("observed.reroute", nil, reroute),
            beside("observed.register", .atMost(600), registering),
            Row("observed.memory", .observed, .bytes, .atMost(330)) { fixtures in
                let count = fixtures.size(100_000)
                return Samples(try (0..<5).map { _ in try MemoryProbe.observations.askChild(count) })
            },
            Row("observed.end", .observed, .ns, .atMost(400), measure: ending),
        ]
    }

    /// The toolchain's own way to observe, which is the floor of the others.
    private static var toolchainRow: Row { Row("floor.observing", .observed, .ns, measure: toolchain) }

    private static func beside(
        _ name: String, _ target: Target?, _ measure: @escaping (Fixtures) throws -> Samples
    ) -> Row {
        Row(name, .observed, .ns, target, floor: FloorReference(toolchainRow), measure: measure)
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
                tally.take(1, "observed.typed")
                expect(tally.last == 7, "observed.typed got other values")
            }
        }
    }

    private static func named(_ fixtures: Fixtures) -> Samples {
        let (gauge, counter) = (Gauge(), ValueCounter())
        gauge.addObserver(counter, forKeyPath: "value", options: [.old, .new])
        defer { gauge.removeObserver(counter, forKeyPath: "value") }
        return Sampling.perOperation(fixtures.size(sets)) {
            for value in 0..<$0 {
                write(gauge, value)
                counter.tally.take(1, "observed.named")
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

    /// Measures adding and removing an observer, each time on an object that never had one.
    private static func registering(_ fixtures: Fixtures) -> Samples {
        let (count, tally) = (fixtures.size(sets / 2), Tally())
        return Sampling.repetitions(5) {
            let gauges = (0..<count).map { _ in Gauge() }
            let time = nanoseconds {
                for gauge in gauges { gauge.observe(\.value) { _, _ in tally.add() }.invalidate() }
            }
            for gauge in gauges { gauge.value = 1 }
            tally.take(0, "observed.register")
            return time / Double(count)
        }
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
                tally.take(1, "floor.observing")
            }
        }
    }
}

/// 100,000 objects with one observer each, in a process that does nothing else.
enum ObservedGauges {
    /// Returns the number of bytes by which the process has grown for each observation.
    static func bytes(_ count: Int) -> Double {
        // The first objects load code and tables of a fixed size, which are not memory of an observation.
        let first = gauges(600)
        var firstTokens: [KeyValueObservation?] = Array(repeating: nil, count: first.count)
        observe(first, &firstTokens)
        let observed = gauges(count)
        // The memory of the array is written to before, since it is none of an observation's.
        var tokens: [KeyValueObservation?] = Array(repeating: nil, count: count)
        let before = MemoryProbe.resident()
        observe(observed, &tokens)
        let grown = MemoryProbe.resident() - before
        for gauge in observed { gauge.value = 1 }
        expect(tokens.allSatisfy { $0 != nil }, "observed.memory did not observe")
        withExtendedLifetime((first, firstTokens, observed, tokens)) {}
        return Double(grown) / Double(count)
    }

    private static func gauges(_ count: Int) -> [Gauge] { (0..<count).map { _ in Gauge() } }

    private static func observe(_ gauges: [Gauge], _ tokens: inout [KeyValueObservation?]) {
        for (index, gauge) in gauges.enumerated() {
            tokens[index] = gauge.observe(\.value, options: [.old, .new]) { _, _ in }
        }
    }
}
