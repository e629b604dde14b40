import Foundation
import Kivo
import XCTest

// `XCTestCase` belongs to no actor.
nonisolated final class MainActorTests: XCTestCase {
    @MainActor func testModels() async throws {
        let classes = [Owner.self, Dog.self, Collar.self, Ticket.self] as [ObjectBase.Type]
        let realm = try await Realm(
            configuration: .init(inMemoryIdentifier: "kennel", objectTypes: classes))
        let kennel = KennelModel(realm)
        try realm.write {
            realm.add(Dog(name: "Rex", age: 11))
            realm.create(Ticket.self, value: [1, "first"])
        }
        realm.refresh()
        XCTAssertEqual(kennel.names, ["Rex"])
        XCTAssertEqual(realm.object(ofType: Ticket.self, forPrimaryKey: 1)?.text, "first")
        let dog = try XCTUnwrap(realm.objects(Dog.self).where { $0.name == "Rex" }.first)
        var seen: [Bool] = []
        let token = dog.observe(\.isOld, options: .new) { seen.append($1.newValue!) }
        try realm.write { dog.age = 3 }
        XCTAssertEqual(seen, [false])
        XCTAssertEqual(realm.objects(DogCard.self).first?.name, "Rex")
        token.invalidate()
    }

    @MainActor func testClassesOfTheMainActor() async {
        let (meter, panel) = (Meter(), Panel())
        var values: [Double] = []
        let token = meter.observe(\.fahrenheit, options: .new) { values.append($1.newValue!) }
        meter.addObserver(panel, forKeyPath: "celsius", options: [.new])
        meter.setValue(10, forKey: "celsius")
        meter.celsius = 20
        XCTAssertEqual(values, [50, 68])
        XCTAssertEqual(panel.seen, ["celsius", "celsius"])
        meter.removeObserver(panel, forKeyPath: "celsius")
        token.invalidate()
        let invoice = Invoice()
        invoice.addObserver(panel, forKeyPath: "total", options: [])
        invoice.mutableArrayValue(forKey: "prices").add(5)
        XCTAssertEqual(panel.seen.last, "total")
        XCTAssertEqual(invoice.total, 5)
        invoice.removeObserver(panel, forKeyPath: "total")
    }

    func testOperations() {
        let operations = [Sum(), Fetch(), Upload()]
        OperationQueue().addOperations(operations, waitUntilFinished: true)
        XCTAssertTrue(operations.allSatisfy(\.isFinished))
        XCTAssertEqual((operations[0] as? Sum)?.result, 3)
    }
}
