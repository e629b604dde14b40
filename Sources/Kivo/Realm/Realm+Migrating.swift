import Foundation
import KivoJournal

extension Realm {
    /// Brings a file to the program's classes, if it is of a lower version, without opening a realm.
    ///
    /// Opening does the same; this is for who wants to have it done before, elsewhere, or to be told whether it works.
    ///
    /// - Throws: what opening throws; ``Realm/Error/Code/alreadyOpen`` if a realm of the file is open in this process.
    public static func performMigration(for configuration: Configuration = .defaultConfiguration) throws {
        let configuration = try configuration.resolved()
        if StorePlace.of(configuration.identity).current != nil {
            throw Realm.Error(
                .alreadyOpen,
                "Realm file '\(configuration.fileURL?.path ?? "?")' cannot be migrated while it is open in this process.",
                fileURL: configuration.fileURL)
        }
        _ = try Stores.open(configuration)
    }
}

/// The version of the classes that a file has. It is read to its end for that; nothing is written.
///
/// - Parameters:
///   - fileURL: the file.
///   - encryptionKey: files are not encrypted: anything but nil is refused.
/// - Returns: the ``Realm/Configuration/schemaVersion``; 0 for a file to which nothing was written.
/// - Throws: ``Realm/Error`` if the file cannot be opened or is no realm; ``Realm/Error/Code/invalidDatabase`` if there is none.
public func schemaVersionAtURL(_ fileURL: URL, encryptionKey: Data? = nil) throws -> UInt64 {
    let url = try FileLocation.resolve(fileURL)
    if encryptionKey != nil {
        throw Realm.Error(
            .invalidInput, "Realm file '\(url.path)': files are not encrypted, and there is no key to them.",
            fileURL: url)
    }
    let configuration = Realm.Configuration(fileURL: url)
    if let store = StorePlace.of(configuration.identity).current { return store.log.storedSchemaVersion ?? 0 }
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
