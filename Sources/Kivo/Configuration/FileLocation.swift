import Foundation
import KivoJournal

/// The locations of files: of the default one, and of those that are named by a URL.
enum FileLocation {
    /// The default file: `default.kivo` where the platform keeps the data of a program. Nothing is created.
    static let standard = standardFolder(
        environment: ProcessInfo.processInfo.environment, program: ProcessInfo.processInfo.processName
    ).appendingPathComponent("default.kivo")

    /// Returns the folder of the default file.
    ///
    /// On iOS, watchOS and visionOS it is the program's documents, on tvOS, which keeps no others, its caches. On macOS and
    /// Windows it is a folder of the program in the user's application support. Elsewhere it is a folder of the program's name in
    /// the user's data folder. The XDG Base Directory Specification defines that: `$XDG_DATA_HOME` if that is an absolute path,
    /// else `~/.local/share`.
    private static func standardFolder(environment: [String: String], program: String) -> URL {
        #if canImport(Darwin) || os(Windows)
        func folder(_ kind: FileManager.SearchPathDirectory) -> URL {
            FileManager.default.urls(for: kind, in: .userDomainMask).first
                ?? URL(fileURLWithPath: NSHomeDirectory(), isDirectory: true)
        }
        #if os(tvOS)
        return folder(.cachesDirectory)
        #elseif os(macOS) || os(Windows)
        return folder(.applicationSupportDirectory)
            .appendingPathComponent(Bundle.main.bundleIdentifier ?? program, isDirectory: true)
        #else
        return folder(.documentDirectory)
        #endif
        #else
        func folder(_ variable: String) -> URL? {
            guard let path = environment[variable], path.hasPrefix("/") else { return nil }
            return URL(fileURLWithPath: path, isDirectory: true)
        }
        let home = folder("HOME") ?? URL(fileURLWithPath: NSHomeDirectory(), isDirectory: true)
        let data = folder("XDG_DATA_HOME") ?? home.appendingPathComponent(".local/share", isDirectory: true)
        return data.appendingPathComponent(program, isDirectory: true)
        #endif
    }

    /// Creates the folder of the default file, and those above it, if `url` is that file. The app creates the folders of other
    /// files.
    static func makeStandardFolder(for url: URL) throws(Realm.Error) {
        if url != standard { return }
        do {
            #if os(Windows)
            let attributes: [FileAttributeKey: Any] = [:]
            #else
            let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
            #endif
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true, attributes: attributes
            )
        } catch {
            throw Realm.Error(
                .filePermissionDenied,
                """
                The folder of the default realm file, '\(url.deletingLastPathComponent().path)', cannot be made: \
                \(error.localizedDescription) Set the 'fileURL' of the configuration, or 'XDG_DATA_HOME' where that is \
                used.
                """, fileURL: url)
        }
    }

    /// Returns the absolute URL of a local file. Throws if the URL names no local file.
    static func resolve(_ url: URL) throws(Realm.Error) -> URL {
        let absolute = url.absoluteURL
        guard absolute.isFileURL else {
            throw refusal(url, "is no URL of a file: make one with 'URL(fileURLWithPath:)'")
        }
        if let host = absolute.host, !host.isEmpty, host.lowercased() != "localhost" {
            throw refusal(url, "is a file of another machine, '\(host)'")
        }
        let path = absolute.path
        let hasNUL =
            path.utf8.contains(0) || absolute.absoluteString.utf8.contains(0)
            || absolute.absoluteString.contains("%00")
        if hasNUL { throw refusal(url, "has a NUL in it, which no path can have") }
        #if !os(Windows)
        // Foundation leaves the path of a file URL without a base relative.
        guard path.hasPrefix("/") else { throw refusal(url, "is relative to nothing") }
        #endif
        return absolute
    }

    private static func refusal(_ url: URL, _ why: String) -> Realm.Error {
        Realm.Error(.invalidInput, "The file URL '\(url.absoluteString)' \(why).", fileURL: url)
    }
}

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

/// Recognition of files of the Realm engine, which are not damaged Kivo files.
enum RealmEngineFile {
    /// Returns whether a file begins like those of the engine: two references, then four letters. Encrypted files do not.
    static func isOne(_ url: URL) -> Bool {
        guard let handle = try? FileHandle(forReadingFrom: url) else { return false }
        defer { try? handle.close() }
        return (try? handle.read(upToCount: 24)).map {
            $0?.dropFirst(16).prefix(4).elementsEqual("T-DB".utf8) ?? false
        } ?? false
    }

    /// Logs that there is a file of the engine beside the default file, which does not exist yet and will be empty.
    static func report(besideDefaultFile url: URL) {
        guard url == FileLocation.standard, !FileManager.default.fileExists(atPath: url.path) else { return }
        let old = url.deletingLastPathComponent().appendingPathComponent("default.realm")
        guard isOne(old) else { return }
        Logger.shared.log(
            level: .warn,
            message: """
                Realm file '\(url.path)' is new and empty. Beside it is '\(old.path)', a file of the Realm engine: \
                'realm.importObjects(fromRealmFile:)' of the product KivoRealmImport brings its objects into the new file.
                """)
    }

    /// The advice in the error message for such a file.
    static let advice = """
        it is a file of the Realm engine, which Kivo does not open. Bring its objects into a realm with a file of its own, by \
        'importObjects(fromRealmFile:)' of the product KivoRealmImport or by 'kivo realm import'
        """
}
