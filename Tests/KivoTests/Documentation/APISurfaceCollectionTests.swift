import Dispatch
import Foundation
import Kivo
import XCTest

/// Applications' code for collections compiles as they write it. Blocks 11 to 17 of the description of the interface.
final class APISurfaceCollectionTests: RealmTestCase {
    private func added() throws -> (realm: Realm, thing: SurfaceThing) {
        let realm = try openRealm()
        let thing = SurfaceThing(value: [
            "name": "a", "numbers": [3, 1], "words": ["x", "y"], "counts": ["one": 1],
            "things": [["name": "c", "number": 5], ["name": "b", "number": 6]],
            "named": ["b": ["name": "b"]],
        ])
        try realm.write { realm.add(thing) }
        return (realm, thing)
    }

    /// Checks the members that every collection of objects has.
    private func check<C: RealmCollection>(_ things: C) throws where C.Element == SurfaceThing {
        XCTAssertNotNil(things.realm)
        XCTAssertFalse(things.isInvalidated)
        XCTAssertFalse(things.isEmpty)
        XCTAssertEqual(things.count, 2)
        XCTAssertEqual(things.first?.name, "c")
        XCTAssertEqual(things.last?.name, "b")
        XCTAssertEqual(things.startIndex..<things.endIndex, 0..<2)
        XCTAssertEqual(things[0..<1].count, 1)
        XCTAssertFalse(things.description.isEmpty)
        XCTAssertEqual(things.index(of: things[1]), 1)
        XCTAssertEqual(things.index(matching: { $0.name == "b" }), 1)
        XCTAssertEqual(things.index(matching: "name == %@", "b"), 1)
        let filtered: Results<SurfaceThing> = things.filter("number > %@", 5)
        XCTAssertEqual(filtered.count, 1)
        let found: Results<SurfaceThing> = things.where { $0.number > 5 && $0.name == "b" }
        XCTAssertEqual(found.count, 1)
        XCTAssertEqual(things.sorted(byKeyPath: "name").first?.name, "b")
        XCTAssertEqual(things.sorted(byKeyPath: "name", ascending: false).first?.name, "c")
        XCTAssertEqual(things.sorted(by: \.name, ascending: true).first?.name, "b")
        XCTAssertEqual(things.sorted(by: \.name).first?.name, "b")
        XCTAssertEqual(things.sorted(by: [SortDescriptor(keyPath: "name")]).first?.name, "b")
        XCTAssertEqual(things.distinct(by: ["name"]).count, 2)
        XCTAssertEqual(things.distinct(by: [\SurfaceThing.flag]).count, 1)
        let smallest: Int? = things.min(ofProperty: "number")
        let largest: Int? = things.max(of: \.number)
        let sum: Int = things.sum(ofProperty: "number")
        let average: Double? = things.average(of: \.number)
        XCTAssertEqual([smallest, largest, sum], [5, 6, 11])
        XCTAssertEqual(average, things.average(ofProperty: "number"))
        XCTAssertEqual(things.min(of: \.number), 5)
        XCTAssertEqual(things.sum(of: \.number), 11)
        let numbers = things.value(forKey: "number")
        XCTAssertEqual((numbers as? [Int]) ?? (numbers as? Set<Int>)?.sorted(), [5, 6])
        for (path, value) in [("@count", 2), ("@min.number", 5), ("@max.number", 6), ("@sum.number", 11)] {
            XCTAssertEqual(things.value(forKeyPath: path) as? Int, value, path)
        }
        XCTAssertEqual(things.value(forKeyPath: "@avg.number") as? Double, 5.5)
        XCTAssertEqual((things.value(forKeyPath: "@unionOfObjects.name") as? [String])?.sorted(), ["b", "c"])
        let frozen: C = things.freeze()
        let thawed: C? = frozen.thaw()
        XCTAssertTrue(frozen.isFrozen)
        XCTAssertEqual(thawed?.count, 2)
        XCTAssertEqual(things.map(\.name), ["c", "b"])
        XCTAssertNotNil(things.first { $0.number == 6 })
        XCTAssertTrue(things.contains { $0.number == 6 })
        XCTAssertTrue(things.elementsEqual(Array(things)))
        XCTAssertEqual(things, things)
        let tokens: [NotificationToken] = [
            things.observe { _ in }, things.observe(keyPaths: ["name"]) { _ in },
            things.observe(on: DispatchQueue(label: "queue")) { _ in },
            things.observe(keyPaths: ["name"], on: nil) { (change: RealmCollectionChange<C>) in
                switch change {
                case .initial(let things): _ = things.count
                case .update(let things, let deletions, let insertions, let modifications):
                    let all: [Int] = deletions + insertions + modifications
                    _ = (things.count, all)
                case .error(let error): _ = error.localizedDescription
                }
            },
            things.observe(keyPaths: [\SurfaceThing.name]) { _ in },
        ]
        for token in tokens { token.invalidate() }
    }

