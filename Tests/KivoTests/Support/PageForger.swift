import KivoEngine

@testable import KivoJournal

/// The pages and checkpoints of a file, to be changed and given checksums that are right.
struct PageForger {
    struct Record {
        var start: Int
        var kind: UInt8
        var length: Int

        var payload: Range<Int> { start + 32..<start + 32 + length }
        var checksum: Int { start + 32 + (length + 7) / 8 * 8 }
    }

    var bytes: [UInt8]
    let records: [Record]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var records: [Record] = []
        var start = 8192
        while start + 40 <= bytes.count {
            let (length, sequence) = bytes.withUnsafeBytes {
                ($0.number(at: start), $0.number(at: start + 8))
            }
            if sequence == 0 { break }
            let record = Record(start: start, kind: bytes[start + 16], length: Int(length))
            records.append(record)
            start = record.checksum + 8
        }
        self.records = records
    }

    private var journal: UInt64 { bytes.withUnsafeBytes { $0.number(at: 16) } }

    /// Returns the ranges of a record's pages.
    func pages(of record: Record) -> [Range<Int>] {
        var pages: [Range<Int>] = []
        var start = record.payload.lowerBound
        while start < record.payload.upperBound {
            let length = bytes.withUnsafeBytes { Int($0.number(at: start + 8) & 0xFFFF_FFFF) }
            pages.append(start..<start + length)
            start += length
        }
        return pages
    }

    /// All pages, also those that no checkpoint leads to any more.
    var pages: [Range<Int>] { records.filter { $0.kind == 3 }.flatMap(pages) }

    /// The pages that the newest checkpoint leads to.
    func livePages() throws -> [Range<Int>] {
        let record = records.last { $0.kind == 4 }!
        let checkpoint = try bytes.withUnsafeBytes {
            try CheckpointRecord(UnsafeRawBufferPointer(rebasing: $0[record.payload]))
        }
        var waiting = checkpoint.roots.flatMap { [$0.root] + $0.indexes }.filter { $0 != 0 }
        let all = Dictionary(uniqueKeysWithValues: pages.map { ($0.lowerBound, $0) })
        var live: [Range<Int>] = []
        while let offset = waiting.popLast() {
            let page = all[offset]!
            live.append(page)
            waiting += bytes.withUnsafeBytes {
                PageLayout.references(UnsafeRawBufferPointer(rebasing: $0[page]))
            }
        }
        return live.sorted { $0.lowerBound < $1.lowerBound }
    }

    /// Puts a page's checksum right.
    mutating func seal(page: Range<Int>) {
        let journal = journal
        bytes.withUnsafeMutableBytes { bytes in
            let part = UnsafeMutableRawBufferPointer(rebasing: bytes[page])
            part.store(
                JournalPages.checksum(
                    UnsafeRawBufferPointer(part), journal: journal, offset: page.lowerBound),
                at: 0)
        }
        seal(records.last { $0.payload.contains(page.lowerBound) }!)
    }

    /// Puts a record's checksum right.
    mutating func seal(_ record: Record) {
        bytes.withUnsafeMutableBytes { bytes in
            let seed = UnsafeRawBufferPointer(bytes).number(at: record.start + 24)
            let padded = UnsafeRawBufferPointer(
                rebasing: UnsafeRawBufferPointer(bytes)[record.payload.lowerBound..<record.checksum])
            bytes.store(Checksum.of(padded, seed: seed), at: record.checksum)
        }
    }
}
