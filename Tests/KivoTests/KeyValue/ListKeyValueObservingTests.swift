import Foundation
import Kivo
import XCTest

/// Lists report their changes through the property that holds them.
final class ListKeyValueObservingTests: RealmTestCase {
    func testListOperationsCarryKindsAndIndexes() throws {
        try onBothKinds({ Bag() }) { bag in
            let recorder = observe(bag, "numbers")
            func told() -> [String] {
                defer { recorder.calls = [] }
                return recorder.calls
            }
            let list = bag.numbers
            list.append(1)
            XCTAssertEqual(told(), ["numbers 2 new [1] at [0]"])
            list.append(objectsIn: [2, 3, 4])
            XCTAssertEqual(told(), ["numbers 2 new [2, 3, 4] at [1, 2, 3]"])
            list.append(objectsIn: [])
            XCTAssertEqual(told(), [])
            list.insert(0, at: 0)
            XCTAssertEqual(told(), ["numbers 2 new [0] at [0]"])
            list[1] = 9
            XCTAssertEqual(told(), ["numbers 4 old [1] new [9] at [1]"])
            list.swapAt(0, 2)
            XCTAssertEqual(told(), ["numbers 4 old [0, 2] new [2, 0] at [0, 2]"])
            list.move(from: 0, to: 2)
            XCTAssertEqual(told(), ["numbers 4 old [2, 9, 0] new [9, 0, 2] at [0, 1, 2]"])
            list.remove(atOffsets: [0, 2])
            XCTAssertEqual(told(), ["numbers 3 old [9, 2] at [0, 2]"])
            list.removeLast()
            XCTAssertEqual(told(), ["numbers 3 old [4] at [2]"])
            bag["numbers"] = [5, 6]
            XCTAssertEqual(told(), ["numbers 3 old [0, 3] at [0, 1]", "numbers 2 new [5, 6] at [0, 1]"])
            bag.numbers = List(of: 7)
            XCTAssertEqual(told(), ["numbers 3 old [5, 6] at [0, 1]", "numbers 2 new [7] at [0]"])
            bag.numbers = bag.numbers
            XCTAssertEqual(told(), ["numbers 1 old [7] new [7]"], "nothing came and nothing went")
            bag.numbers.removeAll()
            XCTAssertEqual(told(), ["numbers 3 old [7] at [0]"])
            bag.numbers.removeAll()
            XCTAssertEqual(told(), [])
            bag.removeObserver(recorder, forKeyPath: "numbers")
        }
    }

    func testSetsAndMapsArePlainSettings() throws {
        try onBothKinds({ Bag() }) { bag in
            let set = observe(bag, "numberSet", [.new])
            let map = observe(bag, "counts", [.new])
            bag.numberSet.insert(3)
            bag.counts["a"] = 1
            bag.numberSet.removeAll()
            XCTAssertEqual(set.calls, ["numberSet 1 new [3]", "numberSet 1 new []"])
            XCTAssertEqual(map.calls, ["counts 1 new [\"a\": 1]"])
            bag.removeObserver(set, forKeyPath: "numberSet")
            bag.removeObserver(map, forKeyPath: "counts")
        }
    }

    func testListsChangedElsewhere() throws {
        let realm = try openRealm()
        let bag = Bag(value: ["numbers": [0, 1, 2, 3]])
        try realm.write { realm.add(bag) }
        let recorder = observe(bag, "numbers")
        func told(_ edit: @escaping @Sendable (List<Int>) -> Void) throws -> [String] {
            try realm.write { bag.numbers = List(of: 0, 1, 2, 3) }
            recorder.calls = []
            try writeElsewhere { edit($0.objects(Bag.self)[0].numbers) }
            realm.refresh()
            return recorder.calls
        }
        XCTAssertEqual(try told { $0.append(4) }, ["numbers 2 new [4] at [4]"])
        XCTAssertEqual(
            try told { list in
                list.insert(7, at: 0)
                list.append(8)
            }, ["numbers 2 new [7, 8] at [0, 5]"])
        XCTAssertEqual(try told { $0.remove(atOffsets: [0, 2]) }, ["numbers 3 old [0, 2] at [0, 2]"])
        XCTAssertEqual(try told { $0[1] = 5 }, ["numbers 4 old [1] new [5] at [1]"])
        XCTAssertEqual(
            try told { list in
                list.append(5)
                list[4] = 6
            }, ["numbers 2 new [6] at [4]"])
        XCTAssertEqual(
            try told { list in
                list.append(5)
                list.removeAll()
            }, ["numbers 3 old [0, 1, 2, 3] at [0, 1, 2, 3]"])
        XCTAssertEqual(
            try told { list in
                list.append(5)
                list.remove(at: 0)
            }, ["numbers 1 old [0, 1, 2, 3] new [1, 2, 3, 5]"])
        XCTAssertEqual(
            try told { list in
                list.move(from: 0, to: 2)
                list.move(from: 2, to: 0)
            }, [], "moves that cancel out")
        bag.removeObserver(recorder, forKeyPath: "numbers")
    }

    func testListsTellOfTheirOwnEnd() throws {
        let realm = try openRealm()
        let bag = Bag()
        try realm.write { realm.add(bag) }
        let recorder = ValueRecorder()
        let list = bag.numbers
        list.addObserver(recorder, forKeyPath: "isInvalidated", options: [.old, .new])
        try realm.write { list.append(1) }
        XCTAssertEqual(recorder.calls, [])
        try realm.write { realm.delete(bag) }
        XCTAssertEqual(recorder.calls, ["isInvalidated 1 old false new true"])
    }
}

extension List {
    /// An unmanaged list of some elements.
    convenience init(of elements: Element...) {
        self.init()
        append(objectsIn: elements)
    }
}
