import Foundation
import Kivo
import XCTest

/// Live arrays and sets, and what they stand for.
final class MutableProxyOwnerTests: RealmTestCase {
    // MARK: Liveness

    func testProxiesSeeWhatBecomesOfTheKey() throws {
        try onBothKinds({ Shelf() }) { shelf in
            let (list, array) = (
                shelf.mutableArrayValue(forKey: "list"), shelf.mutableArrayValue(forKey: "array")
            )
            let (set, members) = (
                shelf.mutableSetValue(forKey: "set"), shelf.mutableSetValue(forKey: "members")
            )
            shelf.list.append(objectsIn: [1, 2])
            shelf.array = [3, 4, 5]
            shelf.set.insert(6)
            shelf.members = [7, 8]
            XCTAssertEqual(list.count, 2)
            XCTAssertEqual(array as? [Int], [3, 4, 5])
            XCTAssertTrue(set.contains(6))
            XCTAssertEqual(members.count, 2)
            list.add(9)
            shelf.list = List(of: 4)
            list.add(5)
            XCTAssertEqual(Array(shelf.list), [4, 5])
            array.removeLastObject()
            shelf.array.append(0)
            XCTAssertEqual(shelf.array, [3, 4, 0])
            XCTAssertEqual(array.lastObject as? Int, 0)
            members.remove(7)
            shelf.members.insert(1)
            XCTAssertEqual(members.allObjects.compactMap { $0 as? Int }.sorted(), [1, 8])
            XCTAssertEqual(shelf.members, [1, 8])
        }
    }

    func testAddingTheOwnerToARealm() throws {
        let realm = try openRealm()
        let shelf = Shelf()
        let (list, set) = (shelf.mutableArrayValue(forKey: "list"), shelf.mutableSetValue(forKey: "set"))
        list.add(1)
        set.add(2)
        try realm.write {
            realm.add(shelf)
            list.add(3)
            set.add(4)
        }
        XCTAssertEqual(Array(realm.objects(Shelf.self)[0].list), [1, 3])
        XCTAssertEqual(Array(realm.objects(Shelf.self)[0].set), [2, 4])
        try writeElsewhere { $0.objects(Shelf.self)[0].list.append(5) }
        realm.refresh()
        XCTAssertEqual(list as? [Int], [1, 3, 5])
    }

    func testPathsAreFollowedOnce() throws {
        try onBothKinds({ Shelf(value: ["next": ["name": "a"]]) }) { shelf in
            let first = try XCTUnwrap(shelf.next)
            let proxies = ["list", "array", "maybeArray"].map {
                shelf.mutableArrayValue(forKeyPath: "next.\($0)")
            }
            let sets = ["set", "members"].map { shelf.mutableSetValue(forKeyPath: "next.\($0)") }
            for proxy in proxies { proxy.add(1) }
            for set in sets { set.add(1) }
            XCTAssertEqual(Array(first.list), [1])
            XCTAssertEqual(Array(first.set), [1])
            shelf.next = Shelf(value: ["name": "b"])
            for proxy in proxies { proxy.add(2) }
            XCTAssertEqual(Array(first.list), [1, 2])
            XCTAssertEqual(shelf.next?.list.count, 0)
        }
    }

    func testPathsToIgnoredPropertiesOfAnUnmanagedObject() {
        let shelf = Shelf(value: ["next": Shelf()])
        shelf.mutableArrayValue(forKeyPath: "next.maybeArray").add(1)
        shelf.mutableSetValue(forKeyPath: "next.maybeMembers").add(2)
        XCTAssertEqual(shelf.next?.maybeArray, [1])
        XCTAssertEqual(shelf.next?.maybeMembers, [2])
    }

    func testNilBecomesACollection() throws {
        try onBothKinds({ Shelf() }) { shelf in
            let array = shelf.mutableArrayValue(forKey: "maybeArray")
            let set = shelf.mutableSetValue(forKey: "maybeMembers")
            XCTAssertEqual(array.count + set.count, 0)
            XCTAssertNil(shelf.maybeArray, "reading makes nothing")
            array.add(1)
            set.add(2)
            XCTAssertEqual(shelf.maybeArray, [1])
            XCTAssertEqual(shelf.maybeMembers, [2])
            for key in ["maybeLive", "maybeOwnList"] {
                let proxy = shelf.mutableArrayValue(forKey: key)
                XCTAssertEqual(proxy.count, 0)
                XCTAssertNil(shelf.value(forKey: key))
                proxy.add(1)
                XCTAssertEqual(proxy as? [Int], [1])
            }
            for key in ["maybeLiveSet", "maybeOwnSet"] {
                let proxy = shelf.mutableSetValue(forKey: key)
                XCTAssertNil(shelf.value(forKey: key))
                proxy.add(2)
                XCTAssertEqual(proxy.allObjects as? [Int], [2])
            }
            XCTAssertEqual(shelf.maybeLive as? [Int], [1])
            XCTAssertEqual(shelf.maybeOwnList.map { Array($0) }, [1])
            XCTAssertEqual(shelf.maybeLiveSet?.count, 1)
            XCTAssertEqual(shelf.maybeOwnSet.map { Array($0) }, [2])
            shelf.maybeArray = nil
            XCTAssertEqual(array.count, 0)
            array.setArray([4])
            XCTAssertEqual(shelf.maybeArray, [4])
        }
    }

    func testAProxyKeepsItsOwner() {
        var shelf: Shelf? = Shelf()
        weak let gone = shelf
        var proxy: NSMutableArray? = shelf?.mutableArrayValue(forKey: "list")
        shelf = nil
        proxy?.add(1)
        XCTAssertEqual(gone?.list.count, 1)
        proxy = nil
        XCTAssertNil(gone)
    }

