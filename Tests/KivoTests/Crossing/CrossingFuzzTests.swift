import Dispatch
import Foundation
import Kivo
import Synchronization
import XCTest

/// References, frozen forms and variables go between threads while a writer goes on, and show the versions that they have to.
///
/// The slow model is the history: the contents of all objects after each commit. A special object holds the number of the
/// commit, so that every reader knows which version it reads, and what everything else has to be.
final class CrossingFuzzTests: RealmTestCase {
    func testValuesOnTheirWayWhileAWriterGoesOn() throws {
        let realm = try openRealm()
        try realm.write { realm.create(CrossingParcel.self, value: ["number": 0, "weight": 0]) }
        let (configuration, finished, group) = (configuration, Done(), DispatchGroup())
        let world = CrossingWorld()
        run(in: group) {
            defer { finished.set() }
            try world.write(configuration)
        }
        for reader in 0..<2 {
            run(in: group) {
                var random = RandomSource("crossing reader \(reader)")
                while !finished.isSet || !world.sent.value.isEmpty {
                    try world.receive(configuration, &random)
                }
            }
        }
        XCTAssertEqual(group.wait(timeout: .now() + 120), .success)
        realm.refresh()
        let (last, contents) = CrossingWorld.contents(realm.objects(CrossingParcel.self))
        XCTAssertEqual(last, world.history.value.count - 1)
        XCTAssertEqual(contents.weights, world.history.value.last?.weights)
        XCTAssertEqual(contents.codes, world.history.value.last?.codes)
        XCTAssertLessThanOrEqual(realm.versionCount, 2, "versions of what is gone are kept")
    }

    /// Runs `work` on a new thread.
    private func run(in group: DispatchGroup, _ work: @escaping @Sendable () throws -> Void) {
        group.enter()
        let thread = Thread {
            do { try work() } catch { XCTFail("\(error)") }
            group.leave()
        }
        thread.start()
    }
}

/// The values in transit, and the contents after each commit. Thread-safe.
private final class CrossingWorld: Sendable {
    struct Contents: Sendable, Equatable {
        var weights: [Int: Int] = [:]
        var codes: [Int: [Int]] = [:]
        /// The commits that added the objects: an object that is added again is another one.
        var births: [Int: Int] = [:]
    }

    /// A value in transit to another thread, and the commit after which it was made.
    enum Sent: Sendable {
        case reference(ThreadSafeReference<CrossingParcel>, Int, commit: Int)
        case codes(ThreadSafeReference<List<Int>>, Int, commit: Int)
        case results(ThreadSafeReference<Results<CrossingParcel>>, commit: Int)
        case frozen(Frozen<CrossingParcel>, Int, commit: Int)
        case version(FrozenRealm, commit: Int)
        case variable(ThreadSafe<CrossingParcel>, Int, commit: Int)
    }

    let history = Shared<[Contents]>([Contents(weights: [0: 0], codes: [0: []])])
    let sent = Shared<[Sent]>([])

    static func contents(_ results: some Swift.Sequence<CrossingParcel>) -> (Int, Contents) {
        var (commit, contents) = (0, Contents())
        for parcel in results {
            if parcel.number == 0 { commit = parcel.weight }
            contents.weights[parcel.number] = parcel.weight
            contents.codes[parcel.number] = Array(parcel.codes)
        }
        return (commit, contents)
    }

    func write(_ configuration: Realm.Configuration) throws {
        var random = RandomSource("crossing writer")
        let realm = try Realm(configuration: configuration)
        let clock = try XCTUnwrap(realm.object(ofType: CrossingParcel.self, forPrimaryKey: 0))
        for commit in 1...150 {
            var contents = history.value[commit - 1]
            try realm.write {
                for _ in 0..<random.below(4) + 1 {
                    edit(realm, random.below(8) + 1, random.below(4), commit, &contents)
                }
                clock.weight = commit
                contents.weights[0] = commit
            }
            // Others may see the version before it is in the history, and wait for it there.
            let made = contents
            history.update { $0.append(made) }
            for _ in 0..<random.below(3) { send(realm, random.below(9), random.below(6), commit) }
        }
    }

    private func edit(_ realm: Realm, _ number: Int, _ what: Int, _ value: Int, _ contents: inout Contents) {
        var random = RandomSource(seed: UInt64(value))
        guard let parcel = realm.object(ofType: CrossingParcel.self, forPrimaryKey: number) else {
            let values = ["number": random.loose(number), "weight": random.loose(value)]
            realm.create(CrossingParcel.self, value: random.looseObject(values))
            (contents.weights[number], contents.codes[number]) = (value, [])
            contents.births[number] = value
            return
        }
        switch what {
        case 0:
            realm.delete(parcel)
            (contents.weights[number], contents.codes[number]) = (nil, nil)
            contents.births[number] = nil
        case 1:
            parcel.assign(random.loose(value), "weight", &random)
            contents.weights[number] = value
        default:
            parcel.mutableArrayValue(forKey: "codes").add(random.loose(value))
            contents.codes[number]?.append(value)
        }
    }

