import Foundation
import RealmSwift
import Testing

/// Invalid predicates end the program with a message.
@Suite struct PredicateTrapTests {
    final class Walker: Object {
        @Persisted var name = ""
    }

    private static func says(_ words: String, _ result: ExitTest.Result?) throws {
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains(words), "\(text.suffix(500))")
    }

    @Test func aBlockCannotFilter() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm(
                configuration: .init(inMemoryIdentifier: "block", objectTypes: [Walker.self]))
            _ = realm.objects(Walker.self).filter(NSPredicate { _, _ in true })
        }
        try Self.says("A predicate of a block cannot filter", result)
    }

    @Test func aFormatHasToBeWellFormed() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSPredicate(format: "name ==")
        }
        try Self.says("The predicate is malformed", result)
    }

    @Test func variablesNeedValues() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSPredicate(format: "name == $name").evaluate(with: Walker())
        }
        try Self.says("The variable '$name'", result)
    }

    @Test func onlyObjectsAreEvaluated() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSPredicate(format: "name == 'x'").evaluate(with: ["name": "x"])
        }
        try Self.says("it takes objects of Realm's classes", result)
    }

    @Test func listsOfCArgumentsHoldNoObjects() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            withVaList([1]) { _ = NSPredicate(format: "name == %@", arguments: $0) }
        }
        try Self.says("A list of C arguments holds numbers only", result)
    }

    @Test func compoundsHaveNoFormat() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSCompoundPredicate(format: "name == 'x'")
        }
        try Self.says("cannot be created by a format", result)
    }
}
