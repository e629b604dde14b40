import Foundation
import Kivo

/// A measurement of the memory of an opened file after one property was read, in a process that does nothing else.
struct OpeningProbe: Equatable {
    let path: String
    /// The number of items in the file.
    let count: Int

    /// Starts this program as a child, which calls ``bytes()``.
    func askChild() throws -> Double {
        var bytes: Double?
        try ChildProcess(arguments: [Options.openingFlag, path, "\(count)"]).run { bytes = Double($0) }
        guard let bytes else { throw ChildProcess.Failure(description: "file.resident got no figure") }
        return bytes
    }

    /// Returns the number of bytes by which the process has grown.
    func bytes() throws -> Double {
        // Any realm loads code and other fixed memory, which is not memory of the file.
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
