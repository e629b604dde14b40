import Foundation
import Kivo

/// The maximum sizes of files. The guarantee is three times the live data plus 3 MB; the benchmark compares with 2 MB.
///
/// The figure is three times the largest size that the file ever had, divided by that bound. A figure of 3 is therefore still
/// better than the guarantee. It is no time, and is measured once.
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

    /// Measures the growth of a file in which each commit changes one integer in a random row.
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

    /// Measures the growth of a small file that is opened, changed a little and closed in each hour of a month.
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

    /// Returns the ratio of a size to its bound, which depends on the size of a compacted copy.
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

    /// Calls `body` with a configuration of a file in memory if possible. Then the growth does not depend on the speed of the
    /// disk.
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

    /// Calls `body` in a separate function, which releases the realm when it returns.
    @inline(never)
    private static func once(_ body: () throws -> Void) rethrows { try body() }
}

extension Rows {
    /// Rows of the table with more and with less data: the cost of a change for its observers must depend on the change alone.
    /// They have no targets, because targets are for the sizes of the table.
    static var growth: [RowGroup] {
        [RowGroup("commit@", sizes.map { commitToResults("commit.results@\($0)", rows: $1) })]
            + View.allCases.map { RowGroup("view.\($0.rawValue)@", growingViews($0)) }
            + [
                RowGroup("list.insert@", sizes.map { insertIntoObserved("list.insert@\($0)", count: $1) }),
                RowGroup(
                    "list.object@", sizes.map { modifyElementOfObserved("list.object@\($0)", count: $1) }),
                RowGroup(
                    "tokens@",
                    [("1k", 1_000), ("4k", 4_000), ("16k", 16_000)].map {
                        endTokens("tokens.end@\($0)", count: $1)
                    }),
            ]
    }

    private static func growingViews(_ view: View) -> [Row] {
        [("1", 1), ("100", 100), ("10k", 10_000)].flatMap { label, modified in
            sizes.map { size, count in
                self.view("view.\(view.rawValue)/\(label)@\(size)", view, rows: count, modified: modified)
            }
        }
    }

    /// Returns a row that ends many observations of results, one after the other, and times each.
    private static func endTokens(_ name: String, count: Int) -> Row {
        Row(name, .queries, .us) { fixtures in
            let store = try fixtures.items(1_000)
            let items = store.realm.objects(Item.self)
            return try Sampling.repetitions {
                let tally = Tally()
                let tokens = (0..<count).map { _ in items.observe { _ in tally.add() } }
                try store.settle()
                tally.take(count, name)
                return nanoseconds { for token in tokens { token.invalidate() } } / Double(count)
            }
        }
    }

    private static let sizes = [
        ("10k", 10_000), ("100k", 100_000), ("1M", 1_000_000), ("10M", 10_000_000),
    ]
}
