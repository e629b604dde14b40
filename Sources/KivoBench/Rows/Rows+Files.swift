import Dispatch
import Foundation
import Kivo

extension Rows {
    private static let million = 1_000_000

    static var files: [Row] {
        [
            Row(
                "file.commit", .files, .us, .timesFloor(1.3), floor: FloorReference(.fsync), usesDisk: true,
                measure: commitToFile
            ),
            Row("file.open", .files, .ms, .atMost(2), usesDisk: true) { try openFile($0, million) },
            Row("file.open/1k", .files, .ms, .atMost(2), usesDisk: true) { try openFile($0, 1_000) },
            Row("file.open/10M", .files, .ms, .atMost(3), usesDisk: true) { try openFile($0, 10 * million) },
            Row("file.open/closed", .files, .ms, .atMost(5), usesDisk: true, measure: openClosedFile),
            Row("file.size", .files, .bytes, .atMost(35), measure: sizeOfFile),
            Row("file.process", .files, .ms, .atMost(1), usesDisk: true, measure: hearOfAnotherProcess),
            Row("file.resident", .files, .bytes, .atMost(4_000_000)) { fixtures in
                try residentBytes(fixtures) { try fill($0, $1) }
            },
            Row("file.resident/1GB", .files, .bytes, .atMost(4_000_000)) { fixtures in
                try residentBytes(fixtures) { try fillLarge($0, $1) }
            },
            Row("file.large/read", .files, .ms, .atMost(1), usesDisk: true, measure: readBesideLargeValues),
            Row("file.large/8k", .files, .us, .atMost(10)) { try readLargeValues($0, bytes: 1 << 13) },
            Row("file.large/1M", .files, .us, .atMost(1_000)) { try readLargeValues($0, bytes: 1 << 20) },
            Row("file.large/resident", .files, .bytes, .atMost(4_000_000)) { fixtures in
                try residentBytes(fixtures, of: largeValues, fillWithLargeValues)
            },
            Row("file.checkpoint/one", .files, .ms, .atMost(2), usesDisk: true) {
                try checkpointOfOneRow($0).times
            },
            Row("file.checkpoint/one.size", .files, .bytes) { try checkpointOfOneRow($0).bytes },
            Row("file.stall", .files, .ms, .atMost(5), usesDisk: true, measure: longestCommit),
            Row("file.open.moves", .files, .ms, .atMost(50), usesDisk: true, measure: openHolder),
        ]
    }

    private static func commitToFile(_ fixtures: Fixtures) throws -> Samples {
        let realm = try Realm(configuration: try fixtures.fileConfiguration())
        try realm.addItems(fixtures.size(1_000), name: ItemData.name)
        let item = realm.objects(Item.self)[fixtures.size(1_000) / 2]
        var random = SplitMix64(state: 12)
        return try Sampling.steps(atMost: 500) {
            let value = random.value()
            let time = try nanoseconds { try realm.write { item.value = value } }
            expect(item.value == value, "file.commit did not write")
            return time
        }
    }

    /// Measures opening a file that no process has open, and reading one property.
    private static func openFile(_ fixtures: Fixtures, _ items: Int) throws -> Samples {
        let configuration = try fixtures.fileConfiguration()
        let count = fixtures.size(items)
        try fill(configuration, count)
        try waitUntilClosed(configuration)
        return try Sampling.repetitions(11) {
            var realm: Realm?
            var value = -1
            let time = try nanoseconds {
                let opened = try Realm(configuration: configuration)
                value = opened.objects(Item.self)[count / 2].value
                realm = opened
            }
            expect(value == ItemData.value(count / 2), "file.open read something else")
            withExtendedLifetime(realm) {}
            realm = nil
            return time
        }
    }

    /// Measures opening a file in another process. The process that wrote the file ended right after closing it.
    private static func openClosedFile(_ fixtures: Fixtures) throws -> Samples {
        Samples(
            try (0..<5).map { _ in
                let path = try fixtures.fileConfiguration().fileURL!.path
                defer { try? FileManager.default.removeItem(atPath: path) }
                return try ClosedFileProbe(path: path, count: fixtures.size(million)).askChildren()
            })
    }

