import Foundation
import Kivo

/// A measurement of the memory of objects, in a process that does nothing else.
enum MemoryProbe: String {
    /// 1M committed items, after all of their properties were read.
    case item = "memory.item"
    /// 1M committed records of six fields, after all of their properties were read.
    case six = "memory.row/six"
    /// Objects with nine properties, after all but one in 256 were deleted.
    case sparse = "leaf.sparse"
    /// 1,000 items, and commits while the consumer of a stream is busy.
    case stream = "stream.memory"
    /// 1,000 items, and commits while an observer is paused.
    case paused = "pace.memory"
    /// Plain objects with one key-value observer each.
    case observations = "observed.memory"

    /// Starts this program as a child, which calls ``bytesPerObject(_:)``.
    func askChild(_ count: Int) throws -> Double {
        var bytes: Double?
        try ChildProcess(arguments: [Options.memoryFlag, rawValue, "\(count)"]).run { bytes = Double($0) }
        guard let bytes else { throw ChildProcess.Failure(description: "\(rawValue) got no figure") }
        return bytes
    }

    /// Returns the number of bytes by which the process has grown for each remaining object.
    func bytesPerObject(_ count: Int) throws -> Double {
        if self == .stream { return try StalledStream.bytes(commits: count) }
        if self == .paused { return try PausedObserver.bytes(commits: count) }
        if self == .observations { return ObservedGauges.bytes(count) }
        let configuration = Realm.Configuration(
            inMemoryIdentifier: "kivo-bench-memory",
            objectTypes: [Item.self, Holder.self, Ninefold.self, Record.self])
        let realm = try Realm(configuration: configuration)
        // The first objects load code and tables of a fixed size, which are not memory of an object.
        _ = try fill(realm, 600)
        try realm.write { realm.deleteAll() }
        let before = MemoryProbe.resident()
        let left = try fill(realm, count)
        return Double(MemoryProbe.resident() - before) / Double(left)
    }

    /// Adds objects and returns the number of those that are left.
    private func fill(_ realm: Realm, _ count: Int) throws -> Int {
        switch self {
        case .item:
            try realm.addItems(count, name: ItemData.name)
            expect(readAll(realm) == count, "memory.item did not find all items")
            return count
        case .six:
            try realm.addRecords(count)
            let sum = realm.objects(Record.self).reduce(0) { sum, record in
                keep(record.value &+ record.name.utf8.count &+ Int(record.score) &+ (record.isMarked ? 1 : 0))
                return sum &+ record.key &+ Int(record.date.timeIntervalSinceReferenceDate)
            }
            expect(sum == count * (count - 1), "memory.row/six did not find all records")
            return count
        case .sparse:
            try realm.write {
                for index in 0..<count { realm.create(Ninefold.self).a = index }
            }
            try realm.write {
                for object in realm.objects(Ninefold.self) where object.a % 256 != 0 { realm.delete(object) }
            }
            return realm.objects(Ninefold.self).count
        case .stream, .observations, .paused: return 0
        }
    }

    private func readAll(_ realm: Realm) -> Int {
        var seen = 0
        for item in realm.objects(Item.self) {
            keep(item.value &+ item.name.utf8.count &+ Int(item.score))
            seen += 1
        }
        return seen
    }

    /// Returns the number of resident bytes, without free memory of the allocator.
    static func resident() -> Int {
        #if canImport(Darwin)
        var info = mach_task_basic_info()
        let words = MemoryLayout<mach_task_basic_info>.size / MemoryLayout<natural_t>.size
        var count = mach_msg_type_number_t(words)
        malloc_zone_pressure_relief(nil, 0)
        let result = withUnsafeMutablePointer(to: &info) { pointer in
            pointer.withMemoryRebound(to: integer_t.self, capacity: words) {
                // The function is called, because the variable `mach_task_self_` is not safe under strict concurrency.
                task_info(task_self_trap(), task_flavor_t(MACH_TASK_BASIC_INFO), $0, &count)
            }
        }
        expect(result == KERN_SUCCESS, "the process could not ask for its memory")
        return Int(info.resident_size)
        #elseif os(Windows)
        fatalError("kivo-bench: the memory of a process is not looked at on Windows")
        #else
        #if canImport(Glibc)
        // The module of the C library does not declare this function, but the library contains it.
        if let trim = dlsym(nil, "malloc_trim") {
            _ = unsafeBitCast(trim, to: (@convention(c) (Int) -> Int32).self)(0)
        }
        #endif
        guard let statistics = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
            let pages = statistics.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { fatalError("kivo-bench: /proc/self/statm cannot be read") }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
        #endif
    }
}

