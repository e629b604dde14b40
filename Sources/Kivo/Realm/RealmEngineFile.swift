import Foundation

/// Files of the engine whose place Kivo takes, which are told from damaged ones.
enum RealmEngineFile {
    /// Whether a file begins as those do: two references, then four letters. An encrypted one does not.
    static func isOne(_ url: URL) -> Bool {
        guard let handle = try? FileHandle(forReadingFrom: url) else { return false }
        defer { try? handle.close() }
        return (try? handle.read(upToCount: 24)).map {
            $0?.dropFirst(16).prefix(4).elementsEqual("T-DB".utf8) ?? false
        } ?? false
    }

    /// What to do with one.
    static let advice = """
        it is a file of the Realm engine, which Kivo does not open. Bring its objects into a realm with a file of its own, by \
        'importObjects(fromRealmFile:)' of the product KivoRealmImport or by 'kivo realm import'
        """
}
