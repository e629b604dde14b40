#if os(Windows)

import Foundation
import WinSDK

/// Operations on whole files: finding out where paths lead, and moving a complete file to its place.
package enum FileSystem {
    /// Returns the path of a file without links, `.` and `..`.
    package static func canonicalPath(_ path: String) -> [UInt8] {
        Array(URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path.utf8)
    }

    /// Returns a Boolean value that indicates whether there is something at a path.
    package static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// Returns a Boolean value that indicates whether a path leads to a folder.
    package static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    /// Moves a complete and flushed file to its path. It is there whole or not at all, also after a loss of power. Both paths
    /// must be in one folder.
    ///
    /// - Parameter replacing: Whether an existing file is replaced.
    /// - Throws: ``JournalError/exists`` if there is a file that must not be replaced, ``JournalError/alreadyOpen`` if it is in
    ///   use.
    package static func move(_ source: String, to path: String, replacing: Bool) throws(JournalError) {
        let flags = WindowsCall.writingThrough | (replacing ? WindowsCall.replacing : 0)
        try WindowsCall.call(
            "renaming",
            FileNames.withName(source) { from in
                FileNames.withName(path) { MoveFileExW(from, $0, flags) }
            })
    }

    /// Deletes a file. Returns whether there was one.
    @discardableResult
    package static func remove(_ path: String) throws(JournalError) -> Bool {
        if FileNames.withName(path, { DeleteFileW($0) }) { return true }
        let error = JournalError(windows: GetLastError(), operation: "deleting")
        if error == .notFound { return false }
        throw error
    }
}

#endif
