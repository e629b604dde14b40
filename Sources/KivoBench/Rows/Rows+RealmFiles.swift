import Kivo
import KivoRealmFiles
import KivoRealmImport

extension Rows {
    private static let count = 1_000_000

    static var realmFiles: [Row] {
        [
            Row("realmfile.dump", .realmFiles, .ns, .atMost(10)) { fixtures in
                let file = try RealmFile(bytes: ItemFile.bytes(fixtures.size(count)))
                return try Sampling.repetitions {
                    var size = 0
                    let time = try nanoseconds { try file.dump(name: "bench") { size += $0.count } }
                    expect(size > file.byteCount, "realmfile.dump wrote too little")
                    return time / Double(file.byteCount)
                }
            },
            Row("realmfile.import", .realmFiles, .ns, .atMost(3300)) { fixtures in
                let count = fixtures.size(count)
                let file = try RealmFile(bytes: ItemFile.bytes(count))
                return try Sampling.repetitions {
                    let realm = try fixtures.emptyStore().realm
                    let time = try nanoseconds { try realm.importObjects(fromRealmFile: file) }
                    let items = realm.objects(Item.self)
                    expect(
                        items.count == count && items[count / 3].name == ItemData.name(count / 3)
                            && items[count / 3].score == ItemData.score(count / 3),
                        "realmfile.import brought something else")
                    return time / Double(count)
                }
            },
        ]
    }
}
