#if !os(Windows) && !os(WASI) && !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)

import Foundation
import Kivo

/// A process that may read a file, but neither write it nor its folder, while others write and compact it. For each line that it is
/// given it refreshes, and says what it sees and how many files it has open for writing, which are to be none.
enum ProcessReader {
    /// Reads until there are no more lines.
    static func run(_ path: String) throws {
        // The superuser may write everything: somebody else reads then.
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

    /// How many files of a path are open for writing, those beside it included.
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
