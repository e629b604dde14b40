import Foundation
import Kivo

/// How much memory a file takes that is opened and of which one property is read, found out in a process that does nothing else.
struct OpeningProbe: Equatable {
    let path: String
    /// How many items the file has.
    let count: Int

    /// Starts this program once more as a child, which calls ``bytes()``.
    func askChild() throws -> Double {
        var bytes: Double?
        try ChildProcess(arguments: [Options.openingFlag, path, "\(count)"]).run { bytes = Double($0) }
        guard let bytes else { throw ChildProcess.Failure(description: "file.resident got no figure") }
        return bytes
    }

    /// By how many bytes the process has grown.
    func bytes() throws -> Double {
        // What any realm brings along, code above all, is no memory of the file.
        let small = try Realm(
            configuration: .init(
                inMemoryIdentifier: "kivo-bench-opening", objectTypes: [Item.self, Holder.self]))
        try small.addItems(600, name: ItemData.name)
        expect(small.objects(Item.self)[300].value == ItemData.value(300), "file.resident read nothing")
        let before = MemoryProbe.resident()
        let realm = try Realm(
            configuration: .init(fileURL: URL(fileURLWithPath: path), objectTypes: [Item.self, Holder.self]))
        let value = realm.objects(Item.self)[count / 2].value
        expect(value == ItemData.value(count / 2), "file.resident read something else")
        let grown = MemoryProbe.resident() - before
        withExtendedLifetime((small, realm)) {}
        return Double(grown)
    }
}
