#if compiler(>=6.2)
import Foundation
import Kivo
import Testing

/// Misuse of projections ends in a sentence.
struct ProjectionTrapTests {
    private static func withCard(_ body: (Realm, PersonCard) throws -> Void) throws {
        let realm = try Realm(configuration: .init(inMemoryIdentifier: "projection traps"))
        let root = ProjectionPerson()
        try realm.write { realm.add(root) }
        try body(realm, PersonCard(projecting: root))
    }

    @Test func assigningWhatCanOnlyBeRead() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            PersonCard(projecting: ProjectionPerson()).lastNameCaps = "WEBB"
        }
        try check(result, says: ["'PersonCard.lastNameCaps'", "'ProjectionPerson'", "can only be read"])
    }

    @Test func assigningOutsideOfAWrite() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Self.withCard { $1.firstName = "David" }
        }
        try check(result, says: ["'ProjectionPerson.firstName'", "write"])
    }

    @Test func observingWhatIsUnmanaged() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = PersonCard(projecting: ProjectionPerson()).observe { _ in }
        }
        try check(result, says: ["Only managed objects can be observed", "'ProjectionPerson'"])
    }

    @Test func observingAKeyPathThatIsNotProjected() async throws {
        let unknown = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Self.withCard { _ = $1.observe(keyPaths: ["age"]) { _ in } }
        }
        try check(unknown, says: ["'age'", "'PersonCard'", "'ProjectionPerson'"])
        let label = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Self.withCard { _ = $1.observe(keyPaths: ["lastNameCaps"]) { _ in } }
        }
        try check(label, says: ["'PersonCard.lastNameCaps'", "'lastName'"])
    }

    @Test func observingAnUnknownKeyByName() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            final class Watcher: KeyValueObserver {
                func observeValue(
                    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
                    context: UnsafeMutableRawPointer?
                ) {}
            }
            let watcher = Watcher()
            try Self.withCard { $1.addObserver(watcher, forKeyPath: "age") }
        }
        try check(result, says: ["'PersonCard'", "'age'"])
    }

    @Test func aListOfProjections() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            final class Album: Object {
                @Persisted var cards: List<PersonCard>
            }
            _ = Album().description
        }
        try check(result, says: ["projections", "'PersonCard'", "'ProjectionPerson'"])
    }

    @Test func readingADeletedRoot() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Self.withCard { realm, card in
                try realm.write { realm.delete(card.rootObject) }
                print(card.firstName)
            }
        }
        try check(result, says: ["'ProjectionPerson'", "has been deleted"])
    }
}
#endif
