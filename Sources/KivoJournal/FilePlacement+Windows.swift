#if os(Windows)

import Foundation

/// Files as a whole: where paths lead, and how a file that is complete takes its place.
public enum FilePlacement {
    /// The path of a file without links, `.` and `..`.
    public static func canonicalPath(_ path: String) -> [UInt8] {
        Array(URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path.utf8)
    }

    /// Whether there is something at a path.
    public static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// Whether a path leads to a folder.
    public static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    /// Moves a file that is complete and flushed to its path.
    ///
    /// - Parameter replacing: Whether a file that is there gives way.
    public static func move(_ source: String, to path: String, replacing: Bool) throws(JournalError) {
        if !replacing, exists(path) { throw .exists }
        do {
            if exists(path) {
                _ = try FileManager.default.replaceItemAt(
                    URL(fileURLWithPath: path), withItemAt: URL(fileURLWithPath: source))
            } else {
                try FileManager.default.moveItem(atPath: source, toPath: path)
            }
        } catch {
            throw JournalError(error, operation: "renaming")
        }
    }

    /// Deletes a file. Returns whether there was one.
    @discardableResult
    public static func remove(_ path: String) throws(JournalError) -> Bool {
        if !exists(path) { return false }
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            throw JournalError(error, operation: "deleting")
        }
        return true
    }
}

#endif
