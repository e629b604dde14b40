import Foundation
import KivoJournal

extension FileLocation {
    /// What has to be so before the file of a configuration is opened: its folder is there if it is the default one, and the path
    /// leads to no folder. A file that does not exist yet is made of the configuration's seed, if it has one.
    static func prepare(_ url: URL, seed: URL?) throws {
        try makeStandardFolder(for: url)
        let path = url.path
        guard !FilePlacement.isFolder(path) else {
            throw Realm.Error(
                .fileAccess, "Realm file '\(path)': the path leads to a folder, and not to a file.",
                fileURL: url)
        }
        guard let seed, !FilePlacement.exists(path) else { return }
        let seedURL = try resolve(seed)
        do {
            let device = try FileDevice.open(path: seedURL.path, readOnly: true)
            defer { device.close() }
            try JournalCopy.write(device, to: url.path)
        } catch JournalError.exists {
            // Somebody else was first.
        } catch {
            throw Realm.Error.wrapping(error, seedURL, isOpening: true)
        }
    }
}
