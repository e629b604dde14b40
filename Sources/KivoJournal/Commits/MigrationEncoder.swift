import KivoEngine
import KivoLog

/// Writes a migration as the payload of one record, so that the file contains all of it or nothing.
///
///     version   8 bytes: that of the classes from here on
///     steps     count, then for each, in this order:
///     embedded  count, then for each: name of a table, and whether its rows are embedded from here on
///     redefined count, then for each: number of a table in the file so far, a description with a new number, and for each
///               column 0 for a new one, else 1 + the place of the column whose values it takes over
///     dropped   count, then the numbers of tables that are forgotten
///     changes   a commit, as `CommitEncoder` writes it, with its length before it
///
/// The rows of redefined tables are not written: a reader of the record derives them from the existing rows.
struct MigrationEncoder {
    /// The numbers of the tables in the file.
    private(set) var numbers: TableNumbers

    init(numbers: TableNumbers) { self.numbers = numbers }

    /// Returns the payload.
    mutating func encode(_ steps: [MigrationStep], schemaVersion: UInt64) throws -> [UInt8] {
        var writer = ByteWriter()
        writer.write(word: schemaVersion)
        writer.write(steps.count)
        for step in steps {
            writer.write(step.embedded.count)
            for (table, isEmbedded) in step.embedded.sorted(by: { $0.key < $1.key }) {
                writer.write(step.catalog.tables[table].name)
                writer.write(isEmbedded)
            }
            // Tables without a number in the file are described when they are first written to.
            let redefined = step.redefined.filter { numbers[$0.table] != nil }
            writer.write(redefined.count)
            for redefinition in redefined {
                let old = numbers[redefinition.table]!
                writer.write(old)
                writer.write(
                    redefinition, name: step.catalog.tables[redefinition.table].name,
                    number: numbers.give(redefinition.table), step.catalog)
                for source in redefinition.sources { writer.write(source.map { $0 + 1 } ?? 0) }
            }
            let dropped = step.dropped.compactMap { numbers[$0] }
            for table in step.dropped { numbers.drop(table) }
            writer.write(dropped.count)
            for number in dropped { writer.write(number) }
            var commit = CommitEncoder(step.snapshot, step.catalog, numbers: numbers)
            writer.write(commit.encode(step.changes))
            try commit.check()
            numbers = commit.numbers
        }
        return writer.bytes
    }
}

extension ByteWriter {
    /// Describes a redefined table by the catalog after the step. The link targets can differ between the redefinition and that
    /// catalog only by other changes of the same step.
    fileprivate mutating func write(
        _ redefinition: TableRedefinition, name: String, number: Int, _ catalog: Catalog
    ) {
        write(number)
        write(name)
        write(redefinition.typeName)
        write(catalog.tables[redefinition.table].isEmbedded)
        write(redefinition.columns.count)
        for column in redefinition.columns { write(column, catalog) }
    }
}

/// The payload of a record that sets the schema version: one number, and the stamp of the commit.
enum SchemaVersionPayload {
    static func encode(_ version: UInt64) -> [UInt8] {
        withUnsafeBytes(of: version.littleEndian) { Array($0) }
    }

    static func decode(
        _ payload: UnsafeRawBufferPointer
    ) throws(JournalError) -> (schemaVersion: UInt64, CommitStamp?) {
        guard payload.count >= 8 else { throw .senseless("a schema version is no number") }
        var reader = ByteReader(payload)
        return (try reader.readWord(), try reader.readStamp())
    }

    /// Returns the schema version with which the payload of a migration begins; nil if the payload is too short.
    static func ofMigration(_ payload: UnsafeRawBufferPointer) -> UInt64? {
        payload.count >= 8 ? payload.number(at: 0) : nil
    }
}
