import Foundation
import Kivo
import KivoEngine
import XCTest

/// Random writers, waiting and not waiting, on threads, queues and actors. A slow model applies the completed commits in the
/// order that the data gives, and arrives at the same result.
class AsyncWriteFuzzTests: RealmTestCase {
    /// Whether a disk that fills up now and then makes writes fail.
    var makesFail: (@Sendable (Bool) -> Void)? { nil }

    @MainActor
    func testWritersOfAllKinds() async throws {
        for round in 0..<3 { try await run(round) }
    }

    @MainActor
    private func run(_ round: Int) async throws {
        var configuration = configuration
        if configuration.fileURL == nil { configuration.inMemoryIdentifier = "\(name) \(round)" }
        let main = try await Realm(configuration: configuration)
        if main.isEmpty {
            try main.write {
                main.add(AsyncLedger())
                main.create(AsyncTaken.self, value: ["id": 1])
            }
        }
        try main.write {
            main.objects(AsyncLedger.self)[0].total = 0
            main.objects(AsyncLedger.self)[0].entries.removeAll()
        }
        let record = Shared(AsyncRecord())
        let makesFail = makesFail
        // The actor and the queue take their numbers from seeds of their own, so that all that varies is who comes first.
        let actor = AsyncFuzzActor()
        let queue = DispatchQueue(label: "async fuzz")
        let seeds = (0..<6).map { RandomSource("async \(round) \($0)") }
        var watched: [String] = []
        let entries = main.objects(AsyncLedger.self)[0].entries
        let token = entries.observe { change in
            change.apply(to: &watched) { $0 }
            if watched != Array(entries) { XCTFail("what was told does not add up") }
        }
        let writers = Task.detached { [configuration] in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for thread in 0..<2 {
                    group.addTask {
                        try await AsyncWriteFuzzTests.onThread(
                            "thread \(thread)", configuration, record, seeds[thread])
                    }
                }
                group.addTask { try await actor.write("actor", configuration, record, seeds[2]) }
                group.addTask {
                    try await AsyncWriteFuzzTests.onQueue(queue, "queue", configuration, record, seeds[3])
                }
                if let makesFail {
                    group.addTask {
                        var random = seeds[5]
                        for _ in 0..<20 {
                            makesFail(true)
                            try await Task.sleep(nanoseconds: UInt64(random.below(2_000_000)))
                            makesFail(false)
                            try await Task.sleep(nanoseconds: UInt64(random.below(4_000_000)))
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        var random = seeds[4]
        let driver = AsyncDriver("main", main, record)
        for _ in 0..<80 {
            driver.step(&random)
            if random.chance(30) { await Task.yield() }
        }
        await eventually("the main realm's writes") { !main.isPerformingAsynchronousWriteOperations }
        try await writers.value
        makesFail?(false)
        await eventually("the actor's writes") { await actor.isDone }
        main.refresh()
        check(main, record.value, watched)
        token.invalidate()
    }

    private func check(_ realm: Realm, _ record: AsyncRecord, _ watched: [String]) {
        let ledger = realm.objects(AsyncLedger.self)[0]
        let entries = Array(ledger.entries)
        XCTAssertEqual(Set(entries), record.committed, "what is there is what was told to be committed")
        XCTAssertEqual(entries.count, record.committed.count)
        XCTAssertEqual(
            ledger.total, entries.reduce(0) { AsyncLedger.next($0, $1) }, "a write saw an old version")
        XCTAssertEqual(watched, entries)
        for (writer, begun) in record.queued {
            let there = entries.filter { $0.hasPrefix(writer + " q") }
            let places = there.map { Int($0.split(separator: "#")[1])! }
            XCTAssertEqual(places, places.sorted(), "the queued writes of \(writer) ran out of order")
            XCTAssertEqual(
                record.completed[writer] ?? [], (record.completed[writer] ?? []).sorted(),
                "the completions of \(writer) came out of order")
            XCTAssertGreaterThan(begun, 0)
        }
    }

    fileprivate static func onThread(
        _ name: String, _ configuration: Realm.Configuration, _ record: Shared<AsyncRecord>,
        _ seed: RandomSource
    ) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Thread {
                do {
                    var random = seed
                    let realm = try Realm(configuration: configuration)
                    for number in 0..<60 { writeAtOnce(name, number, realm, record, &random) }
                    continuation.resume()
                } catch { continuation.resume(throwing: error) }
            }.start()
        }
    }

    fileprivate static func onQueue(
        _ queue: DispatchQueue, _ name: String, _ configuration: Realm.Configuration,
        _ record: Shared<AsyncRecord>, _ seed: RandomSource
    ) async throws {
        let driver: AsyncHeld = try queue.sync {
            AsyncHeld(
                driver: AsyncDriver(name, try Realm(configuration: configuration, queue: queue), record),
                random: seed)
        }
        for _ in 0..<80 {
            queue.async { driver.driver.step(&driver.random) }
            await Task.yield()
        }
        while queue.sync(execute: { driver.driver.realm.isPerformingAsynchronousWriteOperations }) {
            try await Task.sleep(nanoseconds: 500_000)
        }
    }
}

final class AsyncFileWriteFuzzTests: AsyncWriteFuzzTests {
    private let disk = SmallDisk()

    override var configuration: Realm.Configuration {
        var configuration = Realm.Configuration(fileURL: URL(fileURLWithPath: "/tmp/\(name).kivo"))
        configuration.makeDevice = { [disk] _, _ in disk }
        return configuration
    }

    /// XCTest finds no test on Linux that a class only inherits.
    @MainActor
    override func testWritersOfAllKinds() async throws { try await super.testWritersOfAllKinds() }
}

final class AsyncFullDiskFuzzTests: AsyncWriteFuzzTests {
    private let disk = SmallDisk()

    override var configuration: Realm.Configuration {
        var configuration = Realm.Configuration(fileURL: URL(fileURLWithPath: "/tmp/\(name).kivo"))
        configuration.makeDevice = { [disk] _, _ in disk }
        return configuration
    }

    @MainActor
    override func testWritersOfAllKinds() async throws { try await super.testWritersOfAllKinds() }

    override var makesFail: (@Sendable (Bool) -> Void)? { { [disk] in disk.bytesLeft = $0 ? 0 : .max } }
}

class AsyncLedger: Object {
    @Persisted var total = 0
    @Persisted var entries: List<String>

    /// Enters a text, some by values as JSON and careless code give them.
    func enter(_ text: String) {
        let next = AsyncLedger.next(total, text)
        var random = RandomSource(seed: UInt64(next))
        guard random.chance(25) else {
            total = next
            entries.append(text)
            return
        }
        assign(random.loose(next), "total", &random)
        if random.chance(30) {
            let given: [Any] = (Array(entries) + [text]).map { random.loose($0) }
            assign(random.loose(given), "entries", &random)
        } else {
            mutableArrayValue(forKey: "entries").add(random.loose(text))
        }
    }

    /// Enters a text in a write that is refused: an object of its primary key exists.
    func enterInVain(_ text: String) {
        enter(text)
        var random = RandomSource(seed: UInt64(total))
        realm!.create(AsyncTaken.self, value: random.looseObject(["id": random.loose(1)]))
        enter(text)
    }

    static func next(_ total: Int, _ text: String) -> Int {
        text.utf8.reduce(total) { ($0 &* 31 &+ Int($1)) & 0xFFFF_FFFF }
    }
}

class AsyncTaken: Object {
    @Persisted(primaryKey: true) var id = 0
}

/// The results that the writers received.
private struct AsyncRecord: Sendable {
    var committed: Set<String> = []
    var queued: [String: Int] = [:]
    var completed: [String: [Int]] = [:]
}

/// Writes at once: commits, cancels, or throws.
private func writeAtOnce(
    _ name: String, _ number: Int, _ realm: Realm, _ record: Shared<AsyncRecord>, _ random: inout RandomSource
) {
    let text = "\(name) s#\(number)"
    let action = random.below(5)
    do {
        try realm.write {
            let ledger = realm.objects(AsyncLedger.self)[0]
            if action == 4 { return ledger.enterInVain(text) }
            ledger.enter(text)
            if action == 0 { realm.cancelWrite() }
            if action == 1 { throw AsyncFailure() }
        }
        XCTAssertNotEqual(action, 4)
        if action != 0 { record.update { $0.committed.insert(text) } }
    } catch is AsyncFailure {
    } catch Realm.Error.invalidInput where action == 4 {
    } catch Realm.Error.outOfDiskSpace {
    } catch { XCTFail("\(error)") }
}

/// Queues writes of one realm, and writes at once now and then.
private final class AsyncDriver {
    let realm: Realm
    private let name: String
    private let record: Shared<AsyncRecord>
    private var number = 0

    init(_ name: String, _ realm: Realm, _ record: Shared<AsyncRecord>) {
        (self.name, self.realm, self.record) = (name, realm, record)
    }

    func step(_ random: inout RandomSource) {
        number += 1
        let (realm, name, number, record) = (realm, name, number, record)
        let text = "\(name) q#\(number)"
        let enter = { realm.objects(AsyncLedger.self)[0].enter(text) }
        let complete: @Sendable ((any Error)?) -> Void = { error in
            record.update { record in
                record.completed[name, default: []].append(number)
                if error == nil { record.committed.insert(text) }
            }
        }
        record.update { $0.queued[name, default: 0] += 1 }
        switch random.below(10) {
        case 9:
            realm.writeAsync {
                realm.objects(AsyncLedger.self)[0].enterInVain(text)
            } onComplete: { error in
                XCTAssertEqual((error as? Realm.Error)?.code, .invalidInput)
                complete(error)
            }
        case 0: writeAtOnce(name, number, realm, record, &random)
        case 1: realm.beginAsyncWrite { enter() }
        case 2:
            let id = realm.writeAsync(enter, onComplete: complete)
            expectNothing { try realm.cancelAsyncWrite(id) }
        case 3:
            realm.beginAsyncWrite {
                enter()
                realm.commitAsyncWrite(allowGrouping: true, complete)
            }
        case 4:
            realm.beginAsyncWrite {
                enter()
                realm.commitAsyncWrite(complete)
            }
        case 5:
            realm.writeAsync {
                enter()
                realm.cancelWrite()
            }
        case 6:
            realm.beginWrite()
            enter()
            // Overtakes what is queued, so it counts as written at once.
            realm.cancelWrite()
        default: realm.writeAsync(enter, onComplete: complete)
        }
    }

    private func expectNothing(_ body: () throws -> Void) { do { try body() } catch { XCTFail("\(error)") } }
}

/// Carries a driver between blocks of its queue, where alone it is used.
private final class AsyncHeld: @unchecked Sendable {
    let driver: AsyncDriver
    var random: RandomSource

    init(driver: AsyncDriver, random: RandomSource) { (self.driver, self.random) = (driver, random) }
}

private actor AsyncFuzzActor {
    private var realm: Realm?

    var isDone: Bool { !(realm?.isPerformingAsynchronousWriteOperations ?? false) }

    func write(
        _ name: String, _ configuration: Realm.Configuration, _ record: Shared<AsyncRecord>,
        _ seed: RandomSource
    ) async throws {
        var random = seed
        let realm = try await Realm.open(configuration: configuration)
        self.realm = realm
        let driver = AsyncDriver(name, realm, record)
        for number in 1000..<1060 {
            if random.chance(50) {
                driver.step(&random)
            } else if random.chance(30) {
                let task = Task { try await self.writeAndWait(name + " t", number, record) }
                if random.chance(50) { task.cancel() }
                try await task.value
            } else {
                try await writeAndWait(name, number, record)
            }
        }
    }

    private func writeAndWait(_ name: String, _ number: Int, _ record: Shared<AsyncRecord>) async throws {
        guard let realm else { return }
        let text = "\(name) a#\(number)"
        let isRefused = number % 7 == 0
        do {
            try await realm.asyncWrite {
                let ledger = realm.objects(AsyncLedger.self)[0]
                isRefused ? ledger.enterInVain(text) : ledger.enter(text)
            }
            XCTAssertFalse(isRefused)
            record.update { $0.committed.insert(text) }
        } catch is CancellationError {
        } catch Realm.Error.invalidInput where isRefused {
        } catch Realm.Error.outOfDiskSpace {
        }
    }
}