/// A measurement of the memory of an opened file after one property was read, in a process that does nothing else.
struct OpeningProbe: Equatable {
    let path: String
    /// The number of items in the file.
    let count: Int

    /// Starts this program as a child, which calls ``bytes()``.
    func askChild() throws -> Double {
        var bytes: Double?
        try ChildProcess(arguments: [Options.openingFlag, path, "\(count)"]).run { bytes = Double($0) }
        guard let bytes else { throw ChildProcess.Failure(description: "file.resident got no figure") }
        return bytes
    }

    /// Returns the number of bytes by which the process has grown.
    func bytes() throws -> Double {
        // Any realm loads code and other fixed memory, which is not memory of the file.
        let small = try Realm(
            configuration: .init(
                inMemoryIdentifier: "kivo-bench-opening", objectTypes: [Item.self, Holder.self]))
        try small.addItems(600, name: ItemData.name)
        expect(small.objects(Item.self)[300].value == ItemData.value(300), "file.resident read nothing")
        let before = MemoryProbe.resident()
        let realm = try Realm(
            configuration: .init(fileURL: URL(fileURLWithPath: path), objectTypes: [Item.self, Holder.self]))
        let value = realm.objects(Item.self)[count / 2].value
        expect(value == ItemData.value(count / 2), "file.resident read something else")
        let grown = MemoryProbe.resident() - before
        withExtendedLifetime((small, realm)) {}
        return Double(grown)
    }
}

/// A measurement of opening or querying a file in a new process after its writer closed the file.
struct ClosedFileProbe: Equatable {
    /// The parts of the measurements, each in its own process.
    enum Part: String {
        /// Writes a file of items.
        case write
        /// Opens a file of items and reads one property.
        case open
        /// Opens a file of records and counts those with large values.
        case query
    }

    var part = Part.write
    let path: String
    /// The number of items in the file.
    let count: Int

    private var configuration: Realm.Configuration {
        .init(fileURL: URL(fileURLWithPath: path), objectTypes: [Item.self, Holder.self])
    }

    /// Writes the file in one process and opens it in another. Returns the duration of opening, in nanoseconds.
    func askChildren() throws -> Double {
        _ = try ClosedFileProbe(part: .write, path: path, count: count).ask()
        return try ClosedFileProbe(part: .open, path: path, count: count).ask()
    }

    /// Performs the part in a child, which calls ``run()``. Returns its duration, in nanoseconds.
    func ask() throws -> Double {
        var figure: Double?
        try ChildProcess(arguments: [Options.closedFlag, part.rawValue, path, "\(count)"]).run {
            figure = Double($0)
        }
        guard let figure else { throw ChildProcess.Failure(description: "a closed file got no figure") }
        return figure
    }

    /// Performs the part, in a child that ends after it.
    func run() throws -> Double {
        switch part {
        case .write: return try nanoseconds { try Rows.fill(configuration, count) }
        case .open:
            var realm: Realm?
            var value = -1
            let time = try nanoseconds {
                let opened = try Realm(configuration: configuration)
                value = opened.objects(Item.self)[count / 2].value
                realm = opened
            }
            expect(value == ItemData.value(count / 2), "file.open/closed read something else")
            withExtendedLifetime(realm) {}
            return time
        case .query:
            let expected = (0..<count).count { ItemData.value($0) > ItemData.median }
            let configuration = Realm.Configuration(
                fileURL: URL(fileURLWithPath: path), objectTypes: [Record.self])
            var realm: Realm?
            var found = 0
            let time = try nanoseconds {
                let opened = try Realm(configuration: configuration)
                found = opened.objects(Record.self).where { $0.value > ItemData.median }.count
                realm = opened
            }
            expect(found == expected, "file.query/fresh found \(found) instead of \(expected)")
            withExtendedLifetime(realm) {}
            return time
        }
    }
}
