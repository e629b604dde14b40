import Kivo
import Shared

print(KivoModels.all.map { $0.className() }.sorted().joined(separator: " "))

let realm = try Realm(
    configuration: Realm.Configuration(
        inMemoryIdentifier: "library", objectTypes: KivoModels.all + [Named.self]))
try realm.write {
    let author = realm.create(Author.self, value: ["name": "Ada"])
    realm.create(Book.self, value: ["name": "Notes", "authors": [author], "place": ["row": 3]])
}
let books = realm.objects(Book.self).filter("ANY authors.name == 'Ada' AND place.row > 2").sorted(
    byKeyPath: "name")
print(books.map(\.name).joined(separator: ", "), "by", books.first?.authors.first?.name ?? "nobody")
