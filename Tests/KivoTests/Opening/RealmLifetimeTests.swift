import Foundation
import Kivo
import KivoJournal
import XCTest

/// The state that remains of a realm when its threads end and its references go elsewhere.
final class RealmLifetimeTests: RealmTestCase {
    // MARK: Threads

    /// A system gives a new thread the identifier of one that ended; the new one is another thread all the same.
    func testANewThreadGetsARealmOfItsOwn() throws {
        let realm = try openRealm()
        let kept = Kept()
        for round in 0..<20 {
            try realm.write { realm.add(Dog(value: ["age": round])) }
            try onThreadThatEnds { [configuration] in
                let mine = try Realm(configuration: configuration)
                XCTAssertFalse(kept.realms.contains(mine), "round \(round)")
                let dogs = mine.objects(Dog.self)
                XCTAssertEqual(dogs.count, round + 1, "round \(round)")
                XCTAssertEqual(dogs.last?.age, round)
                kept.realms.append(mine)
                kept.dogs.append(try XCTUnwrap(dogs.last))
            }
        }
        XCTAssertFalse(kept.realms.contains(realm))
    }

    func testANewThreadMayWriteWhileObjectsOfTheOldOneLive() throws {
        let kept = Kept()
        for round in 0..<10 {
            try onThreadThatEnds { [configuration] in
                let realm = try Realm(configuration: configuration)
                try realm.write { realm.add(Dog(value: ["age": round])) }
                kept.dogs.append(try XCTUnwrap(realm.objects(Dog.self).last))
            }
        }
        XCTAssertEqual(try openRealm().objects(Dog.self).map(\.age), Array(0..<10))
    }

    /// Runs `work` on a new thread, and returns when the thread itself is done, so that the next may be its heir.
    private func onThreadThatEnds(_ work: @escaping @Sendable () throws -> Void) throws {
        let error = Shared<String?>(nil)
        let done = Done()
        let thread = Thread {
            do {
                try work()
            } catch let thrown {
                error.update { $0 = "\(thrown)" }
            }
            done.set()
        }
        thread.start()
        // The thread sanitizer does not treat `isFinished` as synchronisation with the thread's work, so wait for `done` too.
        wait("the thread to end") { thread.isFinished && done.isSet }
        XCTAssertNil(error.value)
    }

    // MARK: Objects

