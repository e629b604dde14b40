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
}

extension JournalLog {
    /// Returns the schema version of a file; 0 if it has none. O(bytes since the last checkpoint).
    public static func schemaVersion(of device: any JournalDevice) throws -> UInt64 {
        var version: UInt64 = 0
        _ = try Journal.open(device, readOnly: true) { checkpoint, _ in
            version = checkpoint.schemaVersion
        } replaying: { record in
            guard let commit = try EncodedCommit(record) else { return }
            switch commit.kind {
            case .schemaVersion: version = try SchemaVersionPayload.decode(record.payload)
            case .migration where record.payload.count >= 8: version = record.payload.number(at: 0)
            case .changes, .migration: break
            }
        }
        return version
    }
}
