import Foundation

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
