import Foundation
import Kivo

class LargeItem: Object {
    @Persisted(primaryKey: true) var number = 0
    @Persisted var name = ""
    @Persisted var data = Data()
}

/// A test of a file with large values, which is written, partly overwritten, compacted, opened and verified.
struct LargeRun {
    private(set) var failures: [String] = []
    /// The size of the file before and after its compaction.
    private(set) var sizes: (before: Int, after: Int) = (0, 0)
    /// The durations of verification and of reading one short property.
    private(set) var times: (verifying: Duration, reading: Duration) = (.zero, .zero)
    private let file: URL
    private let seed: UInt64

    /// The number of bytes of a value.
    private static let size = 10_000_000

    init(in folder: URL, seed: UInt64) {
        file = folder.appendingPathComponent("large.kivo")
        self.seed = seed
    }

    private var configuration: Realm.Configuration {
        Realm.Configuration(fileURL: file, objectTypes: [LargeItem.self])
    }

    private func value(_ number: Int, _ version: Int) -> Data {
        var random = SeededNumbers(seed &+ UInt64(number * 1000 + version))
        let part = Data((0..<1000).map { _ in UInt8(random.below(256)) })
        var data = Data(capacity: LargeRun.size)
        while data.count < LargeRun.size { data.append(part) }
        return data
    }

    /// Runs with a number of megabytes of values.
    mutating func run(megabytes: Int) throws {
        let count = max(4, megabytes * 1_000_000 / LargeRun.size)
        // The file is closed from time to time, because written values stay in memory until then.
        for start in stride(from: 0, to: count, by: 20) {
            try withRealm { realm in
                for number in start..<min(count, start + 20) { try write(number, version: 0, to: realm) }
            }
        }
        // Every fourth value is replaced, every eighth object deleted.
        try withRealm { realm in
            for number in stride(from: 0, to: count, by: 4) { try write(number, version: 1, to: realm) }
            try realm.write {
                for number in stride(from: 0, to: count, by: 8) {
                    realm.object(ofType: LargeItem.self, forPrimaryKey: number).map(realm.delete)
                }
            }
        }
        sizes.before = try size()
        var compacting = configuration
        compacting.shouldCompactOnLaunch = { _, _ in true }
        try withRealm(compacting) { _ in }
        sizes.after = try size()
        let clock = ContinuousClock()
        try withRealm { realm in
            var name = ""
            times.reading = clock.measure {
                name = realm.object(ofType: LargeItem.self, forPrimaryKey: count - 1)?.name ?? ""
            }
            expect(name == "item \(count - 1)", "the last item is called '\(name)'")
            for number in 0..<count {
                let item = realm.object(ofType: LargeItem.self, forPrimaryKey: number)
                let expected = number % 8 == 0 ? nil : value(number, number % 4 == 0 ? 1 : 0)
                expect(item?.data == expected, "item \(number) has another value")
            }
        }
        var report: Realm.VerificationReport?
        times.verifying = try clock.measure { report = try Realm.verify(fileURL: file) }
        expect(report?.isIntact == true, "the file is not intact: \(report.map { "\($0)" } ?? "")")
        let live = count - (count + 7) / 8
        expect(
            sizes.after < (live + 2) * LargeRun.size,
            "the compacted file has \(sizes.after) bytes for \(live) values"
        )
    }

    private func write(_ number: Int, version: Int, to realm: Realm) throws {
        let item = LargeItem()
        (item.number, item.name, item.data) = (number, "item \(number)", value(number, version))
        try realm.write { realm.add(item, update: .all) }
    }

    private func size() throws -> Int {
        try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
    }

    private mutating func expect(_ isTrue: Bool, _ reason: String) {
        if !isTrue, failures.count < 20 { failures.append(reason) }
    }

    /// Opens the file, and returns when it is closed.
    private func withRealm(_ configuration: Realm.Configuration? = nil, _ body: (Realm) throws -> Void) throws
    {
        var configuration = configuration ?? self.configuration
        configuration.checkpoints.smallestTailOfClosing = 1
        try body(Realm(configuration: configuration))
    }
}
