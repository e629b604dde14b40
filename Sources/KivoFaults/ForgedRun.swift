#if !os(Windows) && !os(WASI) && !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)

import Foundation
import Kivo
import KivoJournal

/// A test of pages with valid checksums and invalid contents. Reading such a file must report damage or return values, but never
/// access other memory.
struct ForgedRun {
    private(set) var failures: [String] = []
    /// The number of forged files, of those that were refused, and of those that stopped the reader with another message.
    private(set) var count = 0
    private(set) var refused = 0
    private(set) var stopped = 0
    private let program: URL
    private let file: URL
    private let bytes: [UInt8]
    private var random: SeededNumbers

    /// The exit codes of a reader that reached a damaged page, and of one that could not open the file.
    private static let damage: (page: Int32, file: Int32) = (43, 44)

    /// Creates a run on a file in a folder. `program` is this program.
    init(_ program: URL, in folder: URL, seed: UInt64) throws {
        self.program = program
        file = folder.appendingPathComponent("forged.kivo")
        random = SeededNumbers(seed)
        let disk = FaultyDisk()
        var workload = Workload(seed: seed)
        (workload.ids, workload.longest) = (1400, 60)
        for number in [1, 2, 3, 4, 5, 1] {
            try Files.withRealm(disk, Files.configuration(disk, allowance: 1 << 12)) { realm in
                try workload.write(number, to: realm)
                try realm.write {
                    for (offset, item) in realm.objects(FaultItem.self).prefix(30).enumerated() {
                        item.numbers.append(objectsIn: 0..<offset * 40)
                        item.words.insert(objectsIn: (0..<offset * 10).map { "word \($0)" })
                        item.next = realm.objects(FaultItem.self).last
                        item.code = 7
                    }
                }
            }
        }
        bytes = disk.bytes
    }

    /// Forges a number of files, each in one page.
    mutating func run(files: Int) throws {
        let records = PageSeal.pages(of: bytes)
        for _ in 0..<files where failures.count < 20 {
            let record = records[random.below(records.count)]
            let page = record.pages[random.below(record.pages.count)]
            var forged = bytes
            let what = forge(page, &forged)
            PageSeal.seal(page, of: record.record, in: &forged)
            try Data(forged).write(to: file)
            count += 1
            let isIntact = try JournalVerification.verify(FaultyDisk(forged).open()).isIntact
            try read("page \(page) of kind \(bytes[page.lowerBound + 12]), \(what)", isIntact: isIntact)
        }
    }

    /// Changes some bytes of a page after its checksum. The bytes at the beginning are changed more often, because they describe
    /// the page.
    private mutating func forge(_ page: Range<Int>, _ forged: inout [UInt8]) -> String {
        var offsets: [Int] = []
        for _ in 0...random.below(3) {
            let reach = random.chance(70) ? min(page.count, 96) : page.count
            let offset = page.lowerBound + 8 + random.below(reach - 8)
            offsets.append(offset - page.lowerBound)
            switch random.below(5) {
            case 0: forged[offset] ^= 1 << UInt8(random.below(8))
            case 1: forged[offset] = UInt8(random.below(256))
            case 2: forged[offset] = [0, 1, 0x7F, 0x80, 0xFF][random.below(5)]
            case 3: forged[offset] &+= 1
            default: forged.swapAt(offset, page.lowerBound + 8 + random.below(page.count - 8))
            }
        }
        return "bytes \(offsets)"
    }

    /// Reads all of the file in another process.
    private mutating func read(_ what: String, isIntact: Bool) throws {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = program
        process.arguments = ["read-forged", file.path]
        process.standardError = pipe
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        try pipe.fileHandleForWriting.close()
        let words = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        switch (process.terminationReason, process.terminationStatus) {
        case (.exit, 0): return
        case (.exit, ForgedRun.damage.page), (.exit, ForgedRun.damage.file):
            refused += 1
            if isIntact { failures.append("\(what): refused, but verified as intact: \(words)") }
        case (_, let status):
            guard status != SIGSEGV, status != SIGBUS, words.contains("Fatal error: "),
                !words.contains("AddressSanitizer")
            else {
                failures.append("\(what): ended by \(status): \(words.prefix(2000))")
                return
            }
            stopped += 1
        }
    }

    /// Reads all of a file by rows, by indexes and by positions, and changes it.
    static func read(_ path: String) {
        PageDamage.whenReached { message in
            FileHandle.standardError.write(Data(message.utf8))
            exit(damage.page)
        }
        do {
            var configuration = Files.configuration(URL(fileURLWithPath: path))
            configuration.checkpoints.smallestTailOfClosing = 1 << 30
            let realm = try Realm(configuration: configuration)
            let contents = Contents(realm)
            try realm.write {
                for item in realm.objects(FaultItem.self) where item.numbers.count > 3 {
                    item.numbers.insert(7, at: item.numbers.count / 2)
                    item.numbers.remove(at: 1)
                    item.text += "."
                }
                for id in contents.rows.keys.prefix(20) {
                    if let item = realm.object(ofType: FaultItem.self, forPrimaryKey: id) {
                        realm.delete(item)
                    }
                }
            }
            _ = Contents(realm)
            for item in realm.objects(FaultItem.self).reversed() {
                _ = item.numbers.reversed().reduce(0, &+)
                _ = item.words.contains("word 7")
            }
        } catch {
            FileHandle.standardError.write(Data("\(error)".utf8))
            exit(damage.file)
        }
        exit(0)
    }
}

#endif
