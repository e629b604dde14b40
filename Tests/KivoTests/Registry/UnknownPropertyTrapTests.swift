#if compiler(>=6.2)
import Foundation
import Kivo
import Testing

class LabelledParcel: Object {
    @Persisted var weight = 0
    @Persisted var receiver = ""
    @Persisted var next: LabelledParcel?
    @Ignored var scratch = 0
    var label = ""
    lazy var price = weight * 2
}

private func parcels() throws -> Results<LabelledParcel> {
    try Realm(configuration: .init(inMemoryIdentifier: "parcels")).objects(LabelledParcel.self)
}

/// Names of properties that a class does not persist, or that are misspelt.
struct UnknownPropertyTrapTests {
    @Test func propertiesThatAreNotPersisted() async throws {
        let words = ["in class 'LabelledParcel'", "It is declared there, but is not '@Persisted'."]
        let plain = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try parcels().filter("label == 'x'").count
        }
        try check(plain, says: ["'label'"] + words)
        let lazy = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try parcels().filter("price == 1").count
        }
        try check(lazy, says: ["'price'"] + words)
        let ignored = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try parcels().filter("scratch == 1").count
        }
        try check(ignored, says: ["'scratch'"] + words)
    }

    @Test func aPropertyBehindALink() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try parcels().sorted(byKeyPath: "next.label").count
        }
        try check(result, says: ["'next.label'", "is not '@Persisted'"])
    }

    @Test func aMisspeltName() async throws {
        let condition = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try parcels().filter("reciever == 'Ann'").count
        }
        try check(condition, says: ["'reciever'", "Did you mean 'receiver'?"])
        let subscripted = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = LabelledParcel()["weigth"]
        }
        try check(subscripted, says: ["'weigth'", "Did you mean 'weight'?"])
    }

    @Test func aNameThatResemblesNothing() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try parcels().filter("colour == 'red'").count
        }
        try check(result, says: ["'colour'", "does not exist in class 'LabelledParcel'."])
    }

    @Test func aTypedCondition() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try parcels().where { $0.label == "x" }.count
        }
        try check(result, says: ["class 'LabelledParcel'", "'String'", "which is not '@Persisted'"])
    }
}
#endif
