import Foundation
import Kivo

/// A class with many computed properties that depend on one key.
private final class Wide: KeyValueObservable {
    @Observed var base = 0
    var twice: Int { base * 2 }

    static func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        key.hasPrefix("computed") ? ["base"] : []
    }
    static func computedProperties() -> [String: AnyKeyPath] {
        Dictionary(uniqueKeysWithValues: names.map { ($0, \Wide.twice as AnyKeyPath) })
    }
    static var names: [String] { (0..<100).map { "computed\($0)" } }
}

/// Many observers of one property, and key paths that are observed.
extension Rows {
    static var observedMany: [Row] {
        [
            Row("observed.typed/10", .truth, .ns, .atMost(250)) { typed(10, $0) },
            readersFloor(10),
            Row("observed.named/10", .truth, .ns, .atMost(1_500), floor: FloorReference(readersFloor(10))) {
                named(10, $0)
            },
            readersFloor(1_000),
            Row(
                "observed.named/1000", .truth, .ns, .atMost(60_000),
                floor: FloorReference(readersFloor(1_000))
            ) { named(1_000, $0) },
            Row("observed.named/remove10k", .truth, .ms, .atMost(5), measure: removing),
            Row("observed.path/register", .truth, .ns, .atMost(5_000), measure: registeringPath),
            Row("observed.path/middle", .truth, .ns, .atMost(2_000), measure: changingMiddle),
            computedFloor,
            Row(
                "observed.computed/100", .truth, .ns, .atMost(40_000), floor: FloorReference(computedFloor),
                measure: computed),
        ]
    }

    /// Making one record and calling observers with it, which are held weakly and read both values.
    private static func readersFloor(_ count: Int) -> Row {
        Row("floor.named/\(count)", .truth, .ns) { fixtures in
            struct Held { weak var reader: (any KeyValueObserver)? }
            let (gauge, tally) = (Gauge(), Tally())
            let readers = (0..<count).map { _ in ValueCounter(tally) }
            let held = readers.map { Held(reader: $0) }
            return Sampling.perOperation(fixtures.size(200_000) / count) {
                for value in 0..<$0 {
                    let record: [NSKeyValueChangeKey: Any] = [
                        .kindKey: NSKeyValueChange.setting.rawValue, .oldKey: value, .newKey: value + 1,
                    ]
                    for held in held {
                        held.reader?.observeValue(
                            forKeyPath: "value", of: gauge, change: record, context: nil)
                    }
                    tally.take(count, "floor.named")
                }
                withExtendedLifetime(readers) {}
            }
        }
    }

    /// Reading a hundred computed properties by their key paths, making a record of each, and calling an observer with it.
    private static var computedFloor: Row {
        Row("floor.computed/100", .truth, .ns) { fixtures in
            let (wide, counter) = (Wide(), CallCounter())
            let keyPaths = Array(Wide.computedProperties().values)
            return Sampling.perOperation(fixtures.size(2_000)) {
                for value in 0..<$0 {
                    wide.base = value
                    for keyPath in keyPaths {
                        counter.observeValue(
                            forKeyPath: "computed", of: wide,
                            change: [
                                .kindKey: NSKeyValueChange.setting.rawValue,
                                .newKey: (wide as Any)[keyPath: keyPath] as Any,
                            ], context: nil)
                    }
                    counter.tally.take(100, "floor.computed/100")
                }
            }
        }
    }

    private static func typed(_ count: Int, _ fixtures: Fixtures) -> Samples {
        let (gauge, tally) = (Gauge(), Tally())
        let tokens = (0..<count).map { _ in
            gauge.observe(\.value, options: [.old, .new]) { tally.add($1.newValue! &- $1.oldValue!) }
        }
        defer { tokens.forEach { $0.invalidate() } }
        return Sampling.perOperation(fixtures.size(100_000)) {
            for value in 0..<$0 {
                gauge.value = value
                tally.take(count, "observed.typed")
            }
        }
    }

    private static func named(_ count: Int, _ fixtures: Fixtures) -> Samples {
        let (gauge, tally) = (Gauge(), Tally())
        let readers = (0..<count).map { _ in ValueCounter(tally) }
        for reader in readers { gauge.addObserver(reader, forKeyPath: "value", options: [.old, .new]) }
        defer { for reader in readers { gauge.removeObserver(reader, forKeyPath: "value") } }
        return Sampling.perOperation(fixtures.size(200_000) / count) {
            for value in 0..<$0 {
                gauge.value = value
                tally.take(count, "observed.named")
            }
        }
    }

    /// Measures the removal of 10,000 observers by name, in the order of their registration.
    private static func removing(_ fixtures: Fixtures) -> Samples {
        let tally = Tally()
        let readers = (0..<fixtures.size(10_000)).map { _ in ValueCounter(tally) }
        return Sampling.repetitions(5) {
            let gauge = Gauge()
            for reader in readers { gauge.addObserver(reader, forKeyPath: "value", options: [.old, .new]) }
            let time = nanoseconds {
                for reader in readers { gauge.removeObserver(reader, forKeyPath: "value") }
            }
            gauge.value = 1
            tally.take(0, "observed.named/remove10k")
            return time
        }
    }

    /// Measures the registration and the removal of an observer of a path of two links.
    private static func registeringPath(_ fixtures: Fixtures) -> Samples {
        let (first, middle, tally) = (Gauge(), Gauge(), Tally())
        first.next = middle
        middle.next = Gauge()
        return Sampling.perOperation(fixtures.size(20_000)) {
            for _ in 0..<$0 { first.observe(\.next?.next?.value) { _, _ in tally.add() }.invalidate() }
            middle.next!.value += 1
            tally.take(0, "observed.path/register")
        }
    }

    /// Measures a change of the middle link of a path of two links.
    private static func changingMiddle(_ fixtures: Fixtures) -> Samples {
        let (first, middle, ends, tally) = (Gauge(), Gauge(), [Gauge(), Gauge()], Tally())
        first.next = middle
        middle.next = ends[0]
        let token = first.observe(\.next?.next?.value) { _, _ in tally.add() }
        defer { token.invalidate() }
        return Sampling.perOperation(fixtures.size(20_000)) {
            for number in 1...$0 {
                middle.next = ends[number % 2]
                tally.take(1, "observed.path/middle")
            }
        }
    }

    /// Measures a change of a property on which a hundred observed computed properties depend.
    private static func computed(_ fixtures: Fixtures) -> Samples {
        let (wide, counter) = (Wide(), CallCounter())
        for name in Wide.names { wide.addObserver(counter, forKeyPath: name, options: [.new]) }
        defer { for name in Wide.names { wide.removeObserver(counter, forKeyPath: name) } }
        return Sampling.perOperation(fixtures.size(2_000)) {
            for value in 0..<$0 {
                wide.base = value
                counter.tally.take(100, "observed.computed/100")
            }
        }
    }
}
