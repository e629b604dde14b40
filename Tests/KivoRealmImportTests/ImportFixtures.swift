import Foundation
import Kivo
import KivoRealmFiles
import KivoRealmImport

/// The files, and what is to be read from each.
enum ImportFixtures {
    /// The repository's `Tests`.
    static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

    static var directory: URL {
        if let path = ProcessInfo.processInfo.environment["KIVO_REALM_FILES_DIR"], !path.isEmpty {
            return URL(fileURLWithPath: path)
        }
        return tests.appendingPathComponent("KivoRealmFilesTests/Resources/Files")
    }

    /// The names of the files without their endings, in order.
    static func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "realm" }
            .map { $0.deletingPathExtension().lastPathComponent }
            .sorted()
    }

    static func url(_ name: String) -> URL { directory.appendingPathComponent(name + ".realm") }

    static func file(_ name: String) throws -> RealmFile { try RealmFile(url: url(name)) }

    static func expected(_ name: String) throws -> [String: Any] {
        let data = try Data(contentsOf: directory.appendingPathComponent(name + ".json"))
        return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
    }
}

extension Realm {
    /// Makes this realm store the classes of a file, so that no class of the program takes the place of one.
    func storeClasses(of file: RealmFile) throws {
        try define(FileClasses(try file.schema()).classes.map(\.definition))
    }
}
