import Foundation
import Kivo

// Keeps the sizes of a folder's files in a realm file, and prints what changed each time that it looks:
//
//     FolderWatch FOLDER FILE [ROUNDS]
//
// Another process can have the same realm file open and is notified of the same changes.

/// A file of the folder that is watched.
final class Entry: Object {
    @Persisted(primaryKey: true) var path = ""
    @Persisted var size = 0
}

guard CommandLine.arguments.count >= 3 else {
    print("usage: FolderWatch FOLDER FILE [ROUNDS]")
    exit(64)
}
let folder = URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true)
let rounds = CommandLine.arguments.count > 3 ? Int(CommandLine.arguments[3]) ?? 1 : Int.max
let realm = try Realm(
    configuration: .init(
        fileURL: URL(fileURLWithPath: CommandLine.arguments[2]), objectTypes: [Entry.self]))

/// Returns the contents of the folder: paths and sizes.
func scan() -> [String: Int] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.reduce(into: [:]) { sizes, name in
        let path = folder.appendingPathComponent(name).path
        sizes[name] = (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }
}

/// Makes the realm equal to what the folder holds. Only what differs is written.
@MainActor func update(to sizes: [String: Int]) throws {
    try realm.write {
        realm.delete(realm.objects(Entry.self).where { !$0.path.in(Array(sizes.keys)) })
        for (path, size) in sizes {
            realm.create(Entry.self, value: ["path": path, "size": size], update: .modified)
        }
    }
}

var shown: [String] = []
let token = realm.objects(Entry.self).sorted(by: \.path).observe { change in
    switch change {
    case .initial(let entries):
        shown = entries.map(\.path)
        print("\(entries.count) known")
    case .update(let entries, let deletions, let insertions, _):
        for index in deletions.reversed() { print("- \(shown.remove(at: index))") }
        for index in insertions {
            shown.insert(entries[index].path, at: index)
            print("+ \(entries[index].path) \(entries[index].size)")
        }
        for index in change.currentModifications { print("~ \(entries[index].path) \(entries[index].size)") }
    case .error: break
    }
}
realm.refresh()
for round in 1...rounds {
    try update(to: scan())
    realm.refresh()
    // The run loop delivers what other processes commit.
    if round < rounds { RunLoop.main.run(until: Date(timeIntervalSinceNow: 1)) }
}
token.invalidate()
