import Foundation
import KivoEngine
import KivoJournal

/// Makes a file small again: what commits replaced is left out.
package enum FileCompaction {
    /// Rewrites a file if that is wanted. Nobody can open it meanwhile; it is there in its old or its new form at any time.
    ///
    /// O(bytes of the file), and all data is in memory for a while.
    ///
    /// - Parameters:
    ///   - url: A file that is not open.
    ///   - isWanted: Called with the bytes of the file and those that it would have.
    /// - Returns: The bytes of the file before, and those that it has now, or would have.
    @discardableResult
    package static func run(
        _ url: URL, if isWanted: (_ totalBytes: Int, _ usedBytes: Int) -> Bool
    ) throws -> (total: Int, used: Int, isDone: Bool) {
        // The file itself, should the path be a link.
        let path = String(decoding: FilePlacement.canonicalPath(url.path), as: UTF8.self)
        do {
            guard FilePlacement.exists(path) else { throw JournalError.notFound }
            let device = try FileDevice.open(path: path)
            defer { device.close() }
            let heap = Heap()
            var replay = Replay(heap)
            defer { replay.chain.destroy(replay.catalog) }
            // Any version will do: no class is known here. Nothing is repaired either; the copy has what is intact.
            let log = JournalLog(device, readOnly: true, schemaVersion: .max)
            defer { log.close() }
            try log.replay(into: &replay)
            let (snapshot, version) = (replay.chain.headSnapshot, log.storedSchemaVersion)
            let total = try device.size()
            let used = try JournalCopy.size(snapshot, replay.catalog, schemaVersion: version)
            let isDone = isWanted(total, used)
            if isDone {
                try JournalCopy.write(
                    snapshot, replay.catalog, schemaVersion: version, to: path, replacing: true)
            }
            return (total, used, isDone)
        } catch {
            throw Realm.Error.wrapping(error, url)
        }
    }
}
