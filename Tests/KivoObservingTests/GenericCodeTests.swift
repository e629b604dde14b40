import Foundation
import KivoObserving
import XCTest

private class Account: KeyValueObservable {
    @Observed var cents = 0
    @Observed var marks: [Int] = []
    var euros: Int {
        get { cents / 100 }
        set { cents = newValue * 100 }
    }

    class func computedProperties() -> [String: AnyKeyPath] { ["euros": \Account.euros] }
    class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        key == "euros" ? ["cents"] : []
    }
}

private final class Savings: Account {}

private final class Shelf<Item>: KeyValueObservable {
    @Observed var items: [Item] = []
    var count: Int { items.count }
}

private final class Job: KeyValueOperation, @unchecked Sendable {
    @Observed private var state = 0
    override var isFinished: Bool { state == 2 }
    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        key == "isFinished" ? ["state"] : super.keyPathsForValuesAffectingValue(forKey: key)
    }
    func end() { state = 2 }
}

/// Key paths that are written in generic code. The runtime makes them with the types as arguments, as it does for subscripts.
final class GenericCodeTests: XCTestCase {
    private func follow<Subject: Account>(_ account: Subject) -> (tokens: [KeyValueObservation], log: Log) {
        let log = Log()
        let tokens = [
            account.observe(\.cents, options: [.old, .new]) {
                log.add("cents \($1.oldValue!) \($1.newValue!)")
            },
            account.observe(\.euros, options: .new) { log.add("euros \($1.newValue!)") },
            account.observe(\.marks, options: .new) {
                log.add("marks \($1.kind == .insertion) \($1.newValue!)")
            },
        ]
        return (tokens, log)
    }

    private final class Log {
        private(set) var lines: [String] = []
        func add(_ line: String) { lines.append(line) }
    }

    func testPropertiesOfTheClassAndOfASubclass() {
        for account in [Account(), Savings()] {
            let (tokens, log) = account is Savings ? follow(account as! Savings) : follow(account)
            account.euros = 2
            account.marks = [1]
            account.mutableArrayValue(forKey: "marks").add(5)
            XCTAssertEqual(
                log.lines, ["cents 0 200", "euros 2", "marks false [1]", "marks true [5]"],
                "\(type(of: account))")
            tokens.forEach { $0.invalidate() }
        }
    }

    private func counts<Item>(of shelf: Shelf<Item>, _ log: Log) -> [KeyValueObservation] {
        [
            shelf.observe(\.count, options: .new) { log.add("count \($1.newValue!)") },
            shelf.observe(\.items, options: .new) { log.add("items \($1.newValue!)") },
        ]
    }

    func testPropertiesOfAGenericClass() {
        let (numbers, words, log) = (Shelf<Int>(), Shelf<String>(), Log())
        let tokens = counts(of: numbers, log) + counts(of: words, log)
        numbers.items.append(7)
        words.items.append("a")
        XCTAssertEqual(log.lines.sorted(), ["count 1", "count 1", "items [\"a\"]", "items [7]"])
        tokens.forEach { $0.invalidate() }
    }

    private func end<Step: KeyValueOperation>(of step: Step, _ log: Log) -> KeyValueObservation {
        step.observe(\.isFinished, options: .new) { log.add("\($1.newValue!)") }
    }

    /// The property is declared by a superclass of another module, and overridden.
    func testStatesOfOperations() {
        let (job, log) = (Job(), Log())
        let token = end(of: job, log)
        job.end()
        XCTAssertEqual(log.lines, ["true"])
        token.invalidate()
    }
}
