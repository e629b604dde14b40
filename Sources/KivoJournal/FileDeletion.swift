/// What tells a file from one that takes its path later.
public struct FileIdentity: Equatable, Sendable {
    let device: UInt64
    let file: UInt64
    /// The identity of the journal: the system gives the number of a file that is gone to the next.
    let journal: UInt64
}

/// Deletes realm files.
public enum FileDeletion {
    /// Deletes a realm file and what is beside it, while nobody has it open and nobody can open it. The file of locks goes first:
    /// who makes a new realm file at the path finds none of the old one, and all that open the new one have one file of locks.
    ///
    /// - Parameters:
    ///   - path: The canonical path of the file.
    ///   - wanted: The file that is meant; nil for whichever is there. Another one stays.
    /// - Returns: Whether there was a file that was deleted.
    /// - Throws: ``JournalError/alreadyOpen`` if somebody has the file open; what the system refuses.
    public static func delete(
        _ path: String, only wanted: FileIdentity? = nil
    ) throws(JournalError) -> Bool {
        let beside = [FileDevice.sharingSuffix, FileDevice.replacementSuffix, JournalCopy.unfinishedSuffix]
        let wasThere = FilePlacement.exists(path)
        if !wasThere {
            if wanted != nil { return false }
            guard beside.contains(where: { FilePlacement.exists(path + $0) }) else { return false }
        }
        // What lies beside no file belongs to who makes that file, and has it alone: so this makes it.
        let device = try open(path)
        defer { device.close() }
        if let wanted, device.identity != wanted { return false }
        try FilePlacement.remove(path + FileDevice.sharingSuffix)
        try FilePlacement.remove(path + FileDevice.replacementSuffix)
        try removeUnfinished(path + JournalCopy.unfinishedSuffix)
        return try FilePlacement.remove(path) && wasThere
    }

    /// Opens a file alone.
    private static func open(_ path: String) throws(JournalError) -> FileDevice {
        do {
            return try FileDevice.open(path: path)
        } catch .refused {
            // Of a file with other names, this one can be deleted.
            return try FileDevice.open(path: path, readOnly: true, isAlone: true)
        }
    }

    /// Deletes what a copy left behind that was not finished, unless one is being made.
    private static func removeUnfinished(_ path: String) throws(JournalError) {
        guard FilePlacement.exists(path) else { return }
        do {
            let device = try FileDevice.open(path: path, readOnly: true, isAlone: true, followsLinks: false)
            defer { device.close() }
            try FilePlacement.remove(path)
        } catch .alreadyOpen {
        } catch {
            // No copy: a link, or a folder, which stays.
            try FilePlacement.remove(path)
        }
    }
}
