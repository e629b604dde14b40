#if !os(Windows)

#if canImport(Darwin)
import Darwin
#elseif canImport(Android)
import Android
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#elseif canImport(WASILibc)
import WASILibc
#endif

/// Operations on whole files: finding out where paths lead, and moving a complete file to its place.
package enum FileSystem {
    /// Returns the path by which the system knows a file, without links, `.` and `..`. For a file that does not exist yet,
    /// returns the path that it would have.
    ///
    /// Two paths lead to one file if their canonical paths have the same bytes. Equality as strings is not enough: on most
    /// file systems of Linux `é` of one character and `é` of two are two names.
    package static func canonicalPath(_ path: String) -> [UInt8] { canonicalPath(path, remainingLinks: 40) }

    private static func canonicalPath(_ path: String, remainingLinks: Int) -> [UInt8] {
        if let found = resolved(path) { return found }
        let trimmed =
            path.utf8.last == UInt8(ascii: "/") && path.utf8.count > 1 ? String(path.dropLast()) : path
        guard let slash = trimmed.utf8.lastIndex(of: UInt8(ascii: "/")) else {
            return trimmed == "."
                ? Array(path.utf8) : canonicalPath("./" + trimmed, remainingLinks: remainingLinks)
        }
        let folder = slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
        let name = Array(trimmed[trimmed.utf8.index(after: slash)...].utf8)
        // A link to a missing file stands for the place where that file would be made.
        if remainingLinks > 0, let target = linkTarget(trimmed) {
            let next = target.utf8.first == UInt8(ascii: "/") ? target : folder + "/" + target
            return canonicalPath(next, remainingLinks: remainingLinks - 1)
        }
        if trimmed == "/" { return Array(path.utf8) }
        let above = canonicalPath(folder, remainingLinks: remainingLinks)
        if name.isEmpty || name == Array(".".utf8) { return above }
        if name == Array("..".utf8) {
            guard let end = above.lastIndex(of: UInt8(ascii: "/")) else { return above }
            return end == 0 ? Array("/".utf8) : Array(above[..<end])
        }
        return above == Array("/".utf8) ? above + name : above + Array("/".utf8) + name
    }

    private static func resolved(_ path: String) -> [UInt8]? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return Array(UnsafeRawBufferPointer(start: found, count: strlen(found)))
    }

    private static func linkTarget(_ path: String) -> String? {
        let target = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            let found = buffer.withMemoryRebound(to: CChar.self) { readlink(path, $0.baseAddress!, 4096) }
            count = max(found, 0)
        }
        return target.isEmpty || target.count == 4096 ? nil : String(decoding: target, as: UTF8.self)
    }

    /// Returns a Boolean value that indicates whether there is something at a path. A link that leads nowhere does not count.
    package static func exists(_ path: String) -> Bool { status(path) != nil }

    /// Returns a Boolean value that indicates whether a path leads to a folder.
    package static func isFolder(_ path: String) -> Bool {
        status(path).map { $0 & S_IFMT == S_IFDIR } ?? false
    }

    private static func status(_ path: String) -> mode_t? {
        var found = stat()
        return statusOf(path, &found) == 0 ? found.mode : nil
    }

    /// Moves a complete and flushed file to its path. It is there whole or not at all, also after a loss of power. Both paths
    /// must be in one folder.
    ///
    /// - Parameter replacing: Whether an existing file is replaced.
    /// - Throws: ``JournalError/exists`` if there is a file that must not be replaced; errors of the system. The source then
    ///   stays at its path, unless only flushing the folder failed.
    package static func move(_ source: String, to path: String, replacing: Bool) throws(JournalError) {
        if !replacing {
            // `link` fails if the name is taken, even if it was taken just now. Where there are no links, a check for an existing
            // file must suffice.
            if link(source, path) == 0 {
                unlink(source)
                return try synchronizeFolder(of: path)
            }
            if errno == EEXIST || exists(path) { throw .exists }
        }
        // The replacement gets the permissions of the file that it replaces.
        if replacing, let mode = status(path) { _ = chmod(source, mode & 0o7777) }
        _ = try FileCalls.call("renaming") { rename(source, path) }
        try synchronizeFolder(of: path)
    }

    /// Deletes a file durably. Returns whether there was one.
    @discardableResult
    package static func remove(_ path: String) throws(JournalError) -> Bool {
        guard unlink(path) == 0 else {
            if errno == ENOENT { return false }
            throw JournalError(errno: errno, operation: "deleting")
        }
        try synchronizeFolder(of: path)
        return true
    }

    static func synchronizeFolder(of path: String, _ calls: FileCalls = .system) throws(JournalError) {
        var folder = "."
        if let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) { folder = String(path[...slash]) }
        let descriptor = try FileCalls.call("opening the folder") { calls.open(folder, O_RDONLY | O_CLOEXEC) }
        defer { _ = close(descriptor) }
        _ = try FileCalls.call("synchronizing the folder") { calls.synchronizeFolder(descriptor) }
    }
}

// The structure of the same name does not hide this name.
private func statusOf(_ path: String, _ status: inout stat) -> Int32 { stat(path, &status) }

#endif
