import Foundation
import KivoObserving
import TestRandomness
import XCTest

/// Instances with one observer, which have no `KivoObserving.KeyValueObservations` until anything else happens to them.
final class OnlyObserverTests: XCTestCase {
    private final class Pair: KeyValueObservable {
        @Observed var first = 0
        @Observed var second = 0
        @Observed var next: Pair?
    }

    /// Something that a closure holds, so that its release is seen.
    private final class Witness {}

    func testASecondObserverOfAnotherPropertyLeavesTheFirst() {
        let pair = Pair()
        var (firsts, seconds): ([Int], [Int]) = ([], [])
        let one = pair.observe(\.first, options: [.old, .new]) { firsts += [$1.oldValue!, $1.newValue!] }
        pair.first = 1
        pair.second = 5
        let two = pair.observe(\.second, options: .new) { seconds.append($1.newValue!) }
        pair.first = 2
        pair.second = 6
        one.invalidate()
        pair.first = 3
        pair.second = 7
        two.invalidate()
        pair.second = 8
        XCTAssertEqual(firsts, [0, 1, 1, 2])
        XCTAssertEqual(seconds, [6, 7])
    }

    func testTheOnlyObserverIsReplacedByAnother() {
        let pair = Pair()
        for round in 1...5 {
            var values: [Int] = []
            let token = pair.observe(round % 2 == 0 ? \.first : \.second, options: [.initial, .new]) {
                values.append($1.newValue!)
            }
            pair.first = round
            pair.second = -round
            token.invalidate()
            pair.first = 0
            pair.second = 0
            XCTAssertEqual(values, round % 2 == 0 ? [0, round] : [0, -round])
        }
    }

    func testAnObserverByNameJoinsAndLeaves() {
        let (pair, recorder) = (Pair(), Recorder())
        var values: [Int] = []
        let token = pair.observe(\.first, options: .new) { values.append($1.newValue!) }
        pair.addObserver(recorder, forKeyPath: "first", options: .new)
        pair.first = 1
        pair.removeObserver(recorder, forKeyPath: "first")
        pair.first = 2
        token.invalidate()
        pair.first = 3
        XCTAssertEqual(values, [1, 2])
        XCTAssertEqual(recorder.notices.map { $0.new as? Int }, [1])
    }

    func testAnAnnouncementReachesTheOnlyObserver() {
        let pair = Pair()
        var count = 0
        let token = pair.observe(\.first) { _, _ in count += 1 }
        pair.willChangeValue(forKey: "first")
        pair.didChangeValue(forKey: "first")
        pair.willChangeValue(for: \.second)
        pair.didChangeValue(for: \.second)
        pair.setValue(4, forKey: "first")
        token.invalidate()
        XCTAssertEqual(count, 2)
    }

    func testAPathThroughAnInstanceWithAnObserver() {
        let (root, pair) = (Pair(), Pair())
        root.next = pair
        var (direct, along): ([Int], [Int?]) = ([], [])
        let one = pair.observe(\.first, options: .new) { direct.append($1.newValue!) }
        let two = root.observe(\.next?.first, options: .new) { along.append($1.newValue!) }
        pair.first = 1
        root.next = nil
        pair.first = 2
        XCTAssertEqual(direct, [1, 2])
        XCTAssertEqual(along, [1, nil])
        one.invalidate()
        two.invalidate()
    }

    func testObserversBeginAndEndInsideOfTheNotification() {
        let pair = Pair()
        var (tokens, log): ([KeyValueObservation], [String]) = ([], [])
        tokens.append(
            pair.observe(\.first, options: .new) { pair, change in
                log.append("a\(change.newValue!)")
                tokens.removeFirst().invalidate()
                tokens.append(pair.observe(\.first, options: .new) { log.append("b\($1.newValue!)") })
                tokens.append(pair.observe(\.second, options: .new) { log.append("c\($1.newValue!)") })
            })
        pair.first = 1
        pair.first = 2
        pair.second = 3
        XCTAssertEqual(log, ["a1", "b2", "c3"])
    }

