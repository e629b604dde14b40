import Foundation
import Kivo

/// Files of a million records of six fields.
extension Rows {
    private static let million = 1_000_000

    static var records: [Row] {
        [
            Row("file.write/1M", .fast, .ms, .atMost(1_300), usesDisk: true, measure: writeRecords),
            Row("file.size/six", .fast, .bytes, .atMost(44), measure: sizeOfRecords),
            Row("file.query/fresh", .fast, .ms, .atMost(20), measure: queryFresh),
            Row("file.query/fresh.memory", .fast, .bytes, measure: memoryOfFreshQuery),
        ]
    }

    /// Measures creating records and writing them to a new file in one commit.
    private static func writeRecords(_ fixtures: Fixtures) throws -> Samples {
        let count = fixtures.size(million)
        let names = fixtures.itemNames(million)
        return try Sampling.repetitions {
            let configuration = try fixtures.fileConfiguration([Record.self])
            let time = try write(configuration, count, names)
            try waitUntilClosed(configuration)
            try FileManager.default.removeItem(at: configuration.fileURL!)
            return time
        }
    }

    /// Writes records in a separate function, so that the file is closed when it returns.
    @inline(never)
    private static func write(
        _ configuration: Realm.Configuration, _ count: Int, _ names: [String]
    ) throws -> Double {
        let realm = try Realm(configuration: configuration)
        let time = try nanoseconds { try realm.addRecords(count, names: names) }
        expect(realm.objects(Record.self).count == count, "not all records were written")
        return time
    }

    /// Returns the size of a closed file of records, in bytes per record, after 200 more commits changed a record each.
    private static func sizeOfRecords(_ fixtures: Fixtures) throws -> Samples {
        let (configuration, count) = try closedFile(fixtures)
        try change(configuration, count)
        try waitUntilClosed(configuration)
        let path = configuration.fileURL!.path
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        return Samples([Double](repeating: Double(size) / Double(count), count: 5))
    }

    @inline(never)
    private static func change(_ configuration: Realm.Configuration, _ count: Int) throws {
        let realm = try Realm(configuration: configuration)
        var random = SplitMix64(state: 23)
        for _ in 0..<200 {
            let record = realm.object(ofType: Record.self, forPrimaryKey: random.below(count))
            try realm.write { record?.value = random.value() }
        }
    }

    /// Measures a process that opens a closed file and counts a condition on one column.
    private static func queryFresh(_ fixtures: Fixtures) throws -> Samples {
        let (configuration, count) = try closedFile(fixtures)
        let path = configuration.fileURL!.path
        return try Sampling.repetitions(7) {
            try ClosedFileProbe(part: .query, path: path, count: count).ask()
        }
    }

    /// Measures the bytes per record by which the first query of a newly opened file lets the process grow.
    private static func memoryOfFreshQuery(_ fixtures: Fixtures) throws -> Samples {
        let (configuration, count) = try closedFile(fixtures)
        return try Sampling.repetitions(5) {
            let realm = try Realm(configuration: configuration)
            let before = MemoryProbe.resident()
            _ = realm.objects(Record.self).where { $0.value > ItemData.median }.count
            return Double(MemoryProbe.resident() - before) / Double(count)
        }
    }

    private static func closedFile(
        _ fixtures: Fixtures
    ) throws -> (configuration: Realm.Configuration, count: Int) {
        let configuration = try fixtures.fileConfiguration([Record.self])
        let count = fixtures.size(million)
        _ = try write(configuration, count, fixtures.itemNames(million))
        try waitUntilClosed(configuration)
        return (configuration, count)
    }
}
