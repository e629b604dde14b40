import Foundation
import Kivo
import XCTest

/// Live arrays that stand for keys.
final class MutableProxyTests: RealmTestCase {
    private static let valueKeys = [
        "list", "array", "maybeArray", "numbers", "announced", "ownList", "maybeOwnList", "shownList",
    ]
    /// The keys of arrays that are changed in place, so that a proxy that was read before shows the current contents.
    private static let liveKeys = ["live", "maybeLive", "shownLive"]

    /// Runs a test for each kind of ordered property, unmanaged and managed, with an observer.
    private func forEachArray(
        _ keys: [String] = MutableProxyTests.valueKeys + MutableProxyTests.liveKeys,
        _ body: (NSMutableArray, () -> [String], () -> [Int]) throws -> Void
    ) throws {
        for key in keys {
            try onBothKinds({ Shelf() }) { shelf in
                let recorder = observe(shelf, key)
                let proxy = shelf.mutableArrayValue(forKey: key)
                try body(
                    proxy,
                    // Without the name, which differs.
                    { self.told(recorder).map { String($0.dropFirst(key.count + 1)) } },
                    {
                        if let list = shelf.value(forKey: key) as? List<Int> { return Array(list) }
                        return shelf.value(forKey: key) as? [Int] ?? []
                    })
                shelf.removeObserver(recorder, forKeyPath: key)
            }
        }
    }

    // MARK: Each operation

    func testInserting() throws {
        try forEachArray { proxy, told, content in
            proxy.add(1)
            XCTAssertEqual(told(), ["2 new [1] at [0]"])
            proxy.insert(0, at: 0)
            XCTAssertEqual(told(), ["2 new [0] at [0]"])
            proxy.addObjects(from: [4, 5])
            XCTAssertEqual(told(), ["2 new [4, 5] at [2, 3]"])
            proxy.insert([9, 8, 7], at: IndexSet([0, 2, 6]))
            XCTAssertEqual(told(), ["2 new [9, 8, 7] at [0, 2, 6]"])
            XCTAssertEqual(content(), [9, 0, 8, 1, 4, 5, 7])
            XCTAssertEqual(proxy as? [Int], content())
            proxy.addObjects(from: [])
            proxy.insert([], at: IndexSet())
            XCTAssertEqual(told(), [])
        }
    }

    func testRemoving() throws {
        try forEachArray { proxy, told, content in
            proxy.addObjects(from: [0, 1, 2, 3, 2, 5, 2, 7, 8, 9])
            _ = told()
            proxy.removeObject(at: 1)
            XCTAssertEqual(told(), ["3 old [1] at [1]"])
            proxy.removeLastObject()
            XCTAssertEqual(told(), ["3 old [9] at [8]"])
            proxy.remove(2)
            XCTAssertEqual(told(), ["3 old [2, 2, 2] at [1, 3, 5]"])
            XCTAssertEqual(content(), [0, 3, 5, 7, 8])
            proxy.remove(100)
            XCTAssertEqual(told(), [])
            proxy.removeObjects(at: IndexSet([0, 3]))
            XCTAssertEqual(told(), ["3 old [0, 7] at [0, 3]"])
            proxy.remove(8, in: NSRange(location: 0, length: 2))
            XCTAssertEqual(told(), [], "outside of the range")
            proxy.remove(5, in: NSRange(location: 0, length: 2))
            XCTAssertEqual(told(), ["3 old [5] at [1]"])
            proxy.addObjects(from: [6, 7])
            _ = told()
            proxy.removeObjects(in: NSRange(location: 1, length: 2))
            XCTAssertEqual(told(), ["3 old [8, 6] at [1, 2]"])
            proxy.removeAllObjects()
            XCTAssertEqual(told(), ["3 old [3, 7] at [0, 1]"])
            proxy.removeLastObject()
            proxy.removeAllObjects()
            XCTAssertEqual(told(), [], "nothing there")
            XCTAssertEqual(content(), [])
        }
    }

    func testRemovingSeveralObjectsIsOneChange() throws {
        try forEachArray { proxy, told, content in
            proxy.addObjects(from: [0, 1, 2, 1, 3])
            _ = told()
            proxy.removeObjects(in: [1, 3, 100])
            XCTAssertEqual(content(), [0, 2])
            XCTAssertEqual(told(), ["3 old [1, 1, 3] at [1, 3, 4]"])
        }
    }

