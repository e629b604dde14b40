import Foundation
import Kivo
import KivoEngine
import KivoJournal
import Synchronization
import TestRandomness
import XCTest

/// A stored file: a format, and how the file came about.
private struct StoredFile: CustomStringConvertible {
    enum Kind: String, CaseIterable {
        /// A record for each commit, and no checkpoint.
        case records
        /// A checkpoint, and commits after it.
        case checkpoint
        /// A file of later classes, with a record of the migration.
        case migrated
        /// The result of a compaction.
        case compacted
    }

    let format: Int
    let kind: Kind
    /// Whether the header has a second page.
    var hasSecondPage: Bool { format >= 4 && !isEarly }
    /// Whether the file is of format 4 before the second page of the header.
    var isEarly = false

    var description: String { "format-\(format)-\(kind.rawValue)" + (isEarly ? "-one-page" : "") }

    var classes: [ObjectBase.Type] {
        kind == .migrated ? StoredHistory.laterClasses : StoredHistory.classes
    }

    var schemaVersion: UInt64 { kind == .migrated ? 3 : 0 }

    /// All of them. Format 2 has neither checkpoints nor migrations.
    static let all =
        [StoredFile(format: 2, kind: .records)]
        + [3, 4, 5, 6, 7].flatMap { format in Kind.allCases.map { StoredFile(format: format, kind: $0) } }
        + [StoredFile(format: 4, kind: .compacted, isEarly: true)]
}

/// Files of every format that can be opened hold what they held when they were written.
///
/// `KIVO_RECORD_STORED_FILES=FOLDER swift test --filter StoredFileTests` writes files of the newest format into a folder, without
/// the zeros at their ends. `contents.txt` is what all of them hold, `contents-later.txt` what they hold after the migration.
final class StoredFileTests: FileTestCase {
    private func configuration(_ stored: StoredFile) -> Realm.Configuration {
        Realm.Configuration(fileURL: file, schemaVersion: stored.schemaVersion, objectTypes: stored.classes)
    }

    private func resource(_ stored: StoredFile, _ ending: String) throws -> URL {
        try XCTUnwrap(
            Bundle.module.url(
                forResource: "\(stored)", withExtension: ending, subdirectory: "StoredFiles"), "\(stored)")
    }

    /// Puts a copy of a stored file where the test opens it.
    private func restore(_ stored: StoredFile) throws {
        try? FileManager.default.removeItem(at: file)
        try Data(contentsOf: resource(stored, "kivo")).write(to: file)
    }

    /// The text of the objects that every stored file holds.
    private func expectedText(later: Bool) throws -> String {
        let name = later ? "contents-later" : "contents"
        let url = try XCTUnwrap(
            Bundle.module.url(forResource: name, withExtension: "txt", subdirectory: "StoredFiles"))
        return try String(contentsOf: url, encoding: .utf8)
    }

    private func text(_ stored: StoredFile, readOnly: Bool = false) throws -> String {
        var configuration = configuration(stored)
        configuration.readOnly = readOnly
        return try withRealm(configuration) { StoredContents.text($0, stored.classes) }
    }

    /// Compares line by line, so that a failure names the property.
    private func assertText(_ found: String, of stored: StoredFile, line: UInt = #line) throws {
        let found = found.split(separator: "\n")
        let expected = try expectedText(later: stored.kind == .migrated).split(separator: "\n")
        if found == expected { return }
        for (number, pair) in zip(found, expected).enumerated() where pair.0 != pair.1 {
            return XCTFail("\(stored), line \(number + 1): \(pair.0) instead of \(pair.1)", line: line)
        }
        XCTFail("\(stored) has \(found.count) lines instead of \(expected.count)", line: line)
    }

    private func format(of file: URL) throws -> Int { try Int(Data(contentsOf: file)[8]) }

