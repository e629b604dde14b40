import Foundation
import Kivo

extension Rows {
    static var memory: [Row] {
        [
            Row("memory.item", .queries, .bytes, .atMost(42)) { fixtures in
                let count = fixtures.size(1_000_000)
                return try (0..<5).map { _ in
                    Double(try MemoryProbe.askChild(forItems: count)) / Double(count)
                }
            }
        ]
    }
}

/// How much memory items take, found out in a process that does nothing else.
enum MemoryProbe {
    struct ChildFailed: Error, CustomStringConvertible {
        let description = "the child process that measures memory failed"
    }

    /// Starts this program once more as a child, which calls `residentBytes(forItems:)`.
    static func askChild(forItems count: Int) throws -> Int {
        guard let executable = Bundle.main.executableURL else { throw ChildFailed() }
        let child = Process()
        let output = Pipe()
        child.executableURL = executable
        child.arguments = [Options.memoryChildFlag, "\(count)"]
        child.standardOutput = output
        try child.run()
        let answer = output.fileHandleForReading.readDataToEndOfFile()
        child.waitUntilExit()
        let text = String(decoding: answer, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard child.terminationStatus == 0, let bytes = Int(text) else { throw ChildFailed() }
        return bytes
    }

    /// By how many bytes the process grew when that many items were committed and all their properties read.
    static func residentBytes(forItems count: Int) throws -> Int {
        let configuration = Realm.Configuration(
            inMemoryIdentifier: "kivo-bench-memory", objectTypes: [Item.self, Holder.self])
        let realm = try Realm(configuration: configuration)
        // What the first items bring along is code and tables of fixed size, not memory of an item.
        try realm.addItems(100, name: ItemData.name)
        consume(readAll(realm))
        try realm.write { realm.deleteAll() }

        let before = resident()
        try realm.addItems(count, name: ItemData.name)
        expect(readAll(realm) == count, "memory.item did not find all items")
        return resident() - before
    }

    private static func readAll(_ realm: Realm) -> Int {
        var seen = 0
        for item in realm.objects(Item.self) {
            keep(item.value &+ item.name.utf8.count &+ Int(item.score))
            seen += 1
        }
        return seen
    }

    /// Bytes of memory that are resident now.
    private static func resident() -> Int {
        #if canImport(Darwin)
        var info = mach_task_basic_info()
        let words = MemoryLayout<mach_task_basic_info>.size / MemoryLayout<natural_t>.size
        var count = mach_msg_type_number_t(words)
        let result = withUnsafeMutablePointer(to: &info) { pointer in
            pointer.withMemoryRebound(to: integer_t.self, capacity: words) {
                // The function, because the variable `mach_task_self_` is not safe under strict concurrency.
                task_info(task_self_trap(), task_flavor_t(MACH_TASK_BASIC_INFO), $0, &count)
            }
        }
        expect(result == KERN_SUCCESS, "memory.item could not ask for its memory")
        return Int(info.resident_size)
        #else
        guard let statistics = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
            let pages = statistics.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { fatalError("kivo-bench: memory.item could not read /proc/self/statm") }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
        #endif
    }
}
