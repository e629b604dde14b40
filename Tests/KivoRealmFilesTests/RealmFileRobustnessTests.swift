import Foundation
import KivoRealmCommands
import KivoRealmFiles
import TestRandomness
import XCTest

/// Damaged files: whatever is read from them, it returns or throws, and takes memory as the file does.
///
/// With `KIVO_TEST_EFFORT=night` every file is cut at every 64 bytes and changed at 10,000 places.
final class RealmFileRobustnessTests: XCTestCase {
    private static let isLong = TestEffort.current == .night
    /// Files of more than this are left out of the normal run.
    private static let largest = 20_000

    func testTruncatedFiles() throws {
        let names = try RealmFileFixtures.names()
        let memory = PeakMemory()
        var count = 0
        for (number, name) in names.enumerated() {
            let bytes = try RealmFileFixtures.bytes(name)
            let step = RealmFileRobustnessTests.isLong ? 64 : max(64, bytes.count / 640 * 64)
            for end in stride(
                from: RealmFileRobustnessTests.isLong ? 0 : number % 7 * 8, to: bytes.count, by: step)
            {
                count += 1
                RealmFileRobustnessTests.readAll(Array(bytes[..<end]))
            }
        }
        print("realm-files: \(count) truncated files read")
        memory.check(fileSize: 2 << 20)
    }

    func testChangedFiles() throws {
        var random = RandomSource()
        let memory = PeakMemory()
        var count = 0
        var refused = 0
        for name in try RealmFileFixtures.names() {
            let original = try RealmFileFixtures.bytes(name)
            if !RealmFileRobustnessTests.isLong, original.count > RealmFileRobustnessTests.largest {
                continue
            }
            guard !original.isEmpty else { continue }
            for _ in 0..<(Self.isLong ? 10_000 : TestEffort.count(20, full: 100)) {
                var bytes = original
                let place = Int.random(in: 0..<bytes.count, using: &random)
                if Bool.random(using: &random) {
                    bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                } else {
                    bytes[place] = UInt8.random(in: .min ... .max, using: &random)
                }
                count += 1
                if !RealmFileRobustnessTests.readAll(bytes) { refused += 1 }
            }
        }
        print("realm-files: \(count) changed files read, \(refused) of them refused")
        memory.check(fileSize: 2 << 20)
    }

    /// Reads all of a file in both ways; returns whether nothing was thrown.
    @discardableResult
    static func readAll(_ bytes: [UInt8]) -> Bool {
        do {
            let file = try RealmFile(bytes: bytes)
            var isWhole = true
            do { try file.dump(name: "") { _ in } } catch { isWhole = false }
            for name in file.tableNames {
                guard let table = try? file.table(named: name) else { continue }
                do { try readAll(table) } catch { isWhole = false }
            }
            return isWhole
        } catch {
            return false
        }
    }

    private static func readAll(_ table: RealmFile.Table) throws {
        var place = 0
        // Like the dump, a reader has to stop by itself in a file that contains the same parts several times.
        var left = 10_000
        try table.forEachObject { object in
            guard left > 0 else { throw Enough() }
            for property in table.properties {
                left -= 1
                try? readAll(object.value(of: property), &left)
            }
            try? object.forEachInverseLink { _, _ in
                left -= 1
                if left < 0 { throw Enough() }
            }
            if place % 64 == 0 {
                _ = try? table.object(at: place)
                _ = try? table.object(withKey: object.key)
            }
            place += 1
        }
    }

    private struct Enough: Error {}

    private static func readAll(_ value: RealmFile.Value, _ left: inout Int) throws {
        switch value {
        case .list(let list):
            if list.storedCount > 0 { _ = try? list.value(at: list.storedCount / 2) }
            try list.forEach { value in
                left -= 1
                guard left > 0 else { throw Enough() }
                try readAll(value, &left)
            }
        case .dictionary(let dictionary):
            try dictionary.forEach { _, value in
                left -= 1
                guard left > 0 else { throw Enough() }
                try readAll(value, &left)
            }
        default: break
        }
    }
}

/// The most memory that the process had since a point in time, if the system reports it.
struct PeakMemory {
    private let start: Int?

    init() {
        // Resets the most there was to what there is.
        FileHandle(forWritingAtPath: "/proc/self/clear_refs")?.write(Data("5".utf8))
        start = PeakMemory.kilobytes("VmHWM:")
    }

    func check(fileSize: Int, file: StaticString = #filePath, line: UInt = #line) {
        guard let start, let peak = PeakMemory.kilobytes("VmHWM:") else { return }
        print("realm-files: at most \(peak - start) KB more memory")
        XCTAssertLessThan((peak - start) * 1024, (32 << 20) + 16 * fileSize, file: file, line: line)
    }

    private static func kilobytes(_ name: String) -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        return line.flatMap { Int($0.split(separator: " ").dropFirst().first { !$0.isEmpty } ?? "") }
    }
}