    func testReplacing() throws {
        try forEachArray { proxy, told, content in
            proxy.addObjects(from: [0, 1, 2, 3])
            _ = told()
            proxy.replaceObject(at: 1, with: 9)
            XCTAssertEqual(told(), ["4 old [1] new [9] at [1]"])
            proxy[2] = 8
            XCTAssertEqual(told(), ["4 old [2] new [8] at [2]"])
            proxy.replaceObject(at: 2, with: 8)
            XCTAssertEqual(told(), ["4 old [8] new [8] at [2]"], "an equal one is a change")
            proxy.replaceObjects(at: IndexSet([0, 3]), with: [7, 6])
            XCTAssertEqual(told(), ["4 old [0, 3] new [7, 6] at [0, 3]"])
            proxy.exchangeObject(at: 3, withObjectAt: 1)
            XCTAssertEqual(told(), ["4 old [9, 6] new [6, 9] at [1, 3]"])
            XCTAssertEqual(content(), [7, 6, 8, 9])
        }
    }

    func testReplacingARange() throws {
        try forEachArray { proxy, told, content in
            proxy.addObjects(from: [0, 1, 2, 3])
            _ = told()
            proxy.replaceObjects(in: NSRange(location: 1, length: 2), withObjectsFrom: [8, 9])
            XCTAssertEqual(content(), [0, 8, 9, 3])
            XCTAssertEqual(told(), ["4 old [1, 2] new [8, 9] at [1, 2]"])
        }
    }

    func testAssigning() throws {
        try forEachArray(Self.valueKeys) { proxy, told, content in
            proxy.setArray([3, 1, 2])
            let first = told()
            XCTAssertTrue(
                ["1 old [] new [3, 1, 2]", "1 old null new [3, 1, 2]"].contains(first[0]), "\(first)")
            XCTAssertEqual(first.count, 1)
            proxy.setArray([3, 1, 2])
            XCTAssertEqual(told(), ["1 old [3, 1, 2] new [3, 1, 2]"])
            proxy.sort { ($0 as? Int ?? 0) < ($1 as? Int ?? 0) ? .orderedAscending : .orderedDescending }
            XCTAssertEqual(told(), ["1 old [3, 1, 2] new [1, 2, 3]"])
            XCTAssertEqual(content(), [1, 2, 3])
            proxy.setArray([])
            XCTAssertEqual(told(), ["1 old [1, 2, 3] new []"])
        }
    }

    func testAssigningWhatIsChangedWhereItIs() throws {
        try forEachArray(Self.liveKeys) { proxy, told, content in
            proxy.setArray([3, 1, 2])
            XCTAssertEqual(content(), [3, 1, 2])
            XCTAssertEqual(told().count, 1)
            proxy.setArray([4])
            XCTAssertEqual(content(), [4])
            XCTAssertEqual(told().count, 1)
        }
    }

    func testWhatAClassKeepsIsChangedWhereItIs() throws {
        try onBothKinds({ Shelf() }) { shelf in
            let (list, set, live, liveSet) = (shelf.ownList, shelf.ownSet, shelf.live, shelf.liveSet)
            for key in ["ownList", "live"] {
                let proxy = shelf.mutableArrayValue(forKey: key)
                proxy.addObjects(from: [1, 2])
                proxy.setArray([5, 6])
                proxy.removeObject(at: 0)
            }
            for key in ["ownSet", "liveSet"] { shelf.mutableSetValue(forKey: key).union([7]) }
            XCTAssertTrue(shelf.ownList === list && shelf.ownSet === set)
            XCTAssertTrue(shelf.live === live && shelf.liveSet === liveSet)
            XCTAssertEqual(Array(list), [6])
            XCTAssertEqual(live as? [Int], [6])
            XCTAssertEqual(Array(set), [7])
            XCTAssertEqual(liveSet.allObjects as? [Int], [7])
        }
    }

