import Foundation
import KivoJournal

extension FileLocation {
    /// Prepares a configuration's file for opening. Creates the folder of the default file, and throws if the path leads to a
    /// folder. If the file does not exist yet, it is copied from the configuration's seed, if there is one.
    static func prepare(_ url: URL, seed: URL?) throws {
        try makeStandardFolder(for: url)
        let path = url.path
        guard !FileSystem.isFolder(path) else {
            throw Realm.Error(
                .fileAccess, "Realm file '\(path)': the path leads to a folder, and not to a file.",
                fileURL: url)
        }
        guard let seed, !FileSystem.exists(path) else { return }
        let seedURL = try resolve(seed)
        do {
            let device = try FileDevice.open(path: seedURL.path, readOnly: true)
            defer { device.close() }
            try JournalCopy.write(device, to: url.path)
        } catch JournalError.exists {
            // Another thread or process created the file first.
        } catch {
            throw Realm.Error.wrapping(error, seedURL, isOpening: true)
        }
    }
}
