#if !canImport(ObjectiveC)
import Foundation
import Kivo
import KivoTesting
import XCTest

final class KeyValueExpectationTests: FailureCatchingTestCase {
    /// The object that a test leaves observed.
    private weak var leftObserved: Dog?

    override func tearDown() {
        XCTAssertNil(leftObserved, "the observation keeps its object beyond the end of the test")
        super.tearDown()
    }

    /// Whether an expectation is fulfilled, without waiting for it. To be asked once: waiting twice is an error.
    private func isFulfilled(_ expectation: XCTestExpectation) -> Bool {
        XCTWaiter().wait(for: [expectation], timeout: 0.001) == .completed
    }

    /// Adding an object that is observed traps.
    private func checkIsNotObserved(_ object: Object) throws {
        let realm = try openRealm()
        try realm.write { realm.add(object) }
    }

    // MARK: Values

    func testTheFirstChangeFulfills() throws {
        try onBothKinds({ Dog(value: ["age": 1]) }) { dog in
            let byValue = keyValueObservingExpectation(for: dog, keyPath: "age", expectedValue: nil)
            let byHandler = keyValueObservingExpectation(for: dog, keyPath: "age")
            let other = keyValueObservingExpectation(for: dog, keyPath: "name", expectedValue: nil)
            dog.age = 1
            wait(for: [byValue, byHandler], timeout: 120)
            XCTAssertFalse(isFulfilled(other))
        }
    }

    func testNothingFulfillsWithoutAChange() {
        let dog = Dog()
        let expectation = keyValueObservingExpectation(for: dog, keyPath: "age", expectedValue: nil)
        XCTAssertFalse(isFulfilled(expectation))
    }

    func testAnExpectedValueFulfills() throws {
        let dog = Dog(value: ["age": 1])
        let expectation = keyValueObservingExpectation(for: dog, keyPath: "age", expectedValue: 3)
        expectation.assertForOverFulfill = true
        dog.age = 2
        dog.age = 3
        dog.age = 4
        dog.age = 3
        wait(for: [expectation], timeout: 120)
        try checkIsNotObserved(dog)
    }

    func testOtherValuesDoNotFulfill() {
        let dog = Dog(value: ["age": 1])
        let expectation = keyValueObservingExpectation(for: dog, keyPath: "age", expectedValue: 3)
        dog.age = 2
        XCTAssertFalse(isFulfilled(expectation))
    }

    func testAValueThatIsThereFulfills() throws {
        let dog = Dog(value: ["name": "Rex"])
        let expectation = keyValueObservingExpectation(for: dog, keyPath: "name", expectedValue: "Rex")
        wait(for: [expectation], timeout: 120)
        try checkIsNotObserved(dog)
    }

    func testNilIsAValue() {
        let dog = Dog(value: ["owner": Person()])
        let expectation = keyValueObservingExpectation(for: dog, keyPath: "owner", expectedValue: NSNull())
        dog.owner = Person()
        dog.owner = nil
        wait(for: [expectation], timeout: 120)
    }

    func testAPathThroughLinks() {
        let dog = Dog()
        let expectation = keyValueObservingExpectation(for: dog, keyPath: "owner.name", expectedValue: "Ann")
        dog.owner = Person(value: ["name": "Bea"])
        dog.owner?.name = "Ann"
        wait(for: [expectation], timeout: 120)
    }

    func testAListIsComparedAsAWhole() throws {
        try onBothKinds({ Bag() }) { bag in
            let whole = keyValueObservingExpectation(for: bag, keyPath: "numbers", expectedValue: [1, 2])
            let part = keyValueObservingExpectation(for: bag, keyPath: "numbers", expectedValue: [2])
            bag.numbers.append(1)
            bag.numbers.append(2)
            wait(for: [whole], timeout: 120)
            XCTAssertFalse(isFulfilled(part), "an inserted element is not the list")
        }
    }

    func testACollectionIsObservedForItsEnd() throws {
        let realm = try openRealm()
        let bag = try realm.write { realm.create(Bag.self) }
        let expectation = keyValueObservingExpectation(
            for: bag.numbers, keyPath: "isInvalidated", expectedValue: true)
        try realm.write { realm.delete(bag) }
        wait(for: [expectation], timeout: 120)
    }

    @MainActor func testAChangeMadeElsewhere() throws {
        let realm = try openRealm()
        let dog = try realm.write { realm.create(Dog.self) }
        keyValueObservingExpectation(for: dog, keyPath: "age", expectedValue: 5)
        try writeElsewhere { $0.objects(Dog.self)[0].age = 5 }
        waitForExpectations(timeout: 120)
        XCTAssertEqual(dog.age, 5)
    }

    // MARK: Handlers

    func testAHandlerIsCalledUntilItAgrees() throws {
        let dog = Dog(value: ["age": 1])
        var changes: [String] = []
        let expectation = keyValueObservingExpectation(for: dog, keyPath: "age") { object, change in
            XCTAssertTrue(object as AnyObject === dog)
            let (old, new) = (change[.oldKey] as? Int, change[.newKey] as? Int)
            changes.append("\(change[.kindKey] ?? 0): \(old ?? 0) \(new ?? 0)")
            return new == 3
        }
        for age in 2...5 { dog.age = age }
        wait(for: [expectation], timeout: 120)
        XCTAssertEqual(changes, ["1: 1 2", "1: 2 3"])
        try checkIsNotObserved(dog)
    }

    func testAHandlerThatDoesNotAgree() {
        let dog = Dog()
        let expectation = keyValueObservingExpectation(for: dog, keyPath: "age") { _, _ in false }
        dog.age = 1
        XCTAssertFalse(isFulfilled(expectation))
    }

