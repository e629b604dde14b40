/// The identity of a file, which distinguishes it from later files at its path.
package struct FileIdentity: Equatable, Sendable {
    let device: UInt64
    let file: UInt64
    /// The identity of the journal, because the system reuses the number of a deleted file.
    let journal: UInt64
}

/// The deletion of realm files.
package enum FileDeletion {
    /// Deletes a realm file and the files beside it, while no process has it open and none can open it.
    ///
    /// The file of locks is deleted first. A process that creates a new realm file at the path then finds none of the old one,
    /// and all processes that open the new file share one file of locks.
    ///
    /// - Parameters:
    ///   - path: The canonical path of the file.
    ///   - wanted: The file to delete; nil for any file at the path. Another file is not deleted.
    /// - Returns: Whether a file was deleted.
    /// - Throws: ``JournalError/alreadyOpen`` if the file is open; errors of the system.
    package static func delete(
        _ path: String, only wanted: FileIdentity? = nil
    ) throws(JournalError) -> Bool {
        let beside = [FileDevice.sharingSuffix, FileDevice.replacementSuffix, JournalCopy.unfinishedSuffix]
        let existed = FileSystem.exists(path)
        if !existed {
            if wanted != nil { return false }
            guard beside.contains(where: { FileSystem.exists(path + $0) }) else { return false }
        }
        // The files beside a missing realm file belong to the process that creates it and has it exclusively. So this call
        // creates it.
        let device = try open(path)
        defer { device.close() }
        if let wanted, device.identity != wanted { return false }
        try FileSystem.remove(path + FileDevice.sharingSuffix)
        try FileSystem.remove(path + FileDevice.replacementSuffix)
        try removeUnfinished(path + JournalCopy.unfinishedSuffix)
        return try FileSystem.remove(path) && existed
    }

    /// Opens a file exclusively.
    private static func open(_ path: String) throws(JournalError) -> FileDevice {
        do {
            return try FileDevice.open(path: path)
        } catch .refused {
            // A file with several names cannot be opened for writing, but this name can be deleted.
            return try FileDevice.open(path: path, readOnly: true, isAlone: true)
        }
    }

    /// Deletes the file of an unfinished copy, unless the copy is still being made.
    private static func removeUnfinished(_ path: String) throws(JournalError) {
        guard FileSystem.exists(path) else { return }
        do {
            let device = try FileDevice.open(path: path, readOnly: true, isAlone: true, followsLinks: false)
            defer { device.close() }
            try FileSystem.remove(path)
        } catch .alreadyOpen {
        } catch {
            // Not a copy: a link, or a folder, which stays.
            try FileSystem.remove(path)
        }
    }
}
