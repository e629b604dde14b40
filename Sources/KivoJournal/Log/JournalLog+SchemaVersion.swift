import KivoEngine
import KivoLog

extension JournalLog {
    /// Returns the schema version of a file; 0 if it has none. O(bytes since the last checkpoint).
    package static func schemaVersion(of device: any JournalDevice) throws -> UInt64 {
        var version: UInt64 = 0
        _ = try Journal.recover(device, readOnly: true) { checkpoint, _ in
            version = checkpoint.schemaVersion
        } replaying: { record in
            switch try EncodedCommit.Kind(record.kind) {
            case .schemaVersion: version = try SchemaVersionPayload.decode(record.payload).schemaVersion
            case .migration: version = SchemaVersionPayload.ofMigration(record.payload) ?? version
            case .changes, nil: break
            }
        }
        return version
    }
}