    func testTheInstanceEndsBeforeItsTokenAndAfter() {
        weak var witness: Witness?
        func observed() -> (Pair, KeyValueObservation) {
            let (pair, held) = (Pair(), Witness())
            witness = held
            return (pair, pair.observe(\.first) { _, _ in withExtendedLifetime(held) {} })
        }
        var (pair, token): (Pair?, KeyValueObservation?) = observed()
        weak let released = pair
        pair = nil
        XCTAssertNil(released, "a token does not keep its object alive")
        token?.invalidate()
        XCTAssertNil(witness)
        (pair, token) = observed()
        token = nil
        XCTAssertNil(witness)
        pair?.first = 1
    }

    /// Registrations, ends, assignments and announcements in any order, against a list of what each observer must have seen.
    func testAnyOrderOfEvents() {
        var random = RandomSource()
        for round in 0..<400 {
            var trial = Trial()
            for _ in 0..<random.below(30) { trial.perform(&random) }
            trial.check("round \(round)")
        }
    }

    private struct Seen: Equatable {
        var old: Int?
        var new: Int?
        var isPrior = false
    }

    private final class Observer {
        let property: Int
        let options: NSKeyValueObservingOptions
        var token: KeyValueObservation?
        var seen: [Seen] = []
        var expected: [Seen] = []
        var endsAtNext = false

        init(_ property: Int, _ options: NSKeyValueObservingOptions) {
            (self.property, self.options) = (property, options)
        }

        func expect(old: Int?, new: Int?, isPrior: Bool = false) {
            expected.append(
                Seen(
                    old: options.contains(.old) ? old : nil, new: options.contains(.new) ? new : nil,
                    isPrior: isPrior))
        }
    }

    private struct Trial {
        static var properties: [ReferenceWritableKeyPath<Pair, Int>] { [\.first, \.second] }

        let pair = Pair()
        var observers: [Observer] = []
        var live: [Observer] { observers.filter { $0.token != nil } }

        mutating func perform(_ random: inout RandomSource) {
            switch random.below(8) {
            case 0, 1: begin(random.below(2), NSKeyValueObservingOptions(rawValue: UInt(random.below(16))))
            case 2: if let ended = live.randomElement(using: &random) { ended.token = nil }
            case 3: live.randomElement(using: &random)?.endsAtNext = true
            case 4:
                let property = random.below(2)
                let value = pair[keyPath: Trial.properties[property]]
                change(property, from: value, to: value) {
                    pair.willChangeValue(for: Trial.properties[property])
                    pair.didChangeValue(for: Trial.properties[property])
                }
            default:
                let (property, value) = (random.below(2), random.below(5))
                change(property, from: pair[keyPath: Trial.properties[property]], to: value) {
                    pair[keyPath: Trial.properties[property]] = value
                }
            }
        }

        private mutating func begin(_ property: Int, _ options: NSKeyValueObservingOptions) {
            let observer = Observer(property, options)
            if options.contains(.initial) {
                observer.expect(old: nil, new: pair[keyPath: Trial.properties[property]])
            }
            observer.token = pair.observe(Trial.properties[property], options: options) {
                [unowned observer] _, change in
                observer.seen.append(
                    Seen(old: change.oldValue, new: change.newValue, isPrior: change.isPrior))
                if observer.endsAtNext { observer.token = nil }
            }
            observers.append(observer)
        }

        private func change(_ property: Int, from old: Int, to new: Int, _ body: () -> Void) {
            for observer in live where observer.property == property {
                if observer.options.contains(.prior) {
                    observer.expect(old: old, new: nil, isPrior: true)
                    // It ends inside of this notification, and gets no other.
                    if observer.endsAtNext { continue }
                }
                observer.expect(old: old, new: new)
            }
            body()
        }

        func check(_ message: String) {
            for observer in observers { XCTAssertEqual(observer.seen, observer.expected, message) }
        }
    }
}
