#if !os(Windows) && !os(WASI) && !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)

import Foundation
import Kivo

/// A process that may read a file, but not write to it or to its folder, while others write and compact it. For each line of its
/// input it refreshes, and prints the contents that it reads and the number of files that it has open for writing. That number
/// must be 0.
enum ProcessReader {
    /// Reads until its input ends.
    static func run(_ path: String) throws {
        // The superuser may write everything; therefore the process changes to another user.
        if geteuid() == 0 { precondition(setgid(65_534) == 0 && setuid(65_534) == 0) }
        var configuration = Files.configuration(URL(fileURLWithPath: path))
        configuration.readOnly = true
        let realm = try Realm(configuration: configuration)
        while readLine() != nil {
            realm.refresh()
            let total = realm.object(ofType: FaultCounter.self, forPrimaryKey: ProcessWorker.total)!.number
            let contents = Contents(realm)
            print("\(total) \(contents.rows.count) \(writableFiles(path))")
            fflush(nil)
        }
    }

    /// Returns the number of open files for writing, of a path and of the files beside it.
    private static func writableFiles(_ path: String) -> Int {
        (3..<256).count { file in
            let access = fcntl(Int32(file), F_GETFL)
            guard access >= 0, access & O_ACCMODE != O_RDONLY else { return false }
            let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(file)")
            return link?.hasPrefix(path) ?? false
        }
    }
}

#endif
