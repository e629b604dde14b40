#if !os(Windows) && !os(WASI)

import Foundation
import XCTest

@testable import KivoEngine
@testable import KivoFaults
@testable import KivoJournal

/// Holes behind the end of a file, as a copying program or a repaired file system leaves them: no reader reads them.
final class SparseFileTests: FolderTestCase {
    private let readBytes = Count()
    private static let hole = 1 << 36

    private final class Count: Sendable {
        private let count = Lock(0)
        var value: Int { count.withLock { $0 } }
        func add(_ number: Int) { count.withLock { $0 += number } }
    }

    /// Calls that count the bytes that are read.
    private var counting: FileCalls {
        var calls = FileCalls()
        calls.read = { [readBytes] file, bytes, offset in
            readBytes.add(bytes.count)
            return FileCalls.system.read(file, bytes, offset)
        }
        return calls
    }

    /// Writes a file of 20 commits, and sets its size. Skips the test if the file system stores no holes.
    private func makeSparseFile() throws {
        let process = try LogProcess(path)
        for number in 0..<20 as Range<UInt64> { try process.commit(number) }
        process.end()
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? file.close() }
        do { try file.truncate(atOffset: UInt64(Self.hole)) } catch { throw XCTSkip("no large files") }
        let device = try FileDevice.open(path: path, readOnly: true)
        defer { device.close() }
        guard try device.contents(from: 1 << 24) == nil else { throw XCTSkip("no holes") }
    }

    private func assertFewBytesAreRead(_ name: String, line: UInt = #line, _ body: () throws -> Void) throws {
        let before = readBytes.value
        try body()
        XCTAssertLessThan(readBytes.value - before, 1 << 28, name, line: line)
    }

    func testZerosBehindTheEndAreNotRead() throws {
        try makeSparseFile()
        try assertFewBytesAreRead("opening") {
            let process = try LogProcess(path, calls: counting)
            XCTAssertEqual(process.numbers, Array(0..<20))
            try process.commit(20)
            process.end()
        }
        try assertFewBytesAreRead("verifying") {
            let device = try FileDevice.open(path: path, readOnly: true, calls: counting)
            defer { device.close() }
            XCTAssertTrue(try JournalVerification.verify(device).isIntact)
            let whole = try FixedDevice.whole(device)
            XCTAssertLessThan(try whole.size(), 1 << 24)
            XCTAssertTrue(try JournalVerification.verify(whole).isIntact)
        }
    }

    /// Remains of a record in the middle of the hole are found, by opening and by salvaging.
    func testBytesBehindAHoleAreFound() throws {
        try makeSparseFile()
        let offset = Self.hole / 2 + 13
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: Data([1, 2, 3]))
        try file.close()
        try assertFewBytesAreRead("opening") {
            let device = try FileDevice.open(path: path, calls: counting)
            defer { device.close() }
            var replay = Replay(Heap())
            defer { replay.discard() }
            XCTAssertThrowsError(try StoreLog(JournalLog(device, readOnly: false)).load(into: &replay)) {
                error in
                guard case .corrupt(_, let reason)? = error as? JournalError else {
                    return XCTFail("\(error)")
                }
                XCTAssertTrue(reason.contains("more damage than one unfinished record"), reason)
            }
        }
        try assertFewBytesAreRead("salvaging") {
            let device = try FileDevice.open(path: path, readOnly: true, calls: counting)
            defer { device.close() }
            let contents = try XCTUnwrap(device.contents(from: 1 << 24))
            XCTAssertTrue(contents.contains(offset))
            XCTAssertLessThan(contents.count, 1 << 24)
            var replay = Replay(Heap())
            defer { replay.discard() }
            let report = try JournalSalvage.read(device, into: &replay).report
            XCTAssertFalse(report.isComplete)
            let table = try XCTUnwrap(replay.catalog.table(named: "Number"))
            XCTAssertEqual(replay.chain.headSnapshot.table(table).count, 20)
        }
    }
}

#endif
