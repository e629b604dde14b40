import Foundation
import RealmFileBuilding

/// A `.realm` file as the users of an application have it: the models are those of `kivo-adopt` before they were adopted, under
/// the names by which realm-swift stores them.
struct AdoptedFile: Sendable {
    let name: String
    let schemaVersion: Int64
    let classes: [FileClass]

    static let all = [podcasts, chat, fileSync, health, shop]

    /// The file of the repository. With `KIVO_WRITE_REALM_FILES=1` in the environment it is written first.
    func url() throws -> URL {
        let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Files/\(name).realm")
        if ProcessInfo.processInfo.environment["KIVO_WRITE_REALM_FILES"] == "1" {
            try Data(bytes).write(to: url)
        }
        return url
    }

    var bytes: [UInt8] { FileBuilder.file(classes, schemaVersion: schemaVersion) }
}
