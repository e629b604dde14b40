#if compiler(>=6.2)
import Foundation
import Kivo
import Testing

/// A listener that writes can be called by a write that begins.
struct WriteInListenerTrapTests {
    private static func open() throws -> Realm {
        let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "write in listener"))
        realm.autorefresh = false
        return realm
    }

    @Test func aListenerOfABeginningWriteIsToldWhatToDo() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try WriteInListenerTrapTests.open()
            let token = realm.objects(Dog.self).observe { _ in
                try? realm.write { _ = realm.create(Dog.self) }
            }
            try realm.write {}
            token.invalidate()
        }
        try check(
            result,
            says: [
                "already in a write transaction", "called this listener", "realm.isInWriteTransaction",
                "realm.writeAsync",
            ])
    }

    @Test func aWriteInAWrite() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try WriteInListenerTrapTests.open()
            try realm.write { try realm.write {} }
        }
        try check(result, says: ["already in a write transaction", "realm.isInWriteTransaction"])
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(!text.contains("listener"))
    }

    /// Both of the ways that the sentence names work.
    @Test func theWaysOut() throws {
        let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString))
        realm.autorefresh = false
        var calls = 0
        let token = realm.objects(Dog.self).observe { _ in
            calls += 1
            guard calls == 1 else { return }
            #expect(realm.isInWriteTransaction)
            realm.create(Dog.self)
        }
        try realm.write {}
        token.invalidate()
        #expect(realm.objects(Dog.self).count == 1)
    }
}
#endif