    func testACountOfWhatAClassKeeps() throws {
        try onBothKinds({ Shelf() }) { shelf in
            for key in ["ownList", "shownList", "live", "shownLive"] {
                let recorder = observe(shelf, "\(key).@count")
                let count = shelf.mutableArrayValue(forKey: key).count
                shelf.mutableArrayValue(forKey: key).addObjects(from: [1, 2])
                XCTAssertEqual(told(recorder), ["\(key).@count 1 old \(count) new \(count + 2)"])
                shelf.removeObserver(recorder, forKeyPath: "\(key).@count")
            }
            for key in ["ownSet", "liveSet"] {
                let recorder = observe(shelf, "\(key).@count")
                shelf.mutableSetValue(forKey: key).union([1, 2])
                XCTAssertEqual(told(recorder), ["\(key).@count 1 old 0 new 2"])
                shelf.removeObserver(recorder, forKeyPath: "\(key).@count")
            }
        }
    }

    func testSortingByDescriptors() throws {
        try forEachArray { proxy, told, content in
            proxy.addObjects(from: [3, 1, 2])
            _ = told()
            proxy.sort(using: [NSSortDescriptor(keyPath: \Int.self, ascending: true)])
            XCTAssertEqual(content(), [1, 2, 3])
            XCTAssertEqual(told(), ["4 old [3, 1, 2] new [1, 2, 3] at [0, 1, 2]"])
        }
    }

    func testReading() throws {
        try forEachArray { proxy, _, _ in
            XCTAssertEqual(proxy.count, 0)
            proxy.addObjects(from: [4, 5, 6])
            XCTAssertEqual(proxy.count, 3)
            XCTAssertEqual(proxy[1] as? Int, 5)
            XCTAssertEqual(proxy.lastObject as? Int, 6)
            XCTAssertEqual(proxy.index(of: 6), 2)
            XCTAssertTrue(proxy.contains(4))
            XCTAssertEqual(proxy.map { $0 as? Int }, [4, 5, 6])
            XCTAssertEqual(proxy.value(forKeyPath: "@max.self") as? Int, 6)
            XCTAssertEqual((proxy.copy() as? NSArray)?.count, 3)
        }
    }

    // MARK: One notification each

    func testPriors() throws {
        for key in ["list", "array", "numbers", "announced"] {
            try onBothKinds({ Shelf() }) { shelf in
                let recorder = observe(shelf, key, [.prior, .old, .new])
                let proxy = shelf.mutableArrayValue(forKey: key)
                proxy.add(1)
                XCTAssertEqual(told(recorder), ["\(key) 2 at [0] prior", "\(key) 2 new [1] at [0]"])
                proxy.removeObject(at: 0)
                XCTAssertEqual(told(recorder), ["\(key) 3 old [1] at [0] prior", "\(key) 3 old [1] at [0]"])
                shelf.removeObserver(recorder, forKeyPath: key)
            }
        }
    }

    func testASetterIsCalledOncePerOperation() {
        let shelf = Shelf()
        let proxy = shelf.mutableArrayValue(forKey: "numbers")
        proxy.addObjects(from: [1, 2, 3])
        proxy.removeObjects(at: IndexSet([0, 2]))
        proxy.exchangeObject(at: 0, withObjectAt: 0)
        XCTAssertEqual(shelf.setterCalls, 2)
        shelf.mutableSetValue(forKey: "labels").union([1, 2])
        XCTAssertEqual(shelf.setterCalls, 3)
    }

    func testAKeyThatDependsOnWhatItsSetterChanges() throws {
        try onBothKinds({ Shelf() }) { shelf in
            let (derived, base) = (observe(shelf, "derived"), observe(shelf, "array"))
            shelf.mutableArrayValue(forKey: "derived").add(1)
            XCTAssertEqual(shelf.array, [1])
            XCTAssertEqual(told(base), ["array 1 old [] new [1]"])
            XCTAssertEqual(told(derived), ["derived 2 new [1] at [0]"])
            shelf.removeObserver(derived, forKeyPath: "derived")
            shelf.removeObserver(base, forKeyPath: "array")
        }
    }

    func testDependentsOfTheKeyAreTold() throws {
        try onBothKinds({ Shelf() }) { shelf in
            let derived = observe(shelf, "derived")
            shelf.mutableArrayValue(forKey: "array").add(1)
            XCTAssertEqual(told(derived), ["derived 1 old [] new [1]"])
            shelf.removeObserver(derived, forKeyPath: "derived")
        }
    }

