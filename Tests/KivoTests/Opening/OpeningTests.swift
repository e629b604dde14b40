import Foundation
import Kivo
import KivoJournal
import XCTest

/// Opening and closing files: which thread waits for which.
final class OpeningTests: RealmTestCase {
    func testNobodyWaitsForTheOpeningOfAnotherFile() throws {
        let slow = GatedDisk()
        let opened = Done()
        let configuration = configuration("slow", slow)
        let thread = Thread {
            _ = try? Realm(configuration: configuration)
            opened.set()
        }
        thread.start()
        wait("the opening to begin") { slow.readers.value == 1 }
        // Each of these would wait for ever.
        XCTAssertTrue(try Realm(configuration: self.configuration("quick", SmallDisk())).isEmpty)
        XCTAssertTrue(try openRealm().isEmpty)
        XCTAssertFalse(opened.isSet)
        slow.letThrough()
        wait("the opening") { opened.isSet }
    }

    func testOpeningIsLogged() throws {
        let lines = Shared<[String]>([])
        let before = Logger.shared
        Logger.shared = Logger(level: .all) { level, message in
            lines.update { $0.append("\(level): \(message)") }
        }
        defer { Logger.shared = before }
        let name = "logged \(UUID())"
        let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: name))
        let own = lines.value.filter { $0.contains(name) }
        XCTAssertEqual(
            own, ["detail: DB: Open realm '\(name)'", "trace: DB: Realm '\(name)' is open at version 1"])
        withExtendedLifetime(realm) {}
    }

    func testASecondOpeningOfAFileWaitsForTheFirst() throws {
        let disk = GatedDisk()
        disk.letThrough()
        let configuration = configuration("shared", disk)
        do {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.add(Dog(value: ["age": 3])) }
        }
        wait("the file to close") { disk.closings.value > 0 }
        disk.hold()
        let readers = disk.readers.value
        let ages = Shared<[Int]>([])
        for _ in 0..<4 {
            Thread {
                do {
                    let realm = try Realm(configuration: configuration)
                    let age = realm.objects(Dog.self).first?.age ?? 0
                    ages.update { $0.append(age) }
                    // The first that are done wait for the last, so that all share one store.
                    while ages.value.count < 4 { Thread.sleep(forTimeInterval: 0.001) }
                    withExtendedLifetime(realm) {}
                } catch { XCTFail("\(error)") }
            }.start()
        }
        wait("the opening to begin") { disk.readers.value > readers }
        XCTAssertEqual(ages.value, [])
        disk.letThrough()
        wait("the openings") { ages.value.count == 4 }
        XCTAssertEqual(ages.value, [3, 3, 3, 3])
        XCTAssertEqual(disk.openings.value, 2, "the file was opened once by all four")
    }

    func testAnOpeningThatFailsLeavesTheNextOnesTurn() throws {
        let disk = GatedDisk()
        disk.letThrough()
        disk.isBroken.update { $0 = true }
        let configuration = configuration("broken", disk)
        for _ in 0..<2 { XCTAssertThrowsError(try Realm(configuration: configuration)) }
        disk.isBroken.update { $0 = false }
        XCTAssertTrue(try Realm(configuration: configuration).isEmpty)
    }

    /// The last reference to a file's data goes on one thread while another opens the file again.
    func testAnOpeningWaitsForTheFileToClose() throws {
        let disk = GatedDisk()
        disk.letThrough()
        let configuration = configuration("closing", disk)
        let mayClose = DispatchSemaphore(value: 0)
        disk.beforeClosing.update { $0 = { mayClose.wait() } }
        let thread = Thread {
            do {
                let realm = try Realm(configuration: configuration)
                try realm.write { realm.add(Dog()) }
            } catch { XCTFail("\(error)") }
        }
        thread.start()
        wait("the closing to begin") { disk.closers.value > 0 }
        let opened = Done()
        Thread {
            _ = try? Realm(configuration: configuration)
            opened.set()
        }.start()
        Thread.sleep(forTimeInterval: 0.02)
        XCTAssertEqual(disk.openings.value, 1)
        disk.beforeClosing.update { $0 = {} }
        mayClose.signal()
        wait("the opening") { opened.isSet }
        XCTAssertEqual(disk.openings.value, 2)
        XCTAssertFalse(disk.wasOpenTwice.isSet)
    }

    func testFilesThatComeAndGo() throws {
        let disks = (0..<3).map { _ in GatedDisk() }
        for disk in disks { disk.letThrough() }
        let configurations = disks.enumerated().map { configuration("file \($0)", $1) }
        let group = DispatchGroup()
        for thread in 0..<6 {
            group.enter()
            Thread {
                do {
                    for round in 0..<40 {
                        let realm = try Realm(configuration: configurations[(thread + round) % 3])
                        try realm.write { realm.add(Dog()) }
                    }
                } catch { XCTFail("\(error)") }
                group.leave()
            }.start()
        }
        wait("the threads") { group.wait(timeout: .now()) == .success }
        let counts = try configurations.map { try Realm(configuration: $0).objects(Dog.self).count }
        XCTAssertEqual(counts.reduce(0, +), 240)
        for disk in disks { XCTAssertFalse(disk.wasOpenTwice.isSet) }
    }

    private func configuration(_ name: String, _ disk: any JournalDevice) -> Realm.Configuration {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("kivo-\(self.name)-\(name)")
        var configuration = Realm.Configuration(fileURL: file)
        configuration.makeDevice = { _, _ in
            (disk as? GatedDisk)?.open()
            return disk
        }
        return configuration
    }
}

/// A journal's device in memory that can block its readers, and fail. It may be used again.
private final class GatedDisk: JournalDevice {
    private let disk = SmallDisk()
    private let isHeld = Shared(true)
    /// How often the device was opened, is being closed and was closed, and how many reads began.
    let openings = Shared(0)
    let closers = Shared(0)
    let closings = Shared(0)
    let readers = Shared(0)
    let isBroken = Shared(false)
    let beforeClosing = Shared<@Sendable () -> Void>({})
    let wasOpenTwice = Done()
    private let isOpen = Shared(false)

    func hold() { isHeld.update { $0 = true } }

    func letThrough() { isHeld.update { $0 = false } }

    func open() {
        if isOpen.value { wasOpenTwice.set() }
        isOpen.update { $0 = true }
        openings.update { $0 += 1 }
    }

    private func pass() throws(JournalError) {
        readers.update { $0 += 1 }
        while isHeld.value { Thread.sleep(forTimeInterval: 0.001) }
        if isBroken.value {
            isOpen.update { $0 = false }
            throw JournalError.permissionDenied
        }
    }

    func size() throws(JournalError) -> Int {
        try pass()
        return try disk.size()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(JournalError) -> Int {
        try pass()
        return try disk.read(into: buffer, at: offset)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(JournalError) {
        try disk.write(bytes, at: offset)
    }

    func synchronize() throws(JournalError) { try disk.synchronize() }

    func truncate(to size: Int) throws(JournalError) { try disk.truncate(to: size) }

    func close() {
        closers.update { $0 += 1 }
        beforeClosing.value()
        isOpen.update { $0 = false }
        closings.update { $0 += 1 }
    }
}
