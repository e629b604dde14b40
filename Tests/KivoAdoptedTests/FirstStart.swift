import Foundation
import Kivo
import KivoRealmImport

/// The realm of an adopted application; the report says what came along if this is its first start.
func openRealm(in folder: URL, _ types: [ObjectBase.Type]) throws -> (Realm, RealmFileImport.Report?) {
    let old = folder.appendingPathComponent("default.realm")
    let new = folder.appendingPathComponent("default.kivo")
    let realm = try Realm(
        configuration: Realm.Configuration(fileURL: new, schemaVersion: 4, objectTypes: types))
    guard realm.isEmpty, FileManager.default.fileExists(atPath: old.path) else { return (realm, nil) }
    return (realm, try realm.importObjects(fromRealmFile: old))
}