    func testKeysThatAreNotToldOf() throws {
        try onBothKinds({ Shelf() }) { shelf in
            let recorder = observe(shelf, "silent")
            let proxy = shelf.mutableArrayValue(forKey: "silent")
            proxy.add(1)
            XCTAssertEqual(told(recorder), [])
            XCTAssertEqual(shelf.silent, [1])
            shelf.willChange(.insertion, valuesAt: [1], forKey: "silent")
            proxy.add(2)
            shelf.didChange(.insertion, valuesAt: [1], forKey: "silent")
            XCTAssertEqual(told(recorder), ["silent 2 new [2] at [1]"])
            shelf.removeObserver(recorder, forKeyPath: "silent")
        }
    }

    func testObserversOfAPathAreTold() throws {
        try onBothKinds({ Shelf(value: ["next": Shelf()]) }) { shelf in
            let (list, count) = (observe(shelf, "next.list"), observe(shelf, "next.list.@count"))
            let proxy = shelf.mutableArrayValue(forKeyPath: "next.list")
            proxy.addObjects(from: [1, 2])
            XCTAssertEqual(told(list).count, 1)
            XCTAssertEqual(told(count), ["next.list.@count 1 old 0 new 2"])
            proxy.removeObject(at: 0)
            XCTAssertEqual(told(list).count, 1)
            XCTAssertEqual(told(count), ["next.list.@count 1 old 2 new 1"])
            shelf.removeObserver(list, forKeyPath: "next.list")
            shelf.removeObserver(count, forKeyPath: "next.list.@count")
        }
    }

    func testOtherAccessorsOfTheRow() throws {
        let realm = try openRealm()
        let shelf = Shelf()
        try realm.write { realm.add(shelf) }
        let other = realm.objects(Shelf.self)[0]
        let recorder = observe(other, "list")
        try realm.write { shelf.mutableArrayValue(forKey: "list").add(1) }
        XCTAssertEqual(told(recorder), ["list 2 new [1] at [0]"])
        try realm.write { shelf.mutableArrayValue(forKey: "list").setArray([2, 3]) }
        let unobserved = told(recorder)
        let own = observe(shelf, "list")
        try realm.write { shelf.mutableArrayValue(forKey: "list").setArray([1]) }
        XCTAssertEqual(told(own), ["list 1 old [2, 3] new [1]"])
        XCTAssertEqual(told(recorder), ["list 1 old [2, 3] new [1]"], "the same as the one who did it")
        XCTAssertEqual(unobserved, ["list 1 old [1] new [2, 3]"], "whoever else observes")
        shelf.removeObserver(own, forKeyPath: "list")
        other.removeObserver(recorder, forKeyPath: "list")
    }

    // MARK: Random operations

    func testRandomOperations() throws {
        var random = RandomSource()
        try forEachArray { proxy, told, content in
            var model: [Int] = []
            for step in 0..<400 {
                let count = model.count
                let positions = (0..<count).filter { _ in random.chance(20) }
                let values = (0..<random.below(4) + 1).map { _ in random.below(5) }
                var isChange = true
                switch random.below(9) {
                case 0...1:
                    proxy.add(values[0])
                    model.append(values[0])
                case 2:
                    let start = random.below(count + 1)
                    proxy.insert(values, at: IndexSet(start..<start + values.count))
                    model.insert(contentsOf: values, at: start)
                case 3 where count > 1:
                    let (a, b) = (random.below(count), random.below(count))
                    proxy.exchangeObject(at: a, withObjectAt: b)
                    model.swapAt(a, b)
                    isChange = a != b
                case 4:
                    proxy.removeObjects(at: IndexSet(positions))
                    for position in positions.reversed() { model.remove(at: position) }
                    isChange = !positions.isEmpty
                case 5:
                    proxy.replaceObjects(at: IndexSet(positions), with: positions.map { $0 % 5 })
                    for position in positions { model[position] = position % 5 }
                    isChange = !positions.isEmpty
                case 6:
                    isChange = model.contains(values[0])
                    proxy.remove(values[0])
                    model.removeAll { $0 == values[0] }
                case 7 where random.chance(20):
                    proxy.setArray(values)
                    model = values
                default:
                    proxy.removeLastObject()
                    isChange = !model.isEmpty
                    _ = model.popLast()
                }
                XCTAssertEqual(told().count, isChange ? 1 : 0, "step \(step)")
                XCTAssertEqual(content(), model, "step \(step)")
                XCTAssertEqual(proxy.count, model.count, "step \(step)")
            }
        }
    }
}
