import Foundation
import XCTest

@testable import Kivo

/// Predicate strings as deep as they may be, on threads with a small stack.
final class DeepPredicateTests: RealmTestCase {
    /// Returns a condition of a height that means another one.
    private func alternation(_ height: Int, of condition: String = "age == 3") -> String {
        (0..<height).reduce(condition) { condition, level in
            level % 2 == 0 ? "(id == 0 AND \(condition))" : "(id == 1 OR \(condition))"
        }
    }

    /// Calls a closure with a dog of its own on a thread with a small stack.
    private func onSmallStack(_ body: @escaping @Sendable (Results<YardDog>) throws -> Void) throws {
        let realm = try openRealm()
        try realm.write {
            let dog = realm.create(YardDog.self, value: ["age": 3])
            dog.owner = realm.create(YardOwner.self, value: ["dogs": [dog]])
        }
        let (configuration, done) = (realm.configuration, expectation(description: "done"))
        let thread = Thread {
            do { try body(Realm(configuration: configuration).objects(YardDog.self)) } catch {
                XCTFail("\(error)")
            }
            done.fulfill()
        }
        thread.stackSize = Sanitizer.isPresent ? 8 << 20 : 512 << 10
        thread.start()
        wait(for: [done], timeout: 60)
    }

    func testTheHighestConditionFitsIntoASmallStack() throws {
        let format = alternation(PredicateParser.maximumHeight)
        XCTAssertNil(try? PredicateParser.parse(alternation(PredicateParser.maximumHeight + 1), []))
        try onSmallStack { dogs in
            XCTAssertEqual(dogs.filter(format).map(\.age), [3])
            XCTAssertEqual(dogs.filter(format).count, 1)
            XCTAssertEqual(dogs.filter(format.replacing("age", with: "owner.age")).count, 0)
            let unmanaged = List<YardDog>()
            unmanaged.append(YardDog(value: ["age": 3]))
            XCTAssertEqual(unmanaged.index(matching: format), 0)
        }
    }

    func testTheHighestSubqueriesFitIntoASmallStack() throws {
        var format = alternation(PredicateParser.maximumHeight - 16 * 5)
        for _ in 0..<16 {
            format = alternation(4, of: "SUBQUERY(owner.dogs, $d, \(format)).@count > 0")
        }
        XCTAssertNil(try? PredicateParser.parse("NOT \(format)", []))
        try onSmallStack { [format] dogs in XCTAssertEqual(dogs.filter(format).count, 1) }
    }

    func testTheHighestArithmeticFitsIntoASmallStack() throws {
        let height = PredicateParser.maximumHeight
        let (open, close) = (String(repeating: "1 + (", count: height), String(repeating: ")", count: height))
        try onSmallStack { dogs in
            XCTAssertEqual(
                dogs.filter("age\(String(repeating: " + 1", count: height)) == \(height + 3)").count, 1)
            XCTAssertEqual(dogs.filter("\(open)age\(close) == \(height + 3)").count, 1)
        }
    }

    /// Typed conditions that a loop joins are one chain.
    func testALongTypedChain() throws {
        let realm = try openRealm()
        try realm.write { _ = realm.create(YardDog.self, value: ["age": 3]) }
        let dogs = realm.objects(YardDog.self)
        XCTAssertEqual(dogs.where { dog in (4..<5000).reduce(dog.age == 3) { $0 || dog.age == $1 } }.count, 1)
        XCTAssertEqual(dogs.where { dog in (4..<5000).reduce(dog.age == 3) { $0 && dog.age != $1 } }.count, 1)
    }
}
