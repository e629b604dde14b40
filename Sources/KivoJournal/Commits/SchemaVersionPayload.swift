import KivoLog

/// The payload of a record that sets the schema version: one number.
enum SchemaVersionPayload {
    static func encode(_ version: UInt64) -> [UInt8] {
        withUnsafeBytes(of: version.littleEndian) { Array($0) }
    }

    static func decode(_ payload: UnsafeRawBufferPointer) throws(JournalError) -> UInt64 {
        guard payload.count == 8 else { throw .senseless("a schema version is no number") }
        return payload.number(at: 0)
    }

    /// Returns the schema version with which the payload of a migration begins; nil if the payload is too short.
    static func ofMigration(_ payload: UnsafeRawBufferPointer) -> UInt64? {
        payload.count >= 8 ? payload.number(at: 0) : nil
    }
}

extension JournalLog {
    /// Returns the schema version of a file; 0 if it has none. O(bytes since the last checkpoint).
    package static func schemaVersion(of device: any JournalDevice) throws -> UInt64 {
        var version: UInt64 = 0
        _ = try Journal.recover(device, readOnly: true) { checkpoint, _ in
            version = checkpoint.schemaVersion
        } replaying: { record in
            switch try EncodedCommit.Kind(record.kind) {
            case .schemaVersion: version = try SchemaVersionPayload.decode(record.payload)
            case .migration: version = SchemaVersionPayload.ofMigration(record.payload) ?? version
            case .changes, nil: break
            }
        }
        return version
    }
}