    /// Returns the size of the closed file in bytes per item.
    private static func sizeOfFile(_ fixtures: Fixtures) throws -> Samples {
        let count = fixtures.size(million)
        return Samples(
            try (0..<5).map { _ in
                let configuration = try fixtures.fileConfiguration()
                try fill(configuration, count)
                try waitUntilClosed(configuration)
                let path = configuration.fileURL!.path
                let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
                try FileManager.default.removeItem(atPath: path)
                return Double(size) / Double(count)
            })
    }

    /// Returns the duration of the longest commit while a checkpoint writes all rows.
    private static func longestCommit(_ fixtures: Fixtures) throws -> Samples {
        let configuration = try fixtures.fileConfiguration()
        let realm = try Realm(configuration: configuration)
        try realm.addItems(fixtures.size(million), name: ItemData.name)
        let items = realm.objects(Item.self)
        return try Sampling.repetitions {
            try realm.write { for item in items { item.value &+= 1 } }
            let item = items[0]
            let end = DispatchTime.now().uptimeNanoseconds + 500_000_000
            var longest = 0.0
            while DispatchTime.now().uptimeNanoseconds < end {
                longest = max(longest, try nanoseconds { try realm.write { item.value &+= 1 } })
            }
            return longest
        }
    }

    /// Measures from the beginning of another process's write to the callback in this process, which sleeps in its run loop. The
    /// time of a flush is subtracted.
    private static func hearOfAnotherProcess(_ fixtures: Fixtures) throws -> Samples {
        let configuration = try fixtures.fileConfiguration()
        let realm = try Realm(configuration: configuration)
        try realm.addItems(1_000, name: ItemData.name)
        let item = realm.objects(Item.self)[0]
        let flush = try Floor.fsync.row.measure(fixtures).median
        var samples: [Double] = []
        let token = item.observe { (_: ObjectChange<Item>) in
            samples.append(Double(Int(DispatchTime.now().uptimeNanoseconds) - item.value) - flush)
        }
        defer { token.invalidate() }
        let count = fixtures.size(500)
        let end = ProcessWriter(path: configuration.fileURL!.path, count: count).start()
        while !end.isReached.load(ordering: .acquiring) {
            _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 1))
        }
        expect(samples.count > count / 2, "file.process told of \(samples.count) of \(count) commits")
        return Samples(steps: samples)
    }

    /// Returns the number of bytes by which a process grows when it opens a file and reads one property.
    private static func residentBytes(
        _ fixtures: Fixtures, of count: Int? = nil, _ fill: (Realm.Configuration, Int) throws -> Void
    ) throws -> Samples {
        let configuration = try fixtures.fileConfiguration()
        let count = count ?? fixtures.size(million)
        try fill(configuration, count)
        try waitUntilClosed(configuration)
        return Samples(
            try (0..<5).map { _ in
                try OpeningProbe(path: configuration.fileURL!.path, count: count).askChild()
            })
    }

    /// Returns how long a file stays open for a checkpoint after one row was changed, and the number of bytes by which it grows.
    private static func checkpointOfOneRow(_ fixtures: Fixtures) throws -> (times: Samples, bytes: Samples) {
        var configuration = try fixtures.fileConfiguration()
        let count = fixtures.size(million)
        try fill(configuration, count)
        try waitUntilClosed(configuration)
        configuration.checkpoints.smallestTailOfClosing = 1
        var random = SplitMix64(state: 14)
        var bytes: [Double] = []
        let times = try Sampling.repetitions(11) {
            var realm: Realm? = try Realm(configuration: configuration)
            let value = random.value()
            try realm?.write { realm?.objects(Item.self)[random.value() % count].value = value }
            let before = try endOfData(configuration)
            let time = nanoseconds { realm = nil }
            let grown = try endOfData(configuration) - before
            expect(grown > 0, "file.checkpoint/one wrote no checkpoint")
            bytes.append(Double(grown))
            return time
        }
        return (times, Samples(Array(bytes.dropFirst())))
    }

    /// Returns the end of a file without the zeros that are allocated in advance.
    private static func endOfData(_ configuration: Realm.Configuration) throws -> Int {
        let file = try FileHandle(forReadingFrom: configuration.fileURL!)
        defer { try? file.close() }
        let size = try file.seekToEnd()
        let start = size - min(size, 1 << 22)
        try file.seek(toOffset: start)
        let bytes = try file.readToEnd() ?? Data()
        return Int(start) + (bytes.lastIndex { $0 != 0 } ?? 0)
    }

    /// Waits for a checkpoint that keeps a file open.
    static func waitUntilClosed(_ configuration: Realm.Configuration) throws {
        var other = configuration
        other.readOnly = true
        for _ in 0..<1_000 {
            if (try? Realm(configuration: other)) != nil { return }
            Thread.sleep(forTimeInterval: 0.01)
        }
        expect(false, "the file stays open")
    }

    /// Measures opening a file with a long list whose elements were moved in many commits.
    private static func openHolder(_ fixtures: Fixtures) throws -> Samples {
        let configuration = try fixtures.fileConfiguration()
        let count = fixtures.size(100_000)
        try fillList(configuration, count)
        return try Sampling.repetitions(11) {
            var realm: Realm?
            let time = try nanoseconds { realm = try Realm(configuration: configuration) }
            let found = realm?.objects(Holder.self).first?.numbers.count
            expect(found == count, "file.open.moves lost elements")
            realm = nil
            return time
        }
    }

    @inline(never)
    private static func fillList(_ configuration: Realm.Configuration, _ count: Int) throws {
        let realm = try Realm(configuration: configuration)
        let list = Holder()
        try realm.write {
            realm.add(list)
            list.numbers.append(objectsIn: 0..<count)
        }
        var random = SplitMix64(state: 13)
        for _ in 0..<100 {
            let (source, target) = (Int(random.next() % UInt64(count)), Int(random.next() % UInt64(count)))
            try realm.write { list.numbers.move(from: source, to: target) }
        }
    }

    /// Adds items with names of a kilobyte.
    private static func fillLarge(_ configuration: Realm.Configuration, _ count: Int) throws {
        try fill(configuration, count, step: max(1, count / 20)) {
            String(repeating: ItemData.name($0), count: 110)
        }
        expect(try endOfData(configuration) >= count * 1_000, "the file is smaller than it is to be")
    }

    /// Adds items in several steps, so that this program does not hold all of them in memory.
    private static func fill(
        _ configuration: Realm.Configuration, _ count: Int, step: Int, name: (Int) -> String
    ) throws {
        for start in stride(from: 0, to: count, by: step) {
            try add(start..<min(count, start + step), to: configuration, name)
            try waitUntilClosed(configuration)
        }
    }

    @inline(never)
    private static func add(
        _ indexes: Range<Int>, to configuration: Realm.Configuration, _ name: (Int) -> String
    ) throws {
        let realm = try Realm(configuration: configuration)
        try realm.write {
            for index in indexes {
                let item = Item()
                item.value = ItemData.value(index)
                item.name = name(index)
                realm.add(item)
            }
        }
    }

    /// Adds items in a separate function, so that the file is closed when it returns.
    @inline(never)
    static func fill(_ configuration: Realm.Configuration, _ count: Int) throws {
        try Realm(configuration: configuration).addItems(count, name: ItemData.name)
    }

    /// The number of values of a megabyte; it exceeds the number of rows of a leaf.
    private static let largeValues = 260

    private static func fillWithLargeValues(_ configuration: Realm.Configuration, _ count: Int) throws {
        try fill(configuration, count, step: 20) { _ in largeName(1 << 20) }
    }

    private static func largeName(_ bytes: Int) -> String { String(repeating: "l", count: bytes) }

    /// Measures reading a number next to strings of a megabyte, in a newly opened file.
    private static func readBesideLargeValues(_ fixtures: Fixtures) throws -> Samples {
        let configuration = try fixtures.fileConfiguration()
        try fillWithLargeValues(configuration, largeValues)
        return try Sampling.repetitions(11) {
            var realm: Realm? = try Realm(configuration: configuration)
            var value = -1
            let time = nanoseconds { value = realm!.objects(Item.self)[largeValues / 2].value }
            expect(value == ItemData.value(largeValues / 2), "file.large/read read something else")
            realm = nil
            return time
        }
    }

    /// Measures reading strings with their own pages, which are in the system's cache.
    private static func readLargeValues(_ fixtures: Fixtures, bytes: Int) throws -> Samples {
        var configuration = try fixtures.fileConfiguration()
        configuration.checkpoints.smallestTailOfClosing = 1
        let count = 20
        try fill(configuration, count, step: count) { _ in largeName(bytes) }
        let items = Array(try Realm(configuration: configuration).objects(Item.self))
        return Sampling.repetitions(11) {
            var sum = 0
            let time = nanoseconds { for item in items { sum += item.name.utf8.count } }
            expect(sum == count * bytes, "file.large read something else")
            return time / Double(count)
        }
    }
}
