import Foundation

extension Realm {
    /// Waits until this process has closed the file of a configuration.
    ///
    /// A file has no switch that closes it: it is closed when the last of its realms is released, with all objects, collections
    /// and tokens that belong to one, and frozen values. Queued writes keep their realm, so that they are carried out before. Then
    /// a checkpoint is written, and the locks of the file are released. A program that ends its work releases what it holds, and
    /// calls this to know that nothing was forgotten, and that the file can be moved, copied or deleted:
    ///
    ///     await workers.stop()
    ///     try Realm.waitUntilClosed(for: configuration)
    ///
    /// Returns immediately if the file is not open. Other processes may still have it open. Can be called on any thread. It blocks
    /// the thread, which may therefore be none that has to release a realm, or serves the queue or actor of one.
    ///
    /// - Parameters:
    ///   - configuration: The file, or the realm in memory, whose data are gone when it is closed.
    ///   - timeout: The number of seconds after which to give up.
    /// - Throws: ``Realm/Error`` with the code ``Realm/Error/Code/alreadyOpen`` if the file is still open then. The message says
    ///   where the realms belong that keep it open.
    public static func waitUntilClosed(for configuration: Configuration, timeout: TimeInterval = 10) throws {
        var configuration = configuration
        // Waiting takes no key.
        configuration.encryptionKey = nil
        let identity = try configuration.resolved().identity
        let entry = StoreEntry.of(identity)
        let deadline = Date(timeIntervalSinceNow: timeout)
        while entry.isOpen {
            if Date() >= deadline { throw stillOpen(identity, entry, configuration.fileURL) }
            Thread.sleep(forTimeInterval: 0.002)
        }
    }

    private static func stillOpen(_ identity: StoreIdentity, _ entry: StoreEntry, _ url: URL?) -> Error {
        let homes = entry.current?.homes ?? []
        let holders =
            homes.isEmpty
            ? "Frozen values keep it open, or it is being opened or closed."
            : "Realms keep it open \(homes.joined(separator: ", ")), with their objects, collections and tokens."
        return Error(
            .alreadyOpen, "The realm \(identity.words) is still open in this process. \(holders)",
            fileURL: url)
    }
}
