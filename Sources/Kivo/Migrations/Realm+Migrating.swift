import Foundation
import KivoJournal

extension Realm {
    /// Migrates a file to the program's classes, if it is of a lower version, without opening a realm.
    ///
    /// Opening a realm does the same. Call this function to migrate earlier or on another thread, or to find out whether the
    /// migration succeeds.
    ///
    /// - Throws: The errors of opening a realm; ``Realm/Error/Code/alreadyOpen`` if a realm of the file is open in this process.
    public static func performMigration(for configuration: Configuration = .defaultConfiguration) throws {
        let configuration = try configuration.resolved()
        if StoreEntry.of(configuration.identity).current != nil {
            throw Realm.Error(
                .alreadyOpen,
                "Realm file '\(configuration.fileURL?.path ?? "?")' cannot be migrated while it is open in this process.",
                fileURL: configuration.fileURL)
        }
        _ = try StoreOpening.run(configuration)
    }
}

/// Returns the schema version of a file. Reads the whole file and writes nothing.
///
/// - Parameters:
///   - fileURL: The file.
///   - encryptionKey: Must be nil: files are not encrypted.
/// - Returns: The ``Realm/Configuration/schemaVersion``; 0 for a file to which nothing was written.
/// - Throws: ``Realm/Error`` if the file cannot be opened or is no realm, or if a key is given;
///   ``Realm/Error/Code/invalidDatabase`` if there is no file.
public func schemaVersionAtURL(_ fileURL: URL, encryptionKey: Data? = nil) throws -> UInt64 {
    let url = try FileLocation.resolve(fileURL)
    if encryptionKey != nil {
        throw Realm.Error(
            .invalidInput, "Realm file '\(url.path)': files are not encrypted, and there is no key to them.",
            fileURL: url)
    }
    let configuration = Realm.Configuration(fileURL: url)
    if let store = StoreEntry.of(configuration.identity).current { return store.log.storedSchemaVersion ?? 0 }
    do {
        let device = try FileDevice.open(path: url.path, readOnly: true)
        defer { device.close() }
        return try JournalLog.schemaVersion(of: device)
    } catch JournalError.notFound {
        throw Realm.Error(
            .invalidDatabase, "Realm at path '\(url.path)' has not been initialized.", fileURL: url)
    } catch {
        throw Realm.Error.wrapping(error, url, isOpening: true)
    }
}