    private func send(_ realm: Realm, _ number: Int, _ kind: Int, _ commit: Int) {
        let parcel = realm.object(ofType: CrossingParcel.self, forPrimaryKey: number)
        let value: Sent
        switch (kind, parcel) {
        case (0, let parcel?): value = .reference(ThreadSafeReference(to: parcel), number, commit: commit)
        case (1, let parcel?): value = .codes(ThreadSafeReference(to: parcel.codes), number, commit: commit)
        case (2, let parcel?): value = .frozen(parcel.frozenSnapshot(), number, commit: commit)
        case (3, let parcel?): value = .variable(ThreadSafe(wrappedValue: parcel), number, commit: commit)
        case (4, _): value = .version(realm.frozenSnapshot(), commit: commit)
        default:
            let results = realm.objects(CrossingParcel.self).where { $0.number >= 0 }
            value = .results(ThreadSafeReference(to: results), commit: commit)
        }
        sent.update { $0.append(value) }
    }

    /// Returns the contents after a commit, which a reader may see before they are recorded.
    private func contents(_ commit: Int) throws -> Contents {
        let deadline = Date(timeIntervalSinceNow: 120)
        while Date() < deadline {
            let known = history.value
            if commit < known.count { return known[commit] }
            Thread.sleep(forTimeInterval: 0.0005)
        }
        throw XCTSkip("The writer stopped after \(history.value.count) commits.")
    }

    func receive(_ configuration: Realm.Configuration, _ random: inout RandomSource) throws {
        let index = random.below(1000)
        let taken = Shared<Sent?>(nil)
        sent.update { sent in
            if sent.isEmpty { return }
            let value = sent.remove(at: index % sent.count)
            taken.update { $0 = value }
        }
        guard let value = taken.value else { return Thread.sleep(forTimeInterval: 0.0005) }
        // A realm that has read nothing, one that has, or one in a write.
        let realm = try Realm(configuration: configuration)
        let beginning = random.below(3)
        if beginning == 1 { _ = realm.isEmpty }
        if beginning == 2 { realm.beginWrite() }
        try check(value, realm, startsFresh: beginning == 0)
        if beginning == 2 { realm.cancelWrite() }
    }

    private func check(_ value: Sent, _ realm: Realm, startsFresh: Bool) throws {
        switch value {
        case .reference(let reference, let number, let commit):
            let parcel = realm.resolve(reference)
            let (seen, _) = try checkVersion(realm, atLeast: commit, exactly: startsFresh)
            let isThere = try isThere(number, of: commit, at: seen)
            XCTAssertEqual(parcel?.weight, isThere ? try contents(seen).weights[number] : nil)
            XCTAssertTrue(reference.isInvalidated)
        case .codes(let reference, let number, let commit):
            let codes = realm.resolve(reference)
            let (seen, _) = try checkVersion(realm, atLeast: commit, exactly: startsFresh)
            let isThere = try isThere(number, of: commit, at: seen)
            XCTAssertEqual(codes.map(Array.init), isThere ? try contents(seen).codes[number] : nil)
        case .results(let reference, let commit):
            let results = try XCTUnwrap(realm.resolve(reference))
            let (_, found) = try checkVersion(realm, atLeast: commit, exactly: startsFresh)
            XCTAssertEqual(Self.contents(results).1, found)
        case .frozen(let frozen, let number, let commit):
            XCTAssertEqual(frozen.weight, try contents(commit).weights[number])
            XCTAssertEqual(Array(frozen.codes), try contents(commit).codes[number])
        case .version(let version, let commit):
            let (seen, found) = Self.contents(version.base.objects(CrossingParcel.self))
            XCTAssertEqual(seen, commit)
            var expected = try contents(commit)
            expected.births = [:]
            XCTAssertEqual(found, expected)
        case .variable(let variable, let number, let commit):
            let parcel = variable.wrappedValue
            let (seen, found) = try checkVersion(realm, atLeast: commit, exactly: false)
            // The instance that shows it is that of this thread, which stays where it is.
            let isThere = try isThere(number, of: commit, at: seen)
            XCTAssertEqual(parcel?.weight, isThere ? found.weights[number] : nil, "after \(seen)")
        }
    }

    /// Whether an object that was there after a commit is the one that has its number after another.
    private func isThere(_ number: Int, of commit: Int, at seen: Int) throws -> Bool {
        try contents(seen).births[number] == contents(commit).births[number]
    }

    private func checkVersion(_ realm: Realm, atLeast commit: Int, exactly: Bool) throws -> (Int, Contents) {
        let (seen, found) = Self.contents(realm.objects(CrossingParcel.self))
        if exactly { XCTAssertEqual(seen, commit) } else { XCTAssertGreaterThanOrEqual(seen, commit) }
        var expected = try contents(seen)
        expected.births = [:]
        XCTAssertEqual(found, expected)
        return (seen, found)
    }
}
