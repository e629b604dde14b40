import Foundation
import Kivo

/// Copies the file while others read and write it. An actor of its own: a copy takes as long as it takes to write the data, and
/// the requests of the other workers do not wait for it.
actor BackupWorker {
    private let configuration: Realm.Configuration
    private let folder: URL

    init(_ configuration: Realm.Configuration, _ folder: URL) {
        self.configuration = configuration
        self.folder = folder
    }

    /// Writes the newest version to a new file, and returns its name. The file is complete, or it is not there.
    func backUp() async throws -> String {
        let realm = try await Realm.open(configuration: configuration)
        realm.refresh()
        var number = 1
        while true {
            let name = "backup-\(number).kivo"
            do {
                try realm.writeCopy(toFile: folder.appendingPathComponent(name))
                return name
            } catch let error as Realm.Error where error.code == .fileExists {
                number += 1
            }
        }
    }
}
