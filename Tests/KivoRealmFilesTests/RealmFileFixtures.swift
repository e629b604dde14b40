import Foundation
import KivoRealmCommands
import KivoRealmFiles

/// The directory with the files and what is to be read from each.
enum RealmFileFixtures {
    static var directory: URL {
        if let path = ProcessInfo.processInfo.environment["KIVO_REALM_FILES_DIR"], !path.isEmpty {
            return URL(fileURLWithPath: path)
        }
        // The place of a bundle's resources depends on the system.
        return [Bundle.module.resourceURL, Bundle.module.bundleURL].compactMap { $0 }
            .flatMap { [$0.appendingPathComponent("Files"), $0.appendingPathComponent("Resources/Files")] }
            .first { FileManager.default.fileExists(atPath: $0.path) }!
    }

    /// The names of the files without their endings, in order.
    static func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "realm" }
            .map { $0.deletingPathExtension().lastPathComponent }
            .sorted()
    }

    static func url(_ name: String) -> URL { directory.appendingPathComponent(name + ".realm") }

    static func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: url(name))) }

    static func expected(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: directory.appendingPathComponent(name + ".json")))
    }
}

extension RealmFile {
    /// All of the dump.
    func dump(name: String) throws -> [UInt8] {
        var text: [UInt8] = []
        try dump(name: name) { text.append(contentsOf: $0) }
        return text
    }
}

extension RealmFileError {
    /// The reason as the files' descriptions name it.
    var reasonName: String {
        switch self {
        case .notFound: "notFound"
        case .permissionDenied: "permissionDenied"
        case .io: "io"
        case .empty: "empty"
        case .truncated: "truncated"
        case .notARealm: "notARealm"
        case .encrypted: "encrypted"
        case .unsupportedVersion: "unsupportedVersion"
        case .emptyOrDamaged: "emptyOrDamaged"
        case .damaged: "damaged"
        }
    }
}