    func testEveryCollectionOfObjects() throws {
        let (realm, thing) = try added()
        try check(thing.things)
        try check(realm.objects(SurfaceThing.self).where { $0.number > 0 })
        try check(AnyRealmCollection(thing.things))
        let holder = SurfaceThing()
        try realm.write {
            thing.others.insert(objectsIn: thing.things)
            realm.add(holder)
            for found in Array(thing.things) { found.things.append(holder) }
        }
        try check(thing.others)
        try check(holder.holders)
        let results: Results<SurfaceThing> = realm.objects(SurfaceThing.self)
        XCTAssertNotEqual(results, realm.objects(SurfaceThing.self), "not by content")
        try realm.write { thing.things.setValue(9, forKey: "number") }
        XCTAssertEqual(thing.things.map(\.number), [9, 9])
        let holders: LinkingObjects<SurfaceThing> = holder.holders
        XCTAssertEqual(holders.count, 2)
        _ = LinkingObjects(fromType: SurfaceThing.self, property: "things")
    }

    func testPlainValues() throws {
        let (_, thing) = try added()
        XCTAssertEqual(Array(thing.numbers.sorted(ascending: true)), [1, 3])
        XCTAssertEqual(Array(thing.numbers.sorted()), [1, 3])
        XCTAssertEqual(Array(thing.numbers.distinct()), [3, 1])
        XCTAssertEqual(thing.numbers.min(), 1)
        XCTAssertEqual(thing.numbers.max(), 3)
        XCTAssertEqual(thing.numbers.sum(), 4)
        XCTAssertEqual(thing.numbers.average(), 2)
        XCTAssertNil(thing.gaps.min())
        XCTAssertEqual(thing.gaps.sum(), 0)
        XCTAssertEqual(thing.numbers.index(of: 1), 1)
    }

    func testLists() throws {
        let (realm, thing) = try added()
        for list in [thing.numbers, List<Int>()] {
            realm.beginWrite()
            list.removeAll()
            list.append(1)
            list.append(objectsIn: [2, 3])
            list.insert(0, at: 0)
            list.insert(contentsOf: [7, 8], at: 1)
            XCTAssertEqual(Array(list), [0, 7, 8, 1, 2, 3])
            list.remove(at: 1)
            list.removeFirst()
            list.removeLast()
            list.removeFirst(1)
            list.removeLast(1)
            XCTAssertEqual(Array(list), [1])
            list.append(objectsIn: 2..<6)
            list.removeSubrange(1..<2)
            list.removeSubrange(1...1)
            list.replace(index: 0, object: 9)
            list[1] = 8
            list.replaceSubrange(0..<1, with: [5, 6])
            XCTAssertEqual(Array(list), [5, 6, 8, 5])
            list.move(from: 0, to: 3)
            list.swapAt(0, 1)
            XCTAssertEqual(Array(list), [8, 6, 5, 5])
            list.move(fromOffsets: IndexSet([0, 1]), toOffset: 3)
            XCTAssertEqual(Array(list), [5, 8, 6, 5])
            list.remove(atOffsets: IndexSet([0, 3]))
            XCTAssertEqual(Array(list), [8, 6])
            try realm.commitWrite()
        }
        let (a, b) = (List<Int>(), List<Int>())
        XCTAssertEqual(a, b)
        XCTAssertNotEqual(thing.numbers, a)
        XCTAssertFalse(thing.numbers.isInvalidated)
    }

    /// The offsets have the meaning that lists in user interfaces give them.
    func testMovesOfOffsetsAreThoseOfAnArray() throws {
        let (realm, thing) = try added()
        for count in 0...5 {
            for bits in 0..<(1 << count) {
                let offsets = IndexSet((0..<count).filter { bits >> $0 & 1 == 1 })
                for destination in 0...count {
                    let moved = offsets.map { $0 }
                    let rest = (0..<count).filter { !offsets.contains($0) }
                    let before = rest.filter { $0 < destination }
                    let expected = before + moved + rest.filter { $0 >= destination }
                    try realm.write {
                        thing.numbers.removeAll()
                        thing.numbers.append(objectsIn: 0..<count)
                        thing.numbers.move(fromOffsets: offsets, toOffset: destination)
                    }
                    XCTAssertEqual(Array(thing.numbers), expected, "\(moved) to \(destination) of \(count)")
                }
            }
        }
    }

