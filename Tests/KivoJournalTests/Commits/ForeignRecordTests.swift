import XCTest

@testable import KivoEngine
@testable import KivoJournal

/// Records that no journal of ours holds, with checksums that are right: refused in words, whatever they say.
final class ForeignRecordTests: XCTestCase {
    /// Carries records out one after the other.
    private func replay(_ records: ByteWriter...) throws {
        var store = Replay(Heap())
        defer { store.discard() }
        var decoder = CommitDecoder()
        for record in records {
            try record.bytes.withUnsafeBytes { try decoder.replay($0, into: &store) }
        }
    }

    private func refused(says words: String, _ body: () throws -> Void, line: UInt = #line) {
        XCTAssertThrowsError(try body(), line: line) { error in
            XCTAssert("\(error)".contains(words), "\(error)", line: line)
        }
    }

    private func describe(
        _ writer: inout ByteWriter, table number: Int, _ name: String, isEmbedded: Bool = false, columns: Int
    ) {
        writer.write(number)
        writer.write(name)
        writer.write("")
        writer.write(isEmbedded)
        writer.write(columns)
    }

    private func describe(
        _ writer: inout ByteWriter, column name: String, _ kind: ColumnKind, flags: UInt8 = 0,
        target: (name: String, isEmbedded: Bool)? = nil
    ) {
        writer.write(name)
        writer.write(kind.rawValue)
        for byte: UInt8 in [0xFF, 0, 0, flags] { writer.write(byte) }
        if let target {
            writer.write(target.name)
            writer.write(target.isEmbedded)
        }
    }

    private func write(_ writer: inout ByteWriter, firstKeys bits: UInt64) {
        writer.write(UInt8(bits == 0 ? 0 : 1))
        if bits != 0 { writer.write(word: bits) }
    }

    func testALinkOfARowThatGoesInTheSameCommit() {
        var first = ByteWriter()
        first.write(2)
        describe(&first, table: 0, "A", columns: 1)
        describe(&first, column: "child", .link, flags: 18, target: ("E", true))
        describe(&first, table: 1, "E", isEmbedded: true, columns: 1)
        describe(&first, column: "friend", .link, flags: 16, target: ("A", false))
        // One row of each, which link to each other.
        first.write(2)
        for table in 0..<2 {
            for number in [table, 2, 1, 0] { first.write(number) }
            write(&first, firstKeys: 2)
            write(&first, firstKeys: 0)
            first.write(0)
            first.write(word: 1)
        }
        first.write(0)
        // The first row drops its link to the other, which then gets a new link.
        var second = ByteWriter()
        second.write(0)
        second.write(2)
        for table in 0..<2 {
            for number in [table, 2, 1, 0] { second.write(number) }
            write(&second, firstKeys: 0)
            write(&second, firstKeys: 0)
            second.write(1)
            second.write(0)
            write(&second, firstKeys: 2)
            second.write(word: UInt64(table))
        }
        second.write(0)
        XCTAssertNoThrow(try replay(first))
        refused(says: "a row that goes is assigned to") { try replay(first, second) }
    }

    func testColumnsOutOfOrder() {
        var record = ByteWriter()
        record.write(1)
        describe(&record, table: 0, "A", columns: 2)
        for name in ["b", "a"] { describe(&record, column: name, .word) }
        record.write(0)
        record.write(0)
        refused(says: "has its columns out of order") { try replay(record) }
    }

    func testTooManyColumns() {
        var record = ByteWriter()
        record.write(1)
        describe(&record, table: 0, "A", columns: 70_000)
        for number in 0..<70_000 { describe(&record, column: "\(number + 100_000)", .word) }
        record.write(0)
        record.write(0)
        refused(says: "has too many columns") { try replay(record) }
    }

    func testTooManyTables() {
        var record = ByteWriter()
        record.write(10_000)
        for number in 0..<10_000 { describe(&record, table: number, "T\(number)", columns: 0) }
        record.write(0)
        record.write(0)
        refused(says: "there are too many tables") { try replay(record) }
    }
}
