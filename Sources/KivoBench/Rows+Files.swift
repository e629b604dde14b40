import Foundation
import Kivo

extension Rows {
    private static let million = 1_000_000

    static var files: [Row] {
        [
            Row(
                "file.commit", .files, .us, .timesFloor(1.3), floor: FloorReference(.fsync),
                measure: commitToFile
            ),
            Row("file.open", .files, .ms, .atMost(2), measure: openFile),
        ]
    }

    private static func commitToFile(_ fixtures: Fixtures) throws -> [Double] {
        let realm = try Realm(configuration: try fixtures.fileConfiguration())
        try realm.addItems(fixtures.size(1_000), name: ItemData.name)
        let item = realm.objects(Item.self)[fixtures.size(1_000) / 2]
        var random = SplitMix64(state: 12)
        return try Sampling.events(atMost: 500) {
            let value = random.value()
            let time = try nanoseconds { try realm.write { item.value = value } }
            expect(item.value == value, "file.commit did not write")
            return time
        }
    }

    /// Opens a file that nobody has open at that moment, and reads one property.
    private static func openFile(_ fixtures: Fixtures) throws -> [Double] {
        let configuration = try fixtures.fileConfiguration()
        let count = fixtures.size(million)
        try fill(configuration, count)
        return try Sampling.repetitions(11) {
            var realm: Realm?
            var value = -1
            let time = try nanoseconds {
                let opened = try Realm(configuration: configuration)
                value = opened.objects(Item.self)[count / 2].value
                realm = opened
            }
            expect(value == ItemData.value(count / 2), "file.open read something else")
            withExtendedLifetime(realm) {}
            realm = nil
            return time
        }
    }

    /// In a function of its own, so that the file is closed when it returns.
    @inline(never)
    private static func fill(_ configuration: Realm.Configuration, _ count: Int) throws {
        try Realm(configuration: configuration).addItems(count, name: ItemData.name)
    }
}
