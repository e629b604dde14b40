#if !os(Windows) && !os(WASI) && !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)

import Foundation
import Kivo
import KivoJournal

/// Programs of earlier formats that have a file open while today's program writes commits and makes checkpoints. No commit may be
/// lost, and a file that an old program has open stays one of its format.
struct OldProgramRun {
    private(set) var failures: [String] = []
    private(set) var commitCount = 0
    private(set) var checkpointCount = 0
    /// The number of old programs that lost their file to one of today's format, which they notice.
    private(set) var replacementCount = 0
    private var random: SeededNumbers
    private let path: String

    /// The formats with records that today's program reads.
    private static let versions = 2...6

    init(in folder: URL, seed: UInt64) {
        random = SeededNumbers(seed)
        path = folder.appendingPathComponent("old.kivo").path
    }

    /// Runs the histories of a number of files; stops at the first failure.
    mutating func run(files: Int) throws {
        for number in 0..<files where failures.isEmpty {
            let version = OldProgramRun.versions.lowerBound + random.below(OldProgramRun.versions.count)
            do {
                try run(version)
            } catch let error as OldProgram.Harmed {
                failures.append("\(error)")
            }
            failures = failures.map { "file \(number), format \(version): \($0)" }
        }
    }

    private mutating func run(_ version: Int) throws {
        try OldProgram.makeFile(path, version)
        defer { try? FileManager.default.removeItem(atPath: path) }
        var policy = CheckpointPolicy()
        (policy.smallestTail, policy.tailShare) = (1 << 7, 1 << 30)
        policy.allowance = random.below(2) << 20
        var old: OldProgram? = try OldProgram(path, version)
        defer { old?.end() }
        let today = try LogProcess(path, policy)
        defer { today.end() }
        var expected: [UInt64] = []
        for number in 0..<UInt64(5 + random.below(30)) {
            switch random.below(5) {
            case 0, 1:
                guard let program = old else { continue }
                if try program.commit(number) {
                    expected.append(number)
                } else {
                    replacementCount += 1
                    program.end()
                    old = nil
                }
            case 2, 3:
                try today.commit(number)
                expected.append(number)
            default:
                if try today.checkpoint() { checkpointCount += 1 }
                if let program = old, random.chance(12) {
                    program.end()
                    old = nil
                }
            }
        }
        old?.end()
        old = nil
        try today.log.catchUp(into: &today.store)
        if today.numbers != expected { failures.append("\(today.numbers) in place of \(expected)") }
        let reader = try LogProcess(path)
        if reader.numbers != expected { failures.append("stored: \(reader.numbers), not \(expected)") }
        reader.end()
        commitCount += expected.count
    }
}

/// A program of an earlier format. It writes records of that format, knows nothing of later ones, and does not look at the version
/// of a file that it has open.
struct OldProgram {
    /// An error: the file is no longer one that the program can read.
    struct Harmed: Error, CustomStringConvertible {
        let description: String
    }

    private let process: LogProcess
    private let path: String
    /// The lock of this device says that the file is in use, as that of another process.
    private let device: FileDevice
    private let version: Int

    init(_ path: String, _ version: Int) throws {
        (self.path, self.version) = (path, version)
        device = try FileDevice.open(path: path, isShared: true)
        process = try LogProcess(path)
    }

    /// Creates an empty file of a format in place of any that is there.
    static func makeFile(_ path: String, _ version: Int) throws {
        try? FileManager.default.removeItem(atPath: path)
        try LogProcess(path).end()
        let url = URL(fileURLWithPath: path)
        var bytes = try [UInt8](Data(contentsOf: url))
        bytes.withUnsafeMutableBytes { bytes in
            for copy in [0, 2048, 4096, 6144] {
                bytes.storeBytes(of: UInt64(version).littleEndian, toByteOffset: copy + 8, as: UInt64.self)
                let sum = Checksum.of(
                    UnsafeRawBufferPointer(rebasing: bytes[copy..<copy + 56]),
                    seed: copy < 4096 ? 0 : UInt64(copy))
                bytes.storeBytes(of: sum.littleEndian, toByteOffset: copy + 56, as: UInt64.self)
            }
        }
        try Data(bytes).write(to: url)
    }

    /// Appends a commit. Returns false if the file was replaced, which such a program notices.
    func commit(_ number: UInt64) throws -> Bool {
        do { try device.checkName() } catch .displaced { return false }
        var word: UInt64 = 0
        _ = try withUnsafeMutableBytes(of: &word) { bytes throws(JournalError) in
            try device.read(into: bytes, at: 8)
        }
        guard Int(UInt64(littleEndian: word)) == version else {
            throw Harmed(description: "an open file was turned into format \(UInt64(littleEndian: word))")
        }
        let report = try Realm.verify(FileDevice.open(path: path, readOnly: true, isLocked: false))
        guard report.isIntact, report.checkpointOffset == nil, report.pageCount == 0 else {
            throw Harmed(description: "an open file has records of a later format: \(report)")
        }
        try process.commit(number)
        return true
    }

    /// Closes the file.
    func end() {
        process.end()
        device.close()
    }
}

#endif
