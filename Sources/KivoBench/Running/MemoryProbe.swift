import Foundation
import Kivo

/// A measurement of the memory of objects, in a process that does nothing else.
enum MemoryProbe: String {
    /// 1M committed items, after all of their properties were read.
    case item = "memory.item"
    /// Objects with nine properties, after all but one in 256 were deleted.
    case sparse = "leaf.sparse"
    /// 1,000 items, and commits while the consumer of a stream is busy.
    case stream = "stream.memory"

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
        let configuration = Realm.Configuration(
            inMemoryIdentifier: "kivo-bench-memory", objectTypes: [Item.self, Holder.self, Ninefold.self])
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
        case .sparse:
            try realm.write {
                for index in 0..<count { realm.create(Ninefold.self).a = index }
            }
            try realm.write {
                for object in realm.objects(Ninefold.self) where object.a % 256 != 0 { realm.delete(object) }
            }
            return realm.objects(Ninefold.self).count
        case .stream: return 0
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
