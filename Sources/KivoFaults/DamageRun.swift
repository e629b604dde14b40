import Foundation
import Kivo
import KivoJournal

/// A test of damaged files. Opening one must throw an error with the offset and the reason, or the file must contain the
/// acknowledged commits.
struct DamageRun {
    /// Descriptions of the failures.
    private(set) var failures: [String] = []
    /// The number of damaged files, and the number of those that were refused.
    private(set) var count = 0
    private(set) var refused = 0
    private(set) var unnoticed = 0
    private let bytes: [UInt8]
    /// The contents of the file after each of its commits.
    private let states: [Contents]
    /// The records: the range, the kind, and the number of commits in the file up to its end.
    private let records: [(range: Range<Int>, kind: UInt8, commits: Int)]

    /// Creates a file of at least 20 KB.
    ///
    /// - Parameter isCompacted: Whether the file is compacted while it grows.
    init(seed: UInt64, isCompacted: Bool) throws {
        let disk = FaultyDisk()
        let configuration = Files.configuration(disk, allowance: isCompacted ? 1 << 12 : 1 << 40)
        var workload = Workload(seed: seed)
        (workload.ids, workload.longest) = (30, 60)
        var states = [Contents()]
        while disk.bytes.lastUsed < 20_000 || (isCompacted && disk.renameCount == 0) {
            try Files.withRealm(disk, configuration) { realm in
                for _ in 0..<3 {
                    try workload.write(states.count, to: realm)
                    states.append(states.last!)
                    states[states.count - 1].apply(workload)
                }
            }
        }
        let bytes = Array(disk.bytes.prefix(disk.bytes.lastUsed + 64))
        self.bytes = bytes
        self.states = states
        var records: [(Range<Int>, UInt8, Int)] = []
        var (start, commits) = (JournalError.recordsOffset, 0)
        while start + 40 <= bytes.count, bytes[start + 8] != 0 || bytes[start + 9] != 0 {
            let length = (0..<4).reduce(0) { $0 | Int(bytes[start + $1]) << ($1 * 8) }
            let end = start + 40 + (length + 7) / 8 * 8
            if bytes[start + 16] == 1 { commits += 1 }
            records.append((start..<end, bytes[start + 16], commits))
            start = end
        }
        self.records = records
    }

    /// The size of the file.
    var size: Int { bytes.count }

    /// Opens a damaged file and checks the result.
    private mutating func open(
        _ damaged: [UInt8], _ what: String, expecting expected: (Contents) -> Bool
    ) {
        count += 1
        do {
            let recovered = try Files.contents(damaged)
            unnoticed += 1
            if !expected(recovered) {
                failures.append("\(what): commit \(recovered.number) of \(states.count - 1)")
            }
        } catch Realm.Error.invalidDatabase {
            refused += 1
        } catch {
            failures.append("\(what): \(error)")
        }
    }

    /// Flips a bit in each of some bytes.
    mutating func flip(_ offsets: some Sequence<Int>) {
        let last = states.last!
        for offset in offsets {
            var damaged = bytes
            damaged[offset] ^= 1 << UInt8(offset & 7)
            open(damaged, "byte \(offset) flipped") { $0 == last }
        }
    }

    /// Cuts the file to each of some sizes.
    mutating func cut(_ sizes: some Sequence<Int>) {
        let last = states.last!
        // An empty file would become a new realm.
        for size in sizes where size > 0 {
            open(Array(bytes.prefix(size)), "cut at \(size)") { $0 == last }
        }
    }

    /// Tears each record at each sector. The sectors after the tear have their old contents, and the record was not acknowledged.
    mutating func tear() {
        // A compaction writes its records completely before the file gets its name.
        let first = bytes.isCompacted ? records.firstIndex { $0.kind == 4 }! + 1 : 0
        for (index, record) in records.enumerated() where index >= first {
            let sectors =
                record.range.lowerBound / 512
                + 1...max(record.range.upperBound / 512, record.range.lowerBound / 512 + 1)
            for sector in sectors where sector * 512 < record.range.upperBound {
                var torn = bytes
                torn.replaceSubrange(512..<536, with: repeatElement(0, count: 24))
                for slot in [1024, 1536, 5120, 5632] where torn.number(at: slot) > index {
                    torn.replaceSubrange(slot..<slot + 32, with: repeatElement(0, count: 32))
                }
                for offset in sector * 512..<torn.count { torn[offset] = 0 }
                let before = index == 0 ? 0 : records[index - 1].commits
                let base = states.count - 1 - records.last!.commits
                let expected = states[base + before]
                // A record that ends in zeros anyway may be complete.
                let whole = states[base + record.commits]
                open(torn, "record \(index + 1) torn at \(sector * 512)") { $0 == expected || $0 == whole }
            }
        }
    }
}

extension [UInt8] {
    /// The end of the last byte that is not zero.
    var lastUsed: Int { (lastIndex { $0 != 0 } ?? -1) + 1 }

    func number(at offset: Int) -> Int { (0..<7).reduce(0) { $0 | Int(self[offset + $1]) << ($1 * 8) } }

    /// Whether the file begins with pages.
    var isCompacted: Bool {
        let kind = JournalError.recordsOffset + 16
        return count > kind && self[kind] == 3
    }
}
