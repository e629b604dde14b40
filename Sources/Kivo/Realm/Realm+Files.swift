import Foundation
import KivoJournal

/// Files as a whole.
extension Realm {
    /// Whether the file of a configuration exists. False for a realm in memory.
    ///
    /// Can be called on any thread.
    public static func fileExists(for configuration: Configuration) -> Bool {
        guard let url = configuration.fileURL.flatMap({ try? FileLocation.resolve($0) }) else { return false }
        return FilePlacement.exists(url.path) && !FilePlacement.isFolder(url.path)
    }

    /// Deletes the file of a configuration, and what is beside it: the file of locks, and what a copy
    /// that was not finished left. If the path is a link, the
    /// file that it leads to is deleted, and the link stays.
    ///
    /// Can be called on any thread.
    ///
    /// - Returns: Whether there was a file to delete. False for a realm in memory.
    /// - Throws: ``Realm/Error`` of the code ``Realm/Error/Code/alreadyOpen`` if the file is open, in this process or in another
    ///   one; if it cannot be deleted. It is left as it is then.
    @discardableResult
    public static func deleteFiles(for configuration: Configuration) throws -> Bool {
        var configuration = configuration
        // It takes no key to delete a file.
        configuration.encryptionKey = nil
        configuration = try configuration.resolved()
        guard let url = configuration.fileURL, let path = configuration.identity.path else { return false }
        do {
            guard !FilePlacement.isFolder(path) else { throw JournalError.notAJournal }
            try waitForClosing(StorePlace.of(configuration.identity))
            return try FileDeletion.delete(path)
        } catch {
            throw Error.wrapping(error, url)
        }
    }

    /// Waits a moment for a store that nobody uses and that is about to close, behind a checkpoint for one. Throws if the file
    /// is in use.
    private static func waitForClosing(_ place: StorePlace) throws(JournalError) {
        for _ in 0..<100 where place.isOpen {
            guard place.isUnused else { throw .alreadyOpen }
            Thread.sleep(forTimeInterval: 0.002)
        }
        if place.isOpen { throw .alreadyOpen }
    }

    /// Writes what this instance sees as a new file: without what led to it, so that it is as small as can be. In a write
    /// transaction this is what has been written in it so far.
    ///
    /// The copy is there whole or not at all, and opens at once. O(bytes of the copy), which is written page by page: what this
    /// realm has not in memory is not brought in.
    ///
    /// - Parameters:
    ///   - fileURL: A file that does not exist yet.
    ///   - encryptionKey: nil: see <doc:Encryption>.
    /// - Throws: ``Realm/Error`` of the code ``Realm/Error/Code/fileExists`` if there is such a file already; if it cannot be
    ///   written, or a key is given.
    public func writeCopy(toFile fileURL: URL, encryptionKey: Data? = nil) throws {
        var configuration = Configuration(fileURL: fileURL)
        configuration.encryptionKey = encryptionKey
        try writeCopy(configuration: configuration)
    }

    /// Writes what this instance sees as a new file, the one of a configuration. Its classes and their version are those of this
    /// realm. See ``writeCopy(toFile:encryptionKey:)``.
    ///
    /// - Throws: ``Realm/Error`` as there, and of the code ``Realm/Error/Code/invalidInput`` if the configuration is of a realm in
    ///   memory.
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
