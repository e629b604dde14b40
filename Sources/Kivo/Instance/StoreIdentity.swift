import KivoJournal

/// What tells the data of one realm from that of others: realms of one identity share it.
enum StoreIdentity: Hashable, Sendable {
    /// A file, by the path that the system knows it by, as bytes: strings that are equal can be two names.
    case file([UInt8])
    /// Data in memory, by its identifier.
    case memory(String)

    /// The canonical path of a file.
    var path: String? {
        guard case .file(let path) = self else { return nil }
        return String(decoding: path, as: UTF8.self)
    }
}

extension Realm.Configuration {
    /// What identifies the data. Of a file it can change as long as neither the file nor its folder exist.
    var identity: StoreIdentity {
        if let fileURL { return .file(FilePlacement.canonicalPath(fileURL.path)) }
        return .memory(inMemoryIdentifier ?? "")
    }
}
