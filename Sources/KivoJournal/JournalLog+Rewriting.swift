import KivoEngine
import Synchronization

extension JournalLog {
    /// The bytes of the file.
    public var fileSize: Int {
        get throws {
            guard let contents else { return 0 }
            return try contents.journal.write { writer throws(JournalError) in try writer.device.size() }
        }
    }

    /// Writes a new file of the newest version, which takes the place of this one. Nobody may append meanwhile. Returns false if
    /// nothing can take the place of the device.
    public func rewrite(_ snapshot: Snapshot, _ catalog: Catalog) throws -> Bool {
        guard try compact(snapshot, catalog, at: position) else { return false }
        tailBytes.store(0, ordering: .relaxed)
        return true
    }
}
