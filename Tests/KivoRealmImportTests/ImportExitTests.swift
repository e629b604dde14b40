#if compiler(>=6.2)
import Foundation
import Kivo
import KivoRealmImport
import Testing

/// Invalid calls end the program, and say what to do.
struct ImportExitTests {
    @Test func batchesWithinAWriteTrap() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "exit"))
            try realm.write {
                _ = try realm.importObjects(
                    fromRealmFile: ImportFixtures.url("links-1"),
                    options: .init(classes: .all, transactions: .batches(of: 10)))
            }
        }
        try check(result, says: ["importObjects", "realm.write", "transactions: .one"])
    }

    @Test func batchesOfNothingTrap() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "exit"))
            _ = try realm.importObjects(
                fromRealmFile: ImportFixtures.url("links-1"),
                options: .init(classes: .all, transactions: .batches(of: 0)))
        }
        try check(result, says: ["batches of 0 objects"])
    }

    private func check(_ result: ExitTest.Result?, says words: [String]) throws {
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        for word in words { #expect(text.contains(word), "\(text)") }
    }
}
#endif
