import Dispatch
import Foundation
import Kivo

/// The past of a realm: the difference from a version, labels, and the commits one by one.
extension Rows {
    private static let itemCount = 1_000

    static var history: [Row] {
        let reading = Row("floor.history/read", .history, .us, measure: readItems)
        let writing = Row("floor.history/commit", .history, .us) { try commit($0, isLabelled: false) }
        return [
            reading, writing,
            Row(
                "history.changes", .history, .us, .timesFloor(3), floor: FloorReference(reading),
                measure: changesInMemory),
            Row(
                "history.changes/file", .history, .us, .timesFloor(3), floor: FloorReference(reading),
                measure: changesInFile),
            Row("history.commit", .history, .us, .timesFloor(1.1), floor: FloorReference(writing)) {
                try commit($0, isLabelled: true)
            },
            Row("history.consume", .history, .us, .atMost(2), measure: consumeCommits),
        ]
    }

    /// Measures reading all values of the items, which a program without the history has to compare.
    private static func readItems(_ fixtures: Fixtures) throws -> Samples {
        let items = try fixtures.items(itemCount).realm.objects(Item.self)
        return Sampling.repetitions(101) {
            nanoseconds {
                for item in items {
                    keep(item.value)
                    keep(item.name.utf8.count)
                    keep(Int(item.score))
                }
            }
        }
    }

    /// Measures the difference over as many commits as items, each of which changes an item, from versions in memory.
    private static func changesInMemory(_ fixtures: Fixtures) throws -> Samples {
        let realm = try fixtures.emptyStore().realm
        try realm.addItems(fixtures.size(itemCount), name: ItemData.name)
        let before = realm.version
        try changeItems(realm, commits: fixtures.size(itemCount))
        return try Sampling.repetitions(21) { try changes(realm, since: before, fixtures) }
    }

    /// Measures the same difference in a file that was opened again, from a version that was stored.
    private static func changesInFile(_ fixtures: Fixtures) throws -> Samples {
        let configuration = try fixtures.fileConfiguration()
        let before = try makeHistory(fixtures, configuration, commits: fixtures.size(itemCount))
        try waitUntilClosed(configuration)
        let realm = try Realm(configuration: configuration)
        return try Sampling.repetitions(11) { try changes(realm, since: before, fixtures) }
    }

    private static func changes(
        _ realm: Realm, since before: Realm.Version, _ fixtures: Fixtures
    ) throws -> Double {
        var changes = ChangeSet()
        let time = try nanoseconds { changes = try realm.changes(since: before) }
        expect(changes.count == fixtures.size(itemCount), "history.changes has \(changes.count) objects")
        return time
    }

    /// Measures writes of one value in memory, which stores no labels.
    private static func commit(_ fixtures: Fixtures, isLabelled: Bool) throws -> Samples {
        let realm = try fixtures.items(itemCount).realm
        let item = realm.objects(Item.self)[fixtures.size(itemCount) / 2]
        return try Sampling.perOperation(fixtures.size(20_000)) { count in
            if isLabelled {
                for value in 0..<count {
                    try realm.write(label: "Import", author: "kivo-bench") { item.value = value }
                }
            } else {
                for value in 0..<count { try realm.write { item.value = value } }
            }
            expect(item.value == count - 1, "history.commit did not write")
        }
    }

    /// Measures a consumer of a file that was opened again, in batches of a hundred commits, per commit.
    private static func consumeCommits(_ fixtures: Fixtures) throws -> Samples {
        let configuration = try fixtures.fileConfiguration()
        let count = fixtures.size(10_000)
        let before = try makeHistory(fixtures, configuration, commits: count)
        try waitUntilClosed(configuration)
        let realm = try Realm(configuration: configuration)
        var number = 0
        return try Sampling.repetitions(7) {
            number += 1
            let batches = try realm.consumer("\(number)", since: before).batches
            return try MainActorRun.wait {
                try await Task.detached {
                    let start = DispatchTime.now().uptimeNanoseconds
                    var (read, objects) = (0, 0)
                    for try await batch in batches {
                        read += batch.commitCount
                        objects += batch.changes.count
                        if read >= count { break }
                    }
                    let time = Double(DispatchTime.now().uptimeNanoseconds - start)
                    expect(
                        read == count && objects == count, "history.consume read \(read) commits of \(count)")
                    return time / Double(count)
                }.value
            }
        }
    }

    /// Creates a file with items and commits, and returns the version before the commits as a program stores it.
    @inline(never)
    private static func makeHistory(
        _ fixtures: Fixtures, _ configuration: Realm.Configuration, commits: Int
    ) throws -> Realm.Version {
        let realm = try Realm(configuration: configuration)
        try realm.addItems(fixtures.size(itemCount), name: ItemData.name)
        let stored = try JSONEncoder().encode(realm.version)
        try changeItems(realm, commits: commits)
        return try JSONDecoder().decode(Realm.Version.self, from: stored)
    }

    /// Changes one item in each commit, each of them in turn.
    private static func changeItems(_ realm: Realm, commits: Int) throws {
        let items = realm.objects(Item.self)
        for number in 0..<commits {
            let item = items[number % items.count]
            try realm.write { item.value = ItemData.values + number }
        }
    }
}
