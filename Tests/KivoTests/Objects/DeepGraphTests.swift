import Foundation
import Kivo
import Synchronization
import TestRandomness
import XCTest

/// Graphs that are deeper than a stack. The work is done on a thread with a small one.
final class DeepGraphTests: RealmTestCase {
    private static let depth = TestEffort.size(2_500, full: 6_000)

    /// Runs `work` on a thread whose stack has room for some hundred calls.
    private func onASmallStack(_ work: @escaping @Sendable (Realm) throws -> Void) throws {
        let configuration = configuration
        let failure = Shared<String?>(nil)
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            do { try work(Realm(configuration: configuration)) } catch { failure.update { $0 = "\(error)" } }
            done.signal()
        }
        thread.stackSize = 256 * 1024
        thread.start()
        done.wait()
        XCTAssertNil(failure.value)
    }

    /// The ways in which an object can hold the next of its class.
    private enum Way: CaseIterable {
        case link, list, set, map

        func tie(_ object: Stop, to next: Stop) {
            switch self {
            case .link: object.next = next
            case .list: object.list.append(next)
            case .set: object.set.insert(next)
            case .map: object.map["next"] = next
            }
        }

        func next(_ object: Stop) -> Stop? {
            switch self {
            case .link: object.next
            case .list: object.list.first
            case .set: object.set.first
            case .map: object.map["next"] ?? nil
            }
        }

        /// An unmanaged chain, whose objects are numbered from 0.
        func chain(_ depth: Int) -> Stop {
            var head = Stop(value: ["number": depth - 1])
            for number in (0..<depth - 1).reversed() {
                let object = Stop(value: ["number": number])
                tie(object, to: head)
                head = object
            }
            return head
        }

        /// The length of the chain, if its numbers ascend from 0.
        func length(_ head: Stop) -> Int? {
            var (count, object) = (0, Optional(head))
            while let current = object {
                if current.number != count { return nil }
                count += 1
                object = next(current)
            }
            return count
        }
    }

    func testAddingAndDeleting() throws {
        try onASmallStack { realm in
            for way in TestEffort.cases(Way.allCases, within: 0.18) {
                let head = way.chain(Self.depth)
                try realm.write { realm.add(head) }
                XCTAssertEqual(way.length(head), Self.depth)
                XCTAssertEqual(
                    realm.objects(Stop.self).map(\.number), Array(0..<Self.depth),
                    "who links comes before who is linked to")
                XCTAssertLessThan(head.description.count, 10_000)
                try realm.write { realm.delete(realm.objects(Stop.self)) }
                XCTAssertTrue(head.isInvalidated)
            }
        }
    }

    func testCreatingFromObjects() throws {
        try onASmallStack { realm in
            for way in TestEffort.cases(Way.allCases, within: 0.18) {
                let head = way.chain(Self.depth)
                let copy = try realm.write { realm.create(Stop.self, value: head) }
                XCTAssertNil(head.realm)
                XCTAssertEqual(way.length(copy), Self.depth)
                XCTAssertEqual(realm.objects(Stop.self).map(\.number), Array(0..<Self.depth))
                let other = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "deep \(way)"))
                let foreign = try other.write { other.create(Stop.self, value: copy) }
                XCTAssertEqual(way.length(foreign), Self.depth)
                try realm.write { realm.deleteAll() }
            }
        }
    }

    func testLettingGoOfUnmanagedObjects() throws {
        try onASmallStack { realm in
            for way in TestEffort.cases(Way.allCases, within: 0.18) {
                weak var first: Stop?
                weak var last: Stop?
                autoreleased {
                    let head = way.chain(Self.depth)
                    XCTAssertLessThan(head.description.count, 10_000)
                    first = head
                    var object = head
                    while let next = way.next(object) { object = next }
                    last = object
                }
                XCTAssertNil(first)
                XCTAssertNil(last)
            }
            // Each way in turn, and what is held from outside stays.
            var head = Stop()
            let kept = head
            for number in 0..<Self.depth {
                let object = Stop()
                Way.allCases[number % 4].tie(object, to: head)
                head = object
            }
            head = Stop()
            kept.number = 5
            XCTAssertEqual(kept.number, 5)
            let list = List<Stop>()
            list.append(Way.link.chain(Self.depth))
            list.removeAll()
        }
    }

    func testWhoGoesStillHasWhatItHolds() throws {
        try onASmallStack { _ in
            // The class is looked at first.
            _ = LastWords(value: ["number": 0])
            LastWords.heard.update { $0 = [] }
            autoreleased {
                var head = LastWords(value: ["number": 0])
                for number in 1..<4 {
                    head = LastWords(value: ["number": number, "next": head] as [String: Any])
                }
                _ = head
            }
            XCTAssertEqual(LastWords.heard.value, ["3 2", "2 1", "1 0", "0 nil"])
        }
    }

    func testEmbeddedObjects() throws {
        try onASmallStack { realm in
            for isList in TestEffort.sample([false, true], 1) {
                func chain() -> Platform {
                    var head = Platform(0)
                    for number in 1..<Self.depth {
                        let object = Platform(number)
                        if isList { object.parts.append(head) } else { object.inner = head }
                        head = object
                    }
                    return head
                }
                func length(_ head: Platform?) -> Int {
                    var (count, object) = (0, head)
                    while let current = object {
                        count += 1
                        object = isList ? current.parts.first : current.inner
                    }
                    return count
                }
                let station = Station(value: ["name": "a"])
                station.platform = chain()
                try realm.write { realm.add(station) }
                XCTAssertEqual(length(station.platform), Self.depth)
                let copy = try realm.write {
                    realm.create(
                        Station.self, value: ["name": "b", "platform": station.platform!] as [String: Any])
                }
                XCTAssertEqual(length(copy.platform), Self.depth)
                XCTAssertEqual(length(Platform(value: copy.platform!)), Self.depth)
                let update = Station(value: ["name": "b", "platform": chain()] as [String: Any])
                try realm.write { realm.add(update, update: .modified) }
                XCTAssertEqual(length(copy.platform), Self.depth)
                try realm.write { station.platform = nil }
                try realm.write { realm.delete(copy) }
                try realm.write { realm.deleteAll() }
            }
        }
    }

    func testNestedValues() throws {
        // Not on a small stack, because Swift releases nested dictionaries recursively.
        let realm = try openRealm()
        let depth = TestEffort.size(2_000, full: 8_000)
        var value: [String: Any] = ["number": 0]
        for number in 1..<depth { value = ["number": number, "next": value] }
        var listed: [String: Any] = ["number": 0]
        for number in 1..<depth { listed = ["number": number, "list": [listed]] }
        for value in [value, listed] {
            try realm.write { realm.create(Stop.self, value: value) }
            XCTAssertEqual(realm.objects(Stop.self).map(\.number), (0..<depth).reversed())
            try realm.write { realm.deleteAll() }
            let unmanaged = Stop(value: value)
            try realm.write { realm.add(unmanaged) }
            XCTAssertEqual(realm.objects(Stop.self).count, depth)
            try realm.write { realm.deleteAll() }
        }
    }
}

/// An object that says what it holds when it goes.
private final class LastWords: Object {
    static let heard = Shared<[String]>([])

    @Persisted var number = 0
    @Persisted var next: LastWords?

    deinit {
        let (number, next) = (number, next.map { "\($0.number)" } ?? "nil")
        LastWords.heard.update { $0.append("\(number) \(next)") }
    }
}

/// Runs a body whose local variables are gone when this returns.
@inline(never)
private func autoreleased(_ body: () -> Void) { body() }
