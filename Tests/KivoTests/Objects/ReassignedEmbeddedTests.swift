import Kivo
import XCTest

class Wheel: EmbeddedObject {
    @Persisted var size = 0
}

class Cart: Object {
    @Persisted var spare: Wheel?
    @Persisted var wheels: List<Wheel>
    @Persisted var named: Map<String, Wheel?>
}

/// Embedded objects that are assigned to the place that they have stay there, also when the file is opened again.
final class ReassignedEmbeddedTests: FileTestCase {
    private func reopened(after edit: (Cart) -> Void, _ check: (Cart) -> Void) throws {
        let values: [String: Any] = [
            "spare": ["size": 9], "wheels": [["size": 1], ["size": 2], ["size": 3]],
            "named": ["a": ["size": 4]],
        ]
        try withRealm { realm in
            let cart = try realm.write { realm.create(Cart.self, value: values) }
            try realm.write { edit(cart) }
            // The result of a following write can be read as well.
            try realm.write { cart.spare?.size = 10 }
            check(cart)
        }
        try withRealm { realm in
            let cart = try XCTUnwrap(realm.objects(Cart.self).first)
            XCTAssertEqual(cart.spare?.size, 10)
            check(cart)
        }
        try FileManager.default.removeItem(at: file)
    }

    func testInAList() throws {
        try reopened {
            $0.wheels[1] = $0.wheels[1]
        } _: {
            XCTAssertEqual($0.wheels.map(\.size), [1, 2, 3])
        }
    }

    func testInAListAfterAMove() throws {
        try reopened {
            $0.wheels.move(from: 0, to: 2)
            $0.wheels[2] = $0.wheels[2]
            $0.wheels.append(Wheel(value: ["size": 5]))
        } _: {
            XCTAssertEqual($0.wheels.map(\.size), [2, 3, 1, 5])
        }
    }

    func testInAMap() throws {
        try reopened {
            $0.named["a"] = $0.named["a"]!
            $0.named["b"] = Wheel(value: ["size": 6])
        } _: {
            XCTAssertEqual($0.named["a"]??.size, 4)
            XCTAssertEqual($0.named["b"]??.size, 6)
        }
    }

    func testAsAProperty() throws {
        try reopened {
            $0.spare = $0.spare
        } _: {
            XCTAssertNotNil($0.spare)
        }
    }
}
