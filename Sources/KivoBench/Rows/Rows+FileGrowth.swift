import Foundation
import Kivo

/// How large files become. The promise is three times the live data and 3 MB; measured is against 2 MB.
///
/// The figure is three times the largest size that the file ever had over that bound, so that 3 is better than what is
/// promised. It is no time, and taken once.
extension Rows {
    private static let million = 1_000_000
    private static let allowance = 2.0 * 1024 * 1024

    static var fileGrowth: [Row] {
        [
            Row("file.growth", .files, .times, .atMost(3)) { fixtures in
                try withFileInMemory(fixtures) { try grow(fixtures, $0, rows: 1_000) }
            },
            Row("file.growth/1M", .files, .times, .atMost(3)) { fixtures in
                try withFileInMemory(fixtures) { try grow(fixtures, $0, rows: fixtures.size(million)) }
            },
            Row("file.growth/hourly", .files, .times, .atMost(3)) { fixtures in
                try withFileInMemory(fixtures) { try growHourly(fixtures, $0) }
            },
        ]
    }

    /// One int is changed in each commit, of any row.
    private static func grow(
        _ fixtures: Fixtures, _ configuration: Realm.Configuration, rows: Int
    ) throws -> Samples {
        let path = configuration.fileURL!.path
        let count = fixtures.size(million)
        let realm = try Realm(configuration: configuration)
        try realm.addItems(rows, name: ItemData.name)
        let items = realm.objects(Item.self)
        var random = SplitMix64(state: 15)
        var largest = 0.0
        for index in 0..<count {
            let value = random.value()
            try realm.write { items[random.value() % rows].value = value }
            if index % 64 == 0 { largest = max(largest, try size(path)) }
        }
        return try share(largest, of: realm)
    }

    /// A small realm is opened and closed each hour of a month, and changed a little between.
    private static func growHourly(
        _ fixtures: Fixtures, _ configuration: Realm.Configuration
    ) throws -> Samples {
        let path = configuration.fileURL!.path
        try fill(configuration, 1_000)
        let hours = fixtures.size(30 * 24)
        var random = SplitMix64(state: 16)
        var largest = 0.0
        for _ in 0..<hours {
            try once {
                let realm = try Realm(configuration: configuration)
                let items = realm.objects(Item.self)
                for _ in 0..<50 {
                    let value = random.value()
                    try realm.write { items[random.value() % items.count].value = value }
                    largest = max(largest, try size(path))
                }
            }
            largest = max(largest, try size(path))
        }
        return try share(largest, of: Realm(configuration: configuration))
    }

    /// A size over what it may be, by the size of a copy without what led to it.
    private static func share(_ size: Double, of realm: Realm) throws -> Samples {
        let copy = realm.configuration.fileURL!.appendingPathExtension("copy")
        try realm.writeCopy(toFile: copy)
        let live = try self.size(copy.path)
        return Samples([Double](repeating: 3 * size / (3 * live + allowance), count: 5))
    }

    private static func size(_ path: String) throws -> Double {
        var status = stat()
        expect(stat(path, &status) == 0, "file.growth: the file is gone")
        return Double(status.st_size)
    }

    /// Hands over a file that no commit waits for: what it becomes does not depend on how long the disk takes.
    private static func withFileInMemory(
        _ fixtures: Fixtures, _ body: (Realm.Configuration) throws -> Samples
    ) throws -> Samples {
        var configuration = try fixtures.fileConfiguration()
        let memory = URL(fileURLWithPath: "/dev/shm")
        guard FileManager.default.isWritableFile(atPath: memory.path) else { return try body(configuration) }
        let folder = memory.appendingPathComponent("kivo-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        configuration.fileURL = folder.appendingPathComponent("bench.realm")
        return try body(configuration)
    }

    /// A function of its own lets go of the realm when it returns.
    @inline(never)
    private static func once(_ body: () throws -> Void) rethrows { try body() }
}