    /// A thread that opens the realm meanwhile gets the instance that the object held, or, with new data, one of its own.
    func testTheLastObjectGoesElsewhereWhileTheRealmIsOpened() throws {
        let kept = Kept()
        for round in 0..<300 {
            do {
                let realm = try openRealm()
                XCTAssertTrue(realm.isEmpty, "round \(round): somebody still holds the realm")
                try realm.write { realm.add(Dog(value: ["age": round])) }
                kept.dogs = [try XCTUnwrap(realm.objects(Dog.self).last)]
            }
            let (going, gone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            DispatchQueue.global().async {
                going.signal()
                kept.dogs = []
                gone.signal()
            }
            going.wait()
            do {
                let realm = try openRealm()
                let dogs = realm.objects(Dog.self)
                XCTAssertTrue(dogs.isEmpty || dogs.map(\.age) == [round], "round \(round)")
                gone.wait()
                XCTAssertTrue(dogs.isEmpty || dogs.last?.age == round, "round \(round)")
            }
        }
    }

    /// Each of them is the only one now and then.
    func testManyThreadsMakeFrozenObjectsAndLetThemGo() throws {
        do {
            let realm = try openRealm()
            try realm.write { realm.add(Dog(value: ["age": 3])) }
            let frozen = FrozenDogs(realm.objects(Dog.self).freeze())
            let threads = (0..<4).map { _ in
                let done = Done()
                Thread.detachNewThread {
                    for _ in 0..<2_000 { XCTAssertEqual(frozen.dogs[0].age, 3) }
                    done.set()
                }
                return done
            }
            wait("the threads") { threads.allSatisfy(\.isSet) }
        }
        serveRunLoop()
        XCTAssertTrue(try openRealm().isEmpty, "nobody holds the realm")
    }

    /// Frozen results, which can be read everywhere.
    private final class FrozenDogs: @unchecked Sendable {
        let dogs: Results<Dog>

        init(_ dogs: Results<Dog>) { self.dogs = dogs }
    }

    // MARK: Tokens

    func testATokenReleasedElsewhereLetsGoAtTheNextRefresh() throws {
        let realm = try openRealm()
        let tokens = Kept()
        let seen = Seen()
        do {
            let probe = Probe()
            seen.probe = probe
            tokens.token = realm.objects(Dog.self).observe { _ in probe.touch() }
        }
        realm.refresh()
        XCTAssertNotNil(seen.probe)
        try onAnotherThread { tokens.token = nil }
        realm.refresh()
        XCTAssertNil(seen.probe, "the block is let go of")
    }

    func testTheFileClosesAfterATokenWasReleasedElsewhere() throws {
        let disk = ClosableDisk()
        let tokens = Kept()
        do {
            let realm = try open(disk)
            try realm.write { realm.add(Dog()) }
            tokens.token = realm.observe { _, other in XCTAssertEqual(other, realm) }
        }
        XCTAssertFalse(disk.isClosed, "the token keeps the realm")
        try onAnotherThread { tokens.token = nil }
        wait("the file to close") { disk.isClosed }
        XCTAssertEqual(try open(disk).objects(Dog.self).count, 1)
    }

    func testTheFileClosesWithItsLastRealm() throws {
        let disk = ClosableDisk()
        do {
            let realm = try open(disk)
            try realm.write { realm.add(Dog()) }
        }
        wait("the file to close") { disk.isClosed }
    }

    func testTheFileClosesAfterARefresh() throws {
        let disk = ClosableDisk()
        let tokens = Kept()
        do {
            let realm = try open(disk)
            tokens.token = realm.objects(Dog.self).observe { _ in XCTAssertFalse(realm.isFrozen) }
            realm.refresh()
            try onAnotherThread { tokens.token = nil }
            realm.refresh()
        }
        wait("the file to close") { disk.isClosed }
    }

    func testTheFileClosesAfterTheOwnersThreadIsGone() throws {
        let disk = ClosableDisk()
        let tokens = Kept()
        let configuration = configuration(disk)
        try onThreadThatEnds {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.add(Dog()) }
            tokens.token = realm.objects(Dog.self).observe { _ in }
        }
        XCTAssertFalse(disk.isClosed)
        tokens.token = nil
        wait("the file to close") { disk.isClosed }
        XCTAssertEqual(try open(disk).objects(Dog.self).count, 1)
    }

    func testDataInMemoryIsGoneWithTheLastTokenOfAThreadThatEnded() throws {
        let tokens = Kept()
        try onThreadThatEnds { [configuration] in
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.add(Dog()) }
            tokens.token = realm.objects(Dog.self).observe { _ in }
        }
        XCTAssertEqual(try openRealm().objects(Dog.self).count, 1)
        tokens.token = nil
        serveRunLoop()
        XCTAssertTrue(try openRealm().isEmpty)
    }

    private func configuration(_ disk: ClosableDisk) -> Realm.Configuration {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("kivo-\(name)")
        var configuration = Realm.Configuration(fileURL: file)
        configuration.makeDevice = { _, _ in disk }
        return configuration
    }

    private func open(_ disk: ClosableDisk) throws -> Realm {
        try Realm(configuration: configuration(disk))
    }
}

/// The values that a thread leaves behind.
///
/// The tests run their threads one after the other: no two are ever in here at once.
private final class Kept: @unchecked Sendable {
    var realms: [Realm] = []
    var dogs: [Dog] = []
    var token: NotificationToken?
}

/// Something that a block holds.
private final class Probe {
    func touch() {}
}

/// Shows whether a probe is still retained.
private final class Seen {
    weak var probe: Probe?
}

/// A journal's device in memory that knows whether it was closed. It may be used again.
private final class ClosableDisk: JournalDevice {
    private let disk = SmallDisk()
    private let closed = Done()

    var isClosed: Bool { closed.isSet }

    func size() throws(JournalError) -> Int { try disk.size() }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(JournalError) -> Int {
        try disk.read(into: buffer, at: offset)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(JournalError) {
        try disk.write(bytes, at: offset)
    }

    func synchronize() throws(JournalError) { try disk.synchronize() }

    func truncate(to size: Int) throws(JournalError) { try disk.truncate(to: size) }

    func close() { closed.set() }
}
