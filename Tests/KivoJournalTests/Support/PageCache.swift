#if os(Linux)

import Foundation
import XCTest

/// The pages of files that the system has in memory.
enum PageCache {
    /// How many pages of a file, from one on, have still to reach the disk. Skips the test where that cannot be found out: on a system
    /// without `cachestat` (Linux 6.5), and on a volume without a disk.
    static func unwrittenPages(of path: String, from first: Int = 0) throws -> Int {
        guard try synchronizes(path + "-probe") else { throw XCTSkip("Nothing here reaches a disk.") }
        return try unwritten(path, from: first)
    }

    /// Whether writing, and waiting for it by the system's own means, leaves nothing to write.
    private static func synchronizes(_ path: String) throws -> Bool {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer {
            close(descriptor)
            unlink(path)
        }
        XCTAssertEqual(write(descriptor, path, 1), 1)
        XCTAssertEqual(fsync(descriptor), 0)
        return try unwritten(path) == 0
    }

    private static func unwritten(_ path: String, from first: Int = 0) throws -> Int {
        typealias CacheStatistics =
            @convention(c) (Int, Int, UnsafeRawPointer, UnsafeMutableRawPointer, Int) -> Int
        let systemCall = unsafeBitCast(try XCTUnwrap(dlsym(nil, "syscall")), to: CacheStatistics.self)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        // From there to the end.
        let range: [UInt64] = [UInt64(first * sysconf(Int32(_SC_PAGESIZE))), 0]
        // Pages in memory, changed, being written, thrown out, and thrown out lately.
        var pages = [UInt64](repeating: 0, count: 5)
        guard systemCall(451, Int(descriptor), range, &pages, 0) == 0 else {
            throw XCTSkip("The system does not say what of a file has still to be written: error \(errno).")
        }
        return Int(pages[1] + pages[2])
    }
}

#endif
