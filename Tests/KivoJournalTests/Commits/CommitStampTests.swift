#if !os(Windows) && !os(WASI)

import Foundation
import TestRandomness
import XCTest

@testable import KivoEngine
@testable import KivoFaults
@testable import KivoJournal

/// The stamps of commits: in files of this format and of earlier ones, and as hostile bytes.
final class CommitStampTests: FolderTestCase {
    /// The stamps of the commits of the file, in order.
    private func stamps() throws -> [CommitStamp?] {
        let device = try FileDevice.open(path: path, readOnly: true, isLocked: false)
        defer { device.close() }
        var reader = JournalReader(device)
        var store = Replay(Heap())
        defer { store.discard() }
        var stamps: [CommitStamp?] = []
        try reader.readOn(into: &store) { _, record in if record.kind.isData { stamps.append(record.stamp) } }
        return stamps
    }

    private func version() throws -> UInt32 {
        let device = try FileDevice.open(path: path, readOnly: true, isLocked: false)
        defer { device.close() }
        return try HeaderPages(device, size: device.size()).header.version
    }

    func testEachCommitHasItsTime() throws {
        let before = Int64(Date().timeIntervalSince1970 * 1e6) - 1
        let process = try LogProcess(path)
        try process.commit(1)
        try process.commit(2, label: CommitLabel("Two", author: "A"))
        process.end()
        let stamps = try stamps()
        let times = stamps.compactMap { $0?.microseconds }
        XCTAssertEqual(times.count, 2)
        XCTAssertEqual(times, times.sorted())
        XCTAssertGreaterThanOrEqual(times[0], before)
        XCTAssertLessThanOrEqual(times[1], Int64(Date().timeIntervalSince1970 * 1e6) + 1)
        XCTAssertEqual(stamps.map { $0?.label }, [CommitLabel(), CommitLabel("Two", author: "A")])
    }

    /// A file of an earlier format gets no stamps, because its programs would reject them.
    func testAnEarlierFormatHasNone() throws {
        for version in 2...6 {
            try OldProgram.makeFile(path, version)
            let process = try LogProcess(path)
            try process.commit(1)
            process.end()
            XCTAssertEqual(try stamps(), [nil], "format \(version)")
            XCTAssertEqual(try self.version(), UInt32(version))
        }
    }

    /// A label upgrades the file, unless another program has it open.
    func testALabelUpgradesTheFile() throws {
        let label = CommitLabel("Prices")
        for version in [2, 6] {
            try OldProgram.makeFile(path, version)
            let old = try OldProgram(path, version)
            let process = try LogProcess(path)
            try process.commit(1, label: label)
            XCTAssertTrue(try old.commit(2), "the old program can go on")
            old.end()
            try process.commit(3, label: label)
            XCTAssertEqual(try self.version(), FileHeader.version)
            try process.commit(4)
            process.end()
            XCTAssertEqual(try stamps().map { $0?.label }, [nil, nil, label, CommitLabel()])
            let reader = try LogProcess(path)
            XCTAssertEqual(reader.numbers, [1, 2, 3, 4])
            reader.end()
        }
    }

    /// Labels of transactions that become one commit are in it once each.
    func testComposingLabels() {
        let labels = [
            CommitLabel("a", author: "x"), CommitLabel(), CommitLabel("b"), CommitLabel("a", author: "x"),
            CommitLabel(author: "y"),
        ]
        XCTAssertEqual(CommitLabel(composing: labels), CommitLabel("a, b", author: "x, y"))
        XCTAssertEqual(CommitLabel(composing: [CommitLabel(), CommitLabel()]), CommitLabel())
        XCTAssertEqual(CommitLabel(composing: [CommitLabel("")]), CommitLabel(""))
    }

    // MARK: Bytes

    private func read(_ bytes: [UInt8]) throws -> CommitStamp? {
        try bytes.withUnsafeBytes {
            var reader = ByteReader($0)
            return try reader.readStamp()
        }
    }

    func testStampsAreReadAsTheyWereWritten() throws {
        var random = RandomSource()
        let texts = [nil, "", "Import", "\u{1F600}\n\0", String(repeating: "é", count: 5000)]
        for _ in 0..<200 {
            let label = CommitLabel(
                texts.randomElement(using: &random)!, author: texts.randomElement(using: &random)!)
            let time = Int64.random(in: .min ... .max, using: &random)
            let stamp = CommitStamp.$clock.withValue({ time }) { CommitStamp(label) }
            XCTAssertEqual(try read(stamp.bytes), stamp)
            XCTAssertEqual(stamp.microseconds, time)
            // A later version may add to it.
            XCTAssertEqual(try read(stamp.bytes + [1, 2, 3]), stamp)
            // Parts are no stamps, but for none at all.
            let count = Int.random(in: 1..<stamp.bytes.count, using: &random)
            XCTAssertThrowsError(try read(Array(stamp.bytes.prefix(count))))
        }
        XCTAssertNil(try read([]))
    }

    func testFieldsOfLaterVersionsAreIgnored() throws {
        var bytes = CommitStamp(CommitLabel("a")).bytes
        bytes[0] |= 0xF0
        XCTAssertEqual(try read(bytes)?.label, CommitLabel("a"))
    }

    func testWhatIsNoTextIsRefused() {
        var bytes = CommitStamp(CommitLabel("a")).bytes
        bytes[bytes.count - 1] = 0xFF
        XCTAssertThrowsError(try read(bytes)) {
            XCTAssertTrue("\($0)".contains("a string is no text"), "\($0)")
        }
    }
}

#endif