    // MARK: Elements

    func testElementsAreConverted() throws {
        try onBothKinds({ Shelf() }) { shelf in
            let list = shelf.mutableArrayValue(forKey: "list")
            list.addObjects(from: [1.0, NSNumber(value: 2), Int8(3)])
            XCTAssertEqual(Array(shelf.list), [1, 2, 3])
            list.setArray([Int8(4)])
            XCTAssertEqual(Array(shelf.list), [4])
            let gaps = shelf.mutableArrayValue(forKey: "gaps")
            gaps.addObjects(from: [NSNull(), 5])
            gaps.replaceObject(at: 1, with: NSNull())
            XCTAssertEqual(Array(shelf.gaps), [nil, nil])
            let set = shelf.mutableSetValue(forKey: "set")
            set.addObjects(from: [1.0, NSNumber(value: 2), Int8(2)])
            XCTAssertEqual(Set(shelf.set), [1, 2])
            set.remove(NSNumber(value: 1))
            XCTAssertEqual(Array(shelf.set), [2])
        }
    }

    func testNilElementsAreRead() throws {
        try onBothKinds({ Shelf() }) { shelf in
            shelf.gaps.append(objectsIn: [nil, 1])
            let gaps = shelf.mutableArrayValue(forKey: "gaps")
            XCTAssertTrue(gaps[0] is NSNull, "null stands for nil")
            XCTAssertEqual(gaps[1] as? Int, 1)
        }
    }

    func testListsOfObjects() throws {
        try onBothKinds({ Shelf() }) { shelf in
            let proxy = shelf.mutableArrayValue(forKey: "dogs")
            let dogs = (0..<4).map { Dog(value: ["name": "d\($0)"]) }
            proxy.addObjects(from: dogs)
            proxy.exchangeObject(at: 0, withObjectAt: 3)
            XCTAssertEqual(shelf.dogs.map(\.name), ["d3", "d1", "d2", "d0"])
            proxy.remove(dogs[1])
            XCTAssertEqual(shelf.dogs.map(\.name), ["d3", "d2", "d0"])
            let recorder = observe(shelf, "dogs", [.old])
            proxy.setArray([dogs[2], dogs[2]])
            XCTAssertEqual(told(recorder), ["dogs 1 old [d3, d2, d0]"])
            shelf.removeObserver(recorder, forKeyPath: "dogs")
            XCTAssertEqual(shelf.dogs.map(\.name), ["d2", "d2"])
        }
    }

    func testObjectsAreFoundByRow() throws {
        try onBothKinds({ Shelf() }) { shelf in
            let proxy = shelf.mutableArrayValue(forKey: "dogs")
            let dogs = (0..<2).map { Dog(value: ["name": "d\($0)"]) }
            proxy.addObjects(from: dogs)
            XCTAssertTrue(proxy.contains(dogs[1]))
            XCTAssertEqual(proxy.index(of: dogs[1]), 1)
            proxy.removeObjects(in: [dogs[0]])
            XCTAssertEqual(shelf.dogs.map(\.name), ["d1"])
        }
    }

    func testSetsOfObjects() throws {
        try onBothKinds({ Shelf() }) { shelf in
            let proxy = shelf.mutableSetValue(forKey: "dogSet")
            let dogs = (0..<3).map { Dog(value: ["age": $0]) }
            func ages() -> [Int] { shelf.dogSet.map(\.age).sorted() }
            proxy.addObjects(from: dogs)
            XCTAssertEqual(ages(), [0, 1, 2])
            proxy.add(dogs[0])
            XCTAssertEqual(ages(), [0, 1, 2])
            XCTAssertTrue(proxy.contains(dogs[1]), "found by row")
            proxy.remove(dogs[1])
            XCTAssertEqual(ages(), [0, 2])
            proxy.intersect([dogs[0], dogs[1]])
            XCTAssertEqual(ages(), [0])
            proxy.setSet([dogs[1], dogs[2]])
            XCTAssertEqual(ages(), [1, 2])
            proxy.removeAllObjects()
            XCTAssertEqual(ages(), [])
        }
    }

    // MARK: Dictionaries

    func testEntriesOfDictionaries() {
        let dictionary = NSMutableDictionary()
        let proxy = dictionary.mutableArrayValue(forKey: "a")
        XCTAssertEqual(proxy.count, 0)
        XCTAssertNil(dictionary["a"])
        proxy.addObjects(from: [1, 2])
        XCTAssertEqual(dictionary["a"] as? [Int], [1, 2], "a missing entry is made")
        dictionary["a"] = [5]
        XCTAssertEqual(proxy.count, 1)
        proxy.insert(4, at: 0)
        proxy.replaceObject(at: 1, with: 6)
        XCTAssertEqual(dictionary["a"] as? [Int], [4, 6])
        let shelf = Shelf()
        dictionary["shelf"] = shelf
        let recorder = observe(shelf, "list")
        dictionary.mutableArrayValue(forKeyPath: "shelf.list").add(1)
        XCTAssertEqual(told(recorder), ["list 2 new [1] at [0]"])
        shelf.mutableArrayValue(forKeyPath: "entries.b").add("x")
        XCTAssertEqual(shelf.entries["b"] as? [String], ["x"])
        XCTAssertEqual(shelf.value(forKeyPath: "entries.b.@count") as? Int, 1)
        shelf.setValue(3, forKeyPath: "entries.c")
        XCTAssertEqual(shelf.entries["c"] as? Int, 3)
        XCTAssertEqual(
            NSDictionary(object: [1, 2], forKey: "a" as NSString).mutableArrayValue(forKey: "a").count, 2)
        shelf.removeObserver(recorder, forKeyPath: "list")
    }
}
