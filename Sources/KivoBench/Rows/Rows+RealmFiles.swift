import Foundation
import Kivo
import KivoRealmCommands
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
            Row("realmfile.open", .realmFiles, .ms, .atMost(5), usesDisk: true, measure: openLarge),
        ]
    }

    /// Measures opening a file of a gigabyte, and reading its schema and one value.
    private static func openLarge(_ fixtures: Fixtures) throws -> Samples {
        let url = try fixtures.filesDirectory().appendingPathComponent("large.realm")
        let (size, itemCount) = (fixtures.size(1 << 30), fixtures.size(count))
        try Data(ItemFile.bytes(itemCount, atLeast: size)).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        return try Sampling.repetitions(11) {
            var value: RealmFile.Value?
            var file: RealmFile?
            let time = try nanoseconds {
                file = try RealmFile(url: url)
                let last = try file?.schema().classes.last
                value = try last?.object(at: itemCount / 2)?.value(named: "value")
            }
            guard case .int(let found) = value, Int(found) == ItemData.value(itemCount / 2),
                let file, file.byteCount >= size
            else { fatalError("kivo-bench: realmfile.open read something else") }
            return time
        }
    }
}