    // MARK: Registrations

    @MainActor func testTheObservationEndsWithTheTest() {
        autoreleased {
            let dog = Dog()
            leftObserved = dog
            keyValueObservingExpectation(for: dog, keyPath: "age", expectedValue: 1).isInverted = true
        }
        XCTAssertNotNil(leftObserved, "an observed object is kept")
        waitForExpectations(timeout: 0.001)
    }

    func testFulfillingMoreThanOnce() throws {
        let dog = Dog()
        let expectations = (0..<3).map { _ in
            keyValueObservingExpectation(for: dog, keyPath: "age", expectedValue: nil)
        }
        for expectation in expectations {
            expectation.expectedFulfillmentCount = 2
            expectation.assertForOverFulfill = true
        }
        dog.age = 1
        XCTAssertFalse(isFulfilled(expectations[0]))
        dog.age = 2
        XCTAssertTrue(isFulfilled(expectations[1]))
        dog.age = 3
        XCTAssertTrue(isFulfilled(expectations[2]))
        try checkIsNotObserved(dog)
    }

    func testWhatCannotBeObservedFailsTheTest() {
        var expectations: [XCTestExpectation] = []
        let failures = failures {
            expectations.append(keyValueObservingExpectation(for: "text", keyPath: "count", expectedValue: 1))
            expectations.append(keyValueObservingExpectation(for: 3, keyPath: "count"))
            expectations.append(XCTKVOExpectation(keyPath: "count", object: 4.5))
        }
        let line = #line - 4
        XCTAssertEqual(failures.map(\.line), [line, line + 1, line + 2])
        for (failure, type) in zip(failures, ["String", "Int", "Double"]) {
            XCTAssertTrue(failure.text.contains("'count' of \(type)"), failure.text)
            XCTAssertEqual(failure.file, #filePath)
        }
        for expectation in expectations { XCTAssertFalse(isFulfilled(expectation)) }
    }

    // MARK: The class

    func testExpectationsOfTheirOwn() throws {
        let dog = Dog(value: ["age": 1])
        let change = XCTKVOExpectation(keyPath: "age", object: dog)
        let value = XCTKVOExpectation(keyPath: "age", object: dog, expectedValue: 2)
        let present = XCTKVOExpectation(keyPath: "age", object: dog, expectedValue: 1)
        XCTAssertTrue(isFulfilled(present))
        dog.age = 2
        XCTAssertTrue(isFulfilled(change))
        XCTAssertTrue(isFulfilled(value))
        try checkIsNotObserved(dog)
        XCTAssertEqual(value.keyPath, "age")
        XCTAssertEqual(value.expectedValue as? Int, 2)
        XCTAssertTrue(value.observedObject as AnyObject === dog)
        XCTAssertEqual(value.options, [.initial, .new, .old])
        XCTAssertEqual(value.expectationDescription, "Change of 'age' of Dog to 2")
    }

    func testExpectationsThatAreNotFulfilled() {
        let dog = Dog(value: ["age": 1])
        let change = XCTKVOExpectation(keyPath: "age", object: dog)
        let value = XCTKVOExpectation(keyPath: "age", object: dog, expectedValue: 2)
        let present = XCTKVOExpectation(keyPath: "age", object: dog, expectedValue: 1, options: [])
        XCTAssertFalse(isFulfilled(change))
        dog.age = 3
        XCTAssertFalse(isFulfilled(value))
        XCTAssertFalse(isFulfilled(present), "without the option, what is there does not count")
    }

    func testAHandlerReplacesTheExpectedValue() {
        let dog = Dog()
        let options: NSKeyValueObservingOptions = [.old, .prior]
        let expectation = XCTKVOExpectation(keyPath: "age", object: dog, expectedValue: 9, options: options)
        let other = XCTKVOExpectation(keyPath: "age", object: dog, expectedValue: 1, options: options)
        var changes: [[String]] = []
        expectation.handler = { _, change in
            changes.append(change.keys.map(\.rawValue).sorted())
            return dog.age == 2
        }
        other.handler = { _, _ in false }
        dog.age = 1
        dog.age = 2
        XCTAssertTrue(isFulfilled(expectation))
        XCTAssertFalse(isFulfilled(other))
        let prior = ["kind", "notificationIsPrior", "old"]
        XCTAssertEqual(changes, [prior, ["kind", "old"], prior, ["kind", "old"]])
    }

    func testTheNotificationBeforeAChangeDoesNotCount() {
        let dog = Dog(value: ["age": 1])
        let options: NSKeyValueObservingOptions = [.prior, .old]
        let change = XCTKVOExpectation(keyPath: "age", object: dog, expectedValue: nil, options: options)
        change.expectedFulfillmentCount = 2
        let value = XCTKVOExpectation(keyPath: "age", object: dog, expectedValue: 1, options: options)
        dog.age = 2
        XCTAssertFalse(isFulfilled(change), "one change is one notification")
        XCTAssertFalse(isFulfilled(value), "the old value is not the new one")
    }

    func testTheObservationEndsWithTheExpectation() throws {
        let dog = Dog()
        var expectation: XCTKVOExpectation? = XCTKVOExpectation(keyPath: "age", object: dog)
        XCTAssertFalse(isFulfilled(try XCTUnwrap(expectation)))
        expectation = nil
        try checkIsNotObserved(dog)
    }

    /// Makes sure that what `work` makes is gone afterwards.
    private func autoreleased(_ work: () -> Void) { work() }
}
#endif
