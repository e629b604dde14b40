#if !os(Windows) && !os(WASI)

import Foundation
import XCTest

@testable import KivoEngine
@testable import KivoFaults
@testable import KivoJournal

/// Files that another program turns into ones of another format while this one has them open.
final class LaterFormatTests: FolderTestCase {
    private func bytes() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    /// A program of a later format: it upgrades the file and appends records that no program of today knows.
    private struct LaterProgram {
        let device: FileDevice

        /// Upgrades the file, and appends bytes that are no records of today after an end, which it publishes if `publishes`.
        func write(after end: LogPosition, count: Int, publishes: Bool) throws {
            try device.sharing!.lock()
            defer { device.sharing!.unlock() }
            var header = try HeaderPages(device, size: device.size()).header
            header.version = FileHeader.version + 1
            try header.write(to: device)
            let record = [UInt8](repeating: 0x5A, count: count)
            try record.withUnsafeBytes { try device.write($0, at: end.end) }
            guard publishes, count > 0 else { return }
            device.sharing!.publish(
                PublishedEnd(journal: end.journal, end: end.end + count, sequence: end.sequence + 1),
                to: .everybody)
        }
    }

    private func assertRefused(
        _ message: String, file: StaticString = #filePath, line: UInt = #line, _ body: () throws -> Void
    ) {
        XCTAssertThrowsError(try body(), message, file: file, line: line) { error in
            guard case .unsupportedVersion(let version)? = error as? JournalError else {
                return XCTFail("\(message): \(error)", file: file, line: line)
            }
            XCTAssertEqual(version, Int(FileHeader.version) + 1, message, file: file, line: line)
        }
    }

    func testRecordsOfALaterProgramAreNotCutOff() throws {
        for (count, publishes) in [(500, true), (500, false), (0, false)] {
            let message = "\(count) bytes, \(publishes ? "published" : "not published")"
            try? FileManager.default.removeItem(atPath: path)
            let (writer, follower) = (try LogProcess(path), try LogProcess(path))
            for number in 0..<3 as Range<UInt64> { try writer.commit(number) }
            let end = try XCTUnwrap(writer.journal.contents?.journal.position)
            let later = LaterProgram(device: try FileDevice.open(path: path, isShared: true))
            try later.write(after: end, count: count, publishes: publishes)
            let written = try bytes()
            for _ in 0..<2 {
                assertRefused(message) { try writer.commit(3) }
                if publishes { assertRefused(message) { try follower.log.catchUp(into: &follower.store) } }
                assertRefused(message) { try follower.commit(4) }
            }
            // Space may be allocated ahead.
            XCTAssertEqual(try bytes().prefix(written.count), written, message)
            assertRefused(message) { _ = try LogProcess(path) }
            later.device.close()
            for process in [writer, follower] { process.end() }
            XCTAssertEqual(try bytes().prefix(end.end + count), written.prefix(end.end + count), message)
        }
    }

    /// One of two programs of today upgrades an old file: the other one writes records of the same format from then on.
    func testAFileThatAnotherProgramUpgrades() throws {
        let (writer, other) = (try LogProcess(path), try LogProcess(path))
        try writer.commit(0)
        let device = try FileDevice.open(path: path, isShared: true)
        defer { device.close() }
        var header = try HeaderPages(device, size: device.size()).header
        for version in [4, 5, 6, FileHeader.version] as [UInt32] {
            header.version = version
            try header.write(to: device)
            try other.commit(UInt64(version) * 10)
            try writer.commit(UInt64(version))
        }
        for process in [writer, other] { process.end() }
        let reader = try LogProcess(path)
        XCTAssertEqual(reader.numbers, [0, 40, 4, 50, 5, 60, 6, 70, 7])
        reader.end()
    }
}

#endif