    /// Returns the offset of a file's first record.
    private func recordsOffset(of file: URL) throws -> Int {
        let bytes = try Data(contentsOf: file)[24..<32]
        return bytes.allSatisfy { $0 == 0 } ? 4096 : bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// The format of a file that is made now.
    private func newestFormat() throws -> Int {
        let url = folder.appendingPathComponent("new.kivo")
        try withRealm(Realm.Configuration(fileURL: url, objectTypes: [StoredWide.self])) { _ in }
        return try format(of: url)
    }

    func testFilesAreOfTheFormatThatTheySay() throws {
        for stored in TestEffort.cases(StoredFile.all, within: 0.21) {
            let url = try resource(stored, "kivo")
            XCTAssertEqual(try format(of: url), stored.format, "\(stored)")
            XCTAssertEqual(try recordsOffset(of: url), stored.hasSecondPage ? 8192 : 4096, "\(stored)")
        }
    }

    /// Both slots that lead to a checkpoint are empty where there is none.
    func testRecordsAreWithoutCheckpoint() throws {
        for stored in TestEffort.cases(StoredFile.all, within: 0.21) {
            let bytes = try Data(contentsOf: resource(stored, "kivo"))
            for page in stored.hasSecondPage ? [0, 4096] : [0] {
                let slots = bytes[page + 1024..<page + 2048]
                XCTAssertEqual(slots.allSatisfy { $0 == 0 }, stored.kind == .records, "\(stored)")
            }
        }
    }

    func testReading() throws {
        for stored in TestEffort.cases(StoredFile.all, within: 0.21) {
            try restore(stored)
            let before = try Data(contentsOf: file)
            try assertText(text(stored, readOnly: true), of: stored)
            XCTAssertEqual(try Data(contentsOf: file), before, "\(stored)")
            try assertText(text(stored), of: stored)
            try waitUntilClosed()
        }
    }

    func testVerification() throws {
        for stored in TestEffort.cases(StoredFile.all, within: 0.21) {
            try restore(stored)
            XCTAssertEqual(try Realm.verify(fileURL: file).flaws.map(\.reason), [], "\(stored)")
        }
    }

    /// Writing brings a file to the newest format, with commits, checkpoints and compactions, and loses nothing.
    func testWriting() throws {
        for stored in TestEffort.cases(StoredFile.all, within: 0.21) {
            try restore(stored)
            try withRealm(configuration(stored)) { realm in
                try realm.write { realm.create(StoredWide.self, value: ["a": 99]) }
                try realm.write { realm.delete(realm.objects(StoredWide.self).where { $0.a == 99 }) }
                try assertText(StoredContents.text(realm, stored.classes), of: stored)
            }
            try waitUntilClosed()
            try assertText(text(stored), of: stored)
            try waitUntilClosed()
            _ = try FileCompaction.run(file)
            try XCTAssertEqual(format(of: file), newestFormat(), "\(stored)")
            try XCTAssertEqual(recordsOffset(of: file), 8192, "\(stored)")
            try assertText(text(stored), of: stored)
            try waitUntilClosed()
        }
    }

    func testCheckpoints() throws {
        for stored in TestEffort.cases(StoredFile.all, within: 0.21) {
            try restore(stored)
            var frequent = configuration(stored)
            frequent.checkpoints.smallestTailOfClosing = 1
            for number in 0..<3 {
                try withRealm(frequent) { realm in
                    try realm.write { realm.create(StoredWide.self, value: ["a": 100 + number]) }
                    try realm.write { realm.delete(realm.objects(StoredWide.self).where { $0.a >= 100 }) }
                }
                try waitUntilClosed()
                try assertText(text(stored), of: stored)
                try waitUntilClosed()
            }
            XCTAssertEqual(try Realm.verify(fileURL: file).flaws.map(\.reason), [], "\(stored)")
            try XCTAssertEqual(format(of: file), newestFormat(), "\(stored)")
        }
    }

    func testSalvage() throws {
        for stored in TestEffort.cases(StoredFile.all, within: 0.21) {
            try restore(stored)
            let rescued = folder.appendingPathComponent("rescued-\(stored).kivo")
            let report = try Realm.salvage(contentsOf: file, to: rescued)
            XCTAssertEqual(
                report.damagedPages.count + report.gaps.count + report.losses.count, 0, "\(stored)")
            var configuration = configuration(stored)
            configuration.fileURL = rescued
            try assertText(withRealm(configuration) { StoredContents.text($0, stored.classes) }, of: stored)
        }
    }

    func testAnotherProgramMigrates() throws {
        for stored in TestEffort.cases(StoredFile.all.filter { $0.kind != .migrated }, within: 0.21) {
            try restore(stored)
            try migrate()
            let later = StoredFile(format: stored.format, kind: .migrated)
            let found = try text(later)
            try assertText(found, of: later)
            try waitUntilClosed()
        }
    }

    private func migrate() throws {
        let configuration = Realm.Configuration(
            fileURL: file, schemaVersion: 3,
            migrationBlock: { migration, _ in
                migration.renameProperty(onType: "StoredRow", from: "number", to: "amount")
                migration.enumerateObjects(ofType: "StoredRow") { old, new in
                    new!["note"] = "was \(old!["number"]!)"
                }
            }, objectTypes: StoredHistory.laterClasses)
        try withRealm(configuration) { _ in }
    }

    // MARK: Writing the same

    /// The history of the stored files gives their bytes, whenever it is written: nothing in them depends on the process, on
    /// addresses or on the order of a dictionary.
    func testAHistoryGivesTheSameBytes() throws {
        for kind in StoredFile.Kind.allCases {
            let stored = try StoredFile(format: newestFormat(), kind: kind)
            let expected = try [UInt8](Data(contentsOf: resource(stored, "kivo")))
            let found = try recorded(stored)
            guard found != expected else { continue }
            let place = zip(found, expected).enumerated().first { $1.0 != $1.1 }?.offset
            XCTFail(
                """
                \(stored): \(found.count) bytes instead of \(expected.count), and byte \(place ?? min(found.count, expected.count)) \
                is another one. If the format was meant to change, record the files again.
                """)
        }
    }

    /// The bytes of a file with the history of the stored ones, without the zeros at its end.
    private func recorded(_ stored: StoredFile) throws -> [UInt8] {
        try? FileManager.default.removeItem(at: file)
        try? FileManager.default.removeItem(at: file.appendingPathExtension("lock"))
        let (numbers, times) = (Numbers(), Numbers())
        try StoredRandomness.$source.withValue({ numbers.next() }) {
            try CommitStamp.$clock.withValue({ Int64(times.next() >> 12) }) {
                try record(stored.kind)
                try waitUntilClosed()
            }
        }
        var bytes = try [UInt8](Data(contentsOf: file))
        try assertText(text(stored, readOnly: true), of: stored)
        while bytes.count % 8 != 0 || bytes.suffix(8).allSatisfy({ $0 == 0 }) { bytes.removeLast() }
        return bytes
    }

    /// Numbers in place of random ones.
    private final class Numbers: Sendable {
        private let last = Atomic<UInt64>(0)

        func next() -> UInt64 {
            last.wrappingAdd(1, ordering: .relaxed).newValue &* 0x9E37_79B9_7F4A_7C15
        }
    }

    // MARK: Recording

    /// Writes a file of each kind in the newest format.
    func testRecordingFiles() throws {
        let environment = ProcessInfo.processInfo.environment
        guard let path = environment["KIVO_RECORD_STORED_FILES"] else {
            throw XCTSkip("KIVO_RECORD_STORED_FILES names no folder")
        }
        let destination = URL(fileURLWithPath: path, isDirectory: true)
        for kind in StoredFile.Kind.allCases {
            let stored = try StoredFile(format: newestFormat(), kind: kind)
            try Data(recorded(stored)).write(to: destination.appendingPathComponent("\(stored).kivo"))
        }
    }

    private func record(_ kind: StoredFile.Kind) throws {
        var configuration = Realm.Configuration(fileURL: file, objectTypes: StoredHistory.classes)
        configuration.checkpoints.smallestTailOfClosing = kind == .records ? 1 << 30 : 1
        try withRealm(configuration) { try StoredHistory.begin($0) }
        try waitUntilClosed()
        configuration.checkpoints.smallestTailOfClosing = 1 << 30
        try withRealm(configuration) { try StoredHistory.goOn($0) }
        try waitUntilClosed()
        switch kind {
        case .records, .checkpoint: break
        case .migrated: try migrate()
        case .compacted: _ = try FileCompaction.run(file)
        }
    }
}
