import Foundation
import Kivo
import KivoRealmFiles
import KivoRealmImport

class Dog: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var age: Int
}

class Person: Object {
    @Persisted var name: String?
    @Persisted var dogs: List<Dog>
}

func move(_ old: URL, to new: URL, say: @escaping (String) -> Void) throws {
    let file = try RealmFile(url: old)
    for table in try file.schema().classes {
        say("\(table.className): \(table.count) objects, \(table.properties.map(\.name))")
    }
    let realm = try Realm(
        configuration: Realm.Configuration(fileURL: new, objectTypes: [Dog.self, Person.self]))
    say("\(try realm.importObjects(fromRealmFile: file))")
    let token = realm.objects(Dog.self).sorted(byKeyPath: "name").observe { change in
        if case .update(_, _, _, let modifications) = change { say("changed: \(modifications)") }
    }
    realm.refresh()
    try realm.write { realm.object(ofType: Dog.self, forPrimaryKey: "dog10")?.age += 1 }
    realm.refresh()
    token.invalidate()
}
