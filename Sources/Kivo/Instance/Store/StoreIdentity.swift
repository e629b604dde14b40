import KivoJournal

/// The identity of a realm's data. Realms of one identity share their data.
struct StoreIdentity: Hashable, Sendable {
    private enum Location: Hashable, Sendable {
        /// A file, by its canonical path, as bytes: strings that are equal can be two names.
        case file([UInt8])
        /// Data in memory, by its identifier.
        case memory(String)
        /// Another log, by its identifier.
        case log(String)
    }

    private let location: Location
    private let separation: String?

    /// Creates the identity of a configuration's data. The identity of a file can change as long as neither the file nor its
    /// folder exists.
    init(_ configuration: Realm.Configuration) {
        separation = configuration.separation
        if let url = configuration.fileURL {
            location = .file(FileSystem.canonicalPath(url.path))
        } else if let source = configuration.commitLog {
            location = .log(source.identifier)
        } else {
            location = .memory(configuration.inMemoryIdentifier ?? "")
        }
    }

    /// The location of the data in words, for messages.
    var words: String {
        switch location {
        case .file(let path): "at path '\(String(decoding: path, as: UTF8.self))'"
        case .memory(let identifier): "in memory of identifier '\(identifier)'"
        case .log(let identifier): "of the log '\(identifier)'"
        }
    }

    /// The canonical path of the file, or nil if the data is not in a file.
    var path: String? {
        guard case .file(let path) = location else { return nil }
        return String(decoding: path, as: UTF8.self)
    }
}

extension Realm.Configuration {
    /// The identity of the data.
    var identity: StoreIdentity { StoreIdentity(self) }
}
