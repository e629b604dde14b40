import Foundation
import KivoEngine
import KivoJournal

/// Operations on whole files.
extension Realm {
    /// Returns whether the file of a configuration exists. Returns false for a realm in memory.
    ///
    /// Can be called on any thread.
    public static func fileExists(for configuration: Configuration) -> Bool {
        guard let url = configuration.fileURL.flatMap({ try? FileLocation.resolve($0) }) else { return false }
        return FileSystem.exists(url.path) && !FileSystem.isFolder(url.path)
    }

    /// Deletes the file of a configuration and the files beside it: the lock file, and the remains of an unfinished copy. If the
    /// path is a symbolic link, its target is deleted and the link stays.
    ///
    /// Can be called on any thread.
    ///
    /// - Returns: Whether there was a file to delete. False for a realm in memory.
    /// - Throws: ``Realm/Error`` with the code ``Realm/Error/Code/alreadyOpen`` if the file is open, in this process or in
    ///   another one; ``Realm/Error`` if it cannot be deleted. The file is left unchanged then.
    @discardableResult
    public static func deleteFiles(for configuration: Configuration) throws -> Bool {
        var configuration = configuration
        // Deleting a file takes no key.
        configuration.encryptionKey = nil
        configuration = try configuration.resolved()
        guard let url = configuration.fileURL, let path = configuration.identity.path else { return false }
        do {
            guard !FileSystem.isFolder(path) else { throw JournalError.notAJournal }
            guard ClosingWait.end(of: StoreEntry.of(configuration.identity)) else {
                throw JournalError.alreadyOpen
            }
            return try FileDeletion.delete(path)
        } catch {
            throw Error.wrapping(error, url)
        }
    }

    /// Writes the snapshot of this instance to a new file, without the history, so that the file is as small as possible. In a
    /// write transaction the copy contains the changes so far.
    ///
    /// The copy is complete or does not exist, and opens immediately. It is written page by page: pages that are not in memory
    /// are not loaded into this realm.
    ///
    /// - Parameters:
    ///   - fileURL: A file that does not exist yet.
    ///   - encryptionKey: Must be nil: see <doc:Encryption>.
    /// - Throws: ``Realm/Error`` with the code ``Realm/Error/Code/fileExists`` if the file exists already; ``Realm/Error`` if it
    ///   cannot be written, or a key is given.
    /// - Complexity: O(bytes of the copy).
    public func writeCopy(toFile fileURL: URL, encryptionKey: Data? = nil) throws {
        var configuration = Configuration(fileURL: fileURL)
        configuration.encryptionKey = encryptionKey
        try writeCopy(configuration: configuration)
    }

    /// Writes the snapshot of this instance to the file of a configuration, which must not exist yet. The file has the classes
    /// and the schema version of this realm. See ``writeCopy(toFile:encryptionKey:)``.
    ///
    /// - Throws: The errors of that function, and ``Realm/Error`` with the code ``Realm/Error/Code/invalidInput`` if the
    ///   configuration is of a realm in memory.
    public func writeCopy(configuration: Configuration) throws {
        instance.checkConfinement()
        let configuration = try configuration.resolved()
        guard let url = configuration.fileURL, let path = configuration.identity.path else {
            throw Error(.invalidInput, "A copy is written to a file: set the configuration's 'fileURL'.")
        }
        instance.updateCatalog()
        do {
            try JournalCopy.write(
                instance.snapshot, instance.catalog, schemaVersion: instance.configuration.schemaVersion,
                to: path, replacing: false)
        } catch {
            throw Error.wrapping(error, url)
        }
    }
}
