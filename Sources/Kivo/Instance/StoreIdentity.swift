import KivoJournal

/// What tells the data of one realm from that of others: realms of one identity share it.
struct StoreIdentity: Hashable, Sendable {
    private enum Place: Hashable, Sendable {
        /// A file, by the path that the system knows it by, as bytes: strings that are equal can be two names.
        case file([UInt8])
        /// Data in memory, by its identifier.
        case memory(String)
        /// Another log, by its identifier.
        case log(String)
    }

    private let place: Place
    private let separation: String?

    /// The identity of a configuration's data. Of a file it can change as long as neither the file nor its folder exist.
    init(_ configuration: Realm.Configuration) {
        separation = configuration.separation
        if let url = configuration.fileURL {
            place = .file(FilePlacement.canonicalPath(url.path))
        } else if let source = configuration.commitLog {
            place = .log(source.identifier)
        } else {
            place = .memory(configuration.inMemoryIdentifier ?? "")
        }
    }

    /// The place of the data in words, for messages.
    var words: String {
        switch place {
        case .file(let path): "at path '\(String(decoding: path, as: UTF8.self))'"
        case .memory(let identifier): "in memory of identifier '\(identifier)'"
        case .log(let identifier): "of the log '\(identifier)'"
        }
    }

    /// The canonical path of a file.
    var path: String? {
        guard case .file(let path) = place else { return nil }
        return String(decoding: path, as: UTF8.self)
    }
}

extension Realm.Configuration {
    /// What identifies the data.
    var identity: StoreIdentity { StoreIdentity(self) }
}