    func testSets() throws {
        let (realm, thing) = try added()
        let other = SurfaceThing(value: ["words": ["y", "z"]])
        try realm.write { realm.add(other) }
        realm.beginWrite()
        thing.words.insert("w")
        thing.words.insert(objectsIn: ["v", "w"])
        thing.words.remove("v")
        XCTAssertTrue(thing.words.contains("w"))
        XCTAssertFalse(thing.words.isSubset(of: other.words))
        XCTAssertTrue(thing.words.intersects(other.words))
        thing.words.formUnion(other.words)
        XCTAssertEqual(Set(thing.words), ["w", "x", "y", "z"])
        thing.words.subtract(other.words)
        thing.words.formIntersection(other.words)
        XCTAssertTrue(thing.words.isEmpty)
        other.words.removeAll()
        try realm.commitWrite()
        let set = MutableSet<Int>()
        set.insert(1)
        XCTAssertEqual(set.count, 1)
    }

    func testMaps() throws {
        let (realm, thing) = try added()
        let map: Map<String, Int> = thing.counts
        realm.beginWrite()
        map["two"] = 2
        map["one"] = nil
        map.updateValue(3, forKey: "three")
        map.removeObject(for: "two")
        map.merge([(key: "three", value: 4), (key: "four", value: 4)]) { $0 + $1 }
        XCTAssertEqual(map.keys, ["four", "three"])
        XCTAssertEqual(map.values, [4, 7])
        XCTAssertEqual(map.count, 2)
        XCTAssertTrue(map.contains { $0.key == "four" && $0.value == 4 })
        XCTAssertEqual(map.asKeyValueSequence().map { $0.key }, ["four", "three"])
        thing.named["nobody"] = .some(nil)
        XCTAssertEqual(thing.named.count, 2)
        for entry in map { XCTAssertEqual(map[entry.key], entry.value) }
        try realm.commitWrite()
        XCTAssertEqual([map.min(), map.max(), map.sum()], [4, 7, 11])
        XCTAssertEqual(map.average(), 5.5)
        XCTAssertEqual(thing.named.where { $0.name == "b" }.count, 1)
        XCTAssertEqual(thing.named.filter("name == %@", "b").count, 1)
        XCTAssertEqual(map.value(forKey: "four") as? Int, 4)
        XCTAssertEqual(map.value(forKeyPath: "@sum.self") as? Int, 11)
        try realm.write { map.setValue(5, forKey: "four") }
        var told: [String] = []
        let token: NotificationToken = map.observe { (change: RealmMapChange<Map<String, Int>>) in
            switch change {
            case .initial(let map): told.append("\(map.count)")
            case .update(_, let deletions, let insertions, let modifications):
                let all: [[String]] = [deletions, insertions, modifications]
                told.append("\(all)")
            case .error(let error): told.append("\(error)")
            }
        }
        let filtered = thing.named.observe(keyPaths: ["name"], on: nil) { _ in }
        wait("the initial call") { told == ["2"] }
        try realm.write { map["five"] = 5 }
        wait("the update") { told.count == 2 }
        XCTAssertEqual(told.last, "\([[], ["five"], []] as [[String]])")
        token.invalidate()
        filtered.invalidate()
        let frozen: Map<String, Int> = map.freeze()
        XCTAssertTrue(frozen.isFrozen)
        XCTAssertEqual(frozen.thaw(), map)
        XCTAssertEqual(map.realm, realm)
        XCTAssertFalse(map.isInvalidated)
        XCTAssertFalse(map.description.isEmpty)
        try realm.write { map.removeAll() }
        XCTAssertEqual(frozen.count, 3)
        _ = Map<String, Int>()
    }

    func testMarkers() {
        func extreme<T: MinMaxType>(_ type: T.Type) {}
        func addable<T: AddableType>(_ type: T.Type) {}
        func sortable<T: SortableType>(_ type: T.Type) {}
        func byKeyPath<T: KeypathSortable>(_ type: T.Type) {}
        extreme(Int.self)
        extreme(Date.self)
        extreme(Double?.self)
        extreme(Decimal128.self)
        addable(Int8.self)
        addable(Float.self)
        addable(Decimal128?.self)
        sortable(String.self)
        sortable(ObjectId.self)
        sortable(UUID.self)
        byKeyPath(Bool.self)
        byKeyPath(Date?.self)
    }
}
