#if compiler(>=6.2)
import Foundation
import Kivo
import Testing

/// Type-safe queries that mean nothing end in a sentence.
struct QueryTrapTests {
    @Test func aPropertyThatIsNotPersisted() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Asking.dogs { $0.shout == "REX" }
        }
        try check(result, says: ["persisted", "'YardDog'", "'String'"])
        let ofState = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Asking.dogs { $0.owner.isInvalidated }
        }
        try check(ofState, says: ["'isInvalidated'", "'YardOwner'", "persisted"])
    }

    @Test func objectsOfABaseClass() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "base"))
            _ = realm.objects(Object.self)
        }
        try check(result, says: ["base class 'Object'", "derived from it"])
    }

    @Test func comparingAComparison() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Asking.dogs { ($0.age > 3) == true }
        }
        try check(result, says: ["condition", "no value"])
    }

    @Test func comparingCollections() async throws {
        let withValue = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Asking.dogs { $0.numbers == List<Int>() }
        }
        try check(withValue, says: ["whole collection", "contains"])
        let withMany = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Asking.dogs { $0.numbers.in([List<Int>()]) }
        }
        try check(withMany, says: ["whole collection", "contains"])
        let withEachOther = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Asking.dogs { $0.numbers == $0.owner.dogs.numbers }
        }
        try check(withEachOther, says: ["collections", "each other"])
    }

    // MARK: Aggregates

    @Test func anAggregateWithoutACollection() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Asking.dogs { $0.owner.age.max == 3 }
        }
        try check(result, says: ["'owner.age'", "'max'", "collection"])
        let ofValueOfKey = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Asking.dogs { $0.scores["a"].sum == 3 }
        }
        try check(ofValueOfKey, says: ["'scores", "'sum'", "collection"])
    }

    @Test func anAggregateOfAnAggregate() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Asking.dogs { $0.numbers.max.min == 3 }
        }
        try check(result, says: ["'numbers.@max'", "only compare"])
        let ofSubquery = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Asking.dogs { ($0.numbers > 3).count.max == 3 }
        }
        try check(ofSubquery, says: ["subquery", "only be compared"])
    }

    // MARK: Subqueries

    @Test func aSubqueryWithoutACollection() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Asking.dogs { ($0.owner.age > 3).count == 1 }
        }
        try check(result, says: ["'owner.age'", "no collection"])
        let ofPart = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Asking.dogs { ($0.keepers.age > 3 && $0.age > 3).count == 1 }
        }
        try check(ofPart, says: ["'age'", "no collection"])
    }

    @Test func aSubqueryOfTwoCollections() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Asking.dogs { ($0.keepers.age > 3 && $0.owner.dogs.age > 3).count == 1 }
        }
        try check(result, says: ["one collection", "'keepers'", "'owner.dogs'"])
    }

    @Test func aSubqueryOfWholeCollections() async throws {
        let ofCount = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Asking.dogs { ($0.keepers.count > 3).count == 1 }
        }
        try check(ofCount, says: ["'keepers.@count'", "whole collection", "elements"])
        let ofMap = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Asking.dogs { ($0.scores.values > 3).count == 1 }
        }
        try check(ofMap, says: ["'scores", "map"])
    }

    @Test func aSubqueryInASubqueryOfTheSameElements() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Asking.dogs { (($0.keepers.age > 3).count > 1 && $0.keepers.age > 4).count == 1 }
        }
        try check(result, says: ["'keepers'", "does not exist in class"])
    }

    @Test func limitedResultsTakeNothingMore() async throws {
        let filtered = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Asking.dogs().first(3).where { $0.age > 3 }
        }
        try check(filtered, says: ["'first(_:)'", "filter and sort before"])
        let sorted = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Asking.dogs().filter("age > 3 LIMIT(3)").sorted(by: \.age)
        }
        try check(sorted, says: ["'first(_:)'", "filter and sort before"])
        let distinct = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Asking.dogs().dropFirst(3).distinct(by: [\.age])
        }
        try check(distinct, says: ["'dropFirst(_:)'", "filter and sort before"])
        let sections = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Asking.dogs().first(3).sectioned(by: \.age)
        }
        try check(sections, says: ["'first(_:)'", "sections"])
    }

    @Test func limitsAreNumbersOfElements() async throws {
        let negative = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Asking.dogs().first(-1)
        }
        try check(negative, says: ["negative", "-1"])
        let dropped = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Asking.dogs().dropFirst(-2)
        }
        try check(dropped, says: ["negative", "-2"])
        let word = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Asking.dogs().filter("age > 3 LIMIT('a')")
        }
        try check(word, says: ["LIMIT", "number of elements"])
        let argument = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Asking.dogs().filter("age > 3 LIMIT(%@)", -1)
        }
        try check(argument, says: ["LIMIT", "number of elements"])
        let unfinished = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Asking.dogs().filter("age > 3 LIMIT(1) AND age < 9")
        }
        try check(unfinished, says: ["AND", "the end"])
    }
}

/// The queries of the tests above, each in a process of its own.
private enum Asking {
    static func dogs(_ isIncluded: (Query<YardDog>) -> Query<Bool>) throws {
        let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "asking"))
        _ = realm.objects(YardDog.self).where(isIncluded)
    }

    static func dogs() throws -> Results<YardDog> {
        try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "asking")).objects(YardDog.self)
    }
}
#endif
