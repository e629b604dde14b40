import Foundation
import KivoObserving
import XCTest

/// Instances that are observed for the first time while another thread assigns to them.
///
/// An instance's first observation is stored in the instance atomically, but the accessors of its properties read it like any stored
/// property. The thread sanitizer objects to that, and runs the first test in vain.
final class FirstObservationTests: XCTestCase {
    private final class Counter: KeyValueObservable, @unchecked Sendable {
        @Observed var value = 0
        @Observed var other = 0
        @Observed var next: Counter?
        let seen = Seen()
    }

    /// The values that the observers of one thread have received. Handlers run on the thread that assigns.
    private final class Seen: @unchecked Sendable {
        private let lock = NSLock()
        private var values: [Int] = []

        func append(_ value: Int) { lock.withLock { values.append(value) } }
        var all: [Int] { lock.withLock { values } }
    }

    func testTheFirstObservationBesideAssignments() {
        for round in 0..<400 {
            let counter = Counter()
            let assigned = 200
            let token = Locker()
            DispatchQueue.concurrentPerform(iterations: 2) { thread in
                if thread == 0 {
                    for value in 1...assigned { counter.value = value }
                } else {
                    token.set(
                        round % 2 == 0
                            ? counter.observe(\.value, options: [.old, .new]) { $0.seen.append($1.newValue!) }
                            : counter.observe(\.value, options: .new) { $0.seen.append($1.newValue!) })
                }
            }
            XCTAssertEqual(counter.value, assigned)
            counter.value = -1
            // Each assignment from the moment of the registration on.
            let seen = counter.seen.all
            XCTAssertEqual(seen.last, -1)
            XCTAssertEqual(
                seen.dropLast(), Array(((assigned - seen.count + 2)...(assigned + 1)).dropLast())[...])
            token.end()
        }
    }

    func testThreadsObserveAnInstanceAtOnce() {
        for _ in 0..<400 {
            let counter = Counter()
            let tokens = (0..<4).map { _ in Locker() }
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                switch thread {
                case 0:
                    tokens[0].set(counter.observe(\.value, options: .new) { $0.seen.append($1.newValue!) })
                case 1:
                    tokens[1].set(counter.observe(\.other, options: .new) { $0.seen.append($1.newValue!) })
                case 2:
                    tokens[2].set(counter.observe(\.value, options: .old) { $0.seen.append($1.oldValue!) })
                default:
                    tokens[3].set(counter.observe(\.next?.value) { counter, _ in counter.seen.append(9) })
                }
            }
            counter.value = 1
            counter.other = 2
            counter.next = Counter()
            counter.next!.value = 3
            XCTAssertEqual(counter.seen.all.sorted(), [0, 1, 2, 9, 9])
            tokens.forEach { $0.end() }
        }
    }

    /// A token that one thread stores and another ends.
    private final class Locker: @unchecked Sendable {
        private let lock = NSLock()
        private var token: KeyValueObservation?

        func set(_ token: KeyValueObservation) { lock.withLock { self.token = token } }
        func end() { lock.withLock { token?.invalidate() } }
    }
}
