import Foundation
import Kivo
import KivoRealmImport

/// The library of an adopted application, with what its users had before.
func openLibrary(in folder: URL) throws -> (realm: Realm, report: RealmFileImport.Report?) {
    let old = folder.appendingPathComponent("default.realm")
    let realm = try Realm(
        configuration: Realm.Configuration(
            fileURL: folder.appendingPathComponent("default.kivo"), schemaVersion: 4,
            objectTypes: [Podcast.self, Episode.self, Chapter.self]))
    guard realm.isEmpty, FileManager.default.fileExists(atPath: old.path) else { return (realm, nil) }
    return (realm, try realm.importObjects(fromRealmFile: old))
}
