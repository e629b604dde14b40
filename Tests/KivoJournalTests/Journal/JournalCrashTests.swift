import KivoJournal
import TestRandomness
import XCTest

/// Losses of power, with and without failures before: nothing acknowledged is lost, nothing half-done is
/// seen.
final class JournalCrashTests: XCTestCase {
    func testRandomLossesOfPower() throws {
        var random = TestRandom()
        for _ in TestEffort.rounds(20, within: 0.3) {
            var bytes: [UInt8] = []
            var acknowledged: [TestRecord] = []
            for _ in 0..<8 { try live(&bytes, &acknowledged, &random) }
        }
    }

    /// A loss of power during the write of a record of more than a mebibyte leaves sectors far behind the last record. The journal
    /// accepts them because the header of such a record is flushed before its payload.
    func testLossesOfPowerWithinALargeRecord() throws {
        var random = TestRandom()
        let (record, large) = (TestRecord.numbered(1, length: 20), TestRecord.numbered(2, length: 1_300_000))
        for _ in TestEffort.rounds(40, within: 0.3, atLeast: 12) {
            let device = MemoryDevice(random: random)
            _ = random.next()
            let journal = try Journal.reading(device).journal
            try journal.append(record)
            device.fail(afterBytes: 1_100_000 + random.below(150_000), truncates: false)
            XCTAssertThrowsError(try journal.append(large))
            let found = try Self.records(device.afterPowerLoss())
            XCTAssert(found == [record], "\(found.count) records")
        }
    }

    /// One life of a process: opens, appends with failures, and loses its power at a random moment.
    private func live(
        _ bytes: inout [UInt8], _ acknowledged: inout [TestRecord], _ random: inout TestRandom
    ) throws {
        let device = MemoryDevice(bytes, random: random)
        _ = random.next()
        let (journal, records) = try Journal.reading(device)
        XCTAssert(records == acknowledged, "\(records.count) records, \(acknowledged.count) acknowledged")
        // Failed records that the device would not let go. Any of them, but only one, may be found later.
        var unacknowledged: [TestRecord] = []
        for number in 0..<random.below(12) {
            let record = TestRecord.numbered(number, length: length(&random))
            breakSomething(device, record, &random)
            do {
                try journal.append(record)
                acknowledged.append(record)
                unacknowledged = []
                XCTAssert(device.isDurable)
            } catch {
                // If the append could be undone, its record stays removed. A record that a failed synchronization has written
                // completely is durable, too, and is still there if it could not be undone.
                let isUndone = try device.isDurable && Self.records(device.bytes) == acknowledged
                unacknowledged = isUndone ? [] : unacknowledged + [record]
            }
            // Otherwise the device stays broken for a while, or for the rest of its life.
            if random.chance(70) { device.repair() }
        }
        bytes = device.afterPowerLoss()
        let found = try Self.records(bytes)
        if found.count == acknowledged.count + 1, unacknowledged.contains(found.last!) {
            acknowledged.append(found.last!)
        }
        XCTAssert(found == acknowledged, "\(found.count) records, \(acknowledged.count) acknowledged")
    }

    /// The records that a device with some bytes holds.
    private static func records(_ bytes: [UInt8]) throws -> [TestRecord] {
        try Journal.reading(MemoryDevice(bytes), readOnly: true).records
    }

    private func breakSomething(_ device: MemoryDevice, _ record: TestRecord, _ random: inout TestRandom) {
        switch random.below(10) {
        case 0: device.fail(afterBytes: random.below(record.payload.count + 40))
        case 1: device.fail(synchronizations: random.below(2))
        case 2: device.failOnce(afterBytes: random.below(record.payload.count + 40))
        case 3: device.fail(afterBytes: random.below(record.payload.count + 40), truncates: false)
        case 4: device.fail(afterBytes: record.payload.count + random.below(200), synchronizations: 0)
        default: break
        }
    }

    private func length(_ random: inout TestRandom) -> Int {
        switch random.below(20) {
        case 0: random.below(400_000)
        case 1...4: random.below(20_000)
        default: random.below(300)
        }
    }
}
