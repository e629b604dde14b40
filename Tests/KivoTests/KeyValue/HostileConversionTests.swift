import Foundation
import Kivo
import XCTest

/// Conversions of mapped types that change what is being changed: they run before the change, which is then made of what there
/// is. Best run under the address sanitizer, too.
final class HostileConversionTests: XCTestCase {
    private var realm: Realm!
    private var owner: HostileOwner!

    override func setUpWithError() throws {
        realm = try Realm(configuration: .init(inMemoryIdentifier: "hostile \(UUID())"))
        owner = try realm.write { realm.create(HostileOwner.self) }
    }

    private func values(_ list: List<HostileValue>) -> [Int] { list.map(\.number) }

    private func write(_ list: [Int], _ hostile: @escaping () -> Void, _ body: () -> Void) throws {
        try realm.write {
            owner.list.removeAll()
            owner.list.append(objectsIn: list.map { HostileValue($0) })
        }
        try realm.write { Hostile.with(hostile, body) }
    }

    /// Changes of a list of 1, 2, 3 during a conversion, each with the list's contents afterwards.
    private func disturbances() -> [(block: () -> Void, result: [Int])] {
        let list = owner.list
        return [
            ({ list.append(HostileValue(9)) }, [1, 2, 3, 9]),
            ({ list.insert(HostileValue(9), at: 0) }, [9, 1, 2, 3]),
            (
                { for _ in 0..<600 { list.append(HostileValue(9)) } },
                [1, 2, 3] + Array(repeating: 9, count: 600)
            ),
            ({ list.swapAt(0, 2) }, [3, 2, 1]),
            ({ list.replaceSubrange(0..<3, with: [4, 5, 6, 7].map { HostileValue($0) }) }, [4, 5, 6, 7]),
        ]
    }

    private func each(
        _ change: (List<HostileValue>) -> Void, _ expected: (inout [Int]) -> Void, line: UInt = #line
    ) throws {
        for place in disturbances().indices {
            let (block, result) = disturbances()[place]
            try write([1, 2, 3], block) { change(owner.list) }
            var model = result
            expected(&model)
            XCTAssertEqual(values(owner.list), model, "\(place)", line: line)
        }
    }

    func testEditsOfLists() throws {
        let new = [20, 21].map { HostileValue($0) }
        try each {
            $0.append(HostileValue(20))
        } _: {
            $0.append(20)
        }
        try each {
            $0.append(objectsIn: new)
        } _: {
            $0 += [20, 21]
        }
        try each {
            $0.insert(HostileValue(20), at: 1)
        } _: {
            $0.insert(20, at: 1)
        }
        try each {
            $0.insert(contentsOf: new, at: 2)
        } _: {
            $0.insert(contentsOf: [20, 21], at: 2)
        }
        try each {
            $0[1] = HostileValue(20)
        } _: {
            $0[1] = 20
        }
        try each {
            $0.replace(index: 2, object: HostileValue(20))
        } _: {
            $0[2] = 20
        }
    }

    func testListsThatEmptyThemselves() throws {
        let list = owner.list
        try write([1, 2, 3], { list.removeAll() }) { list.append(HostileValue(20)) }
        XCTAssertEqual(values(list), [20])
        try write([1, 2, 3], { list.removeAll() }) { list.insert(HostileValue(20), at: 0) }
        XCTAssertEqual(values(list), [20])
    }

    func testOptionalElementsAndEnums() throws {
        let (gaps, kinds) = (owner.gaps, owner.kinds)
        try realm.write {
            Hostile.with({ gaps.append(nil) }) { gaps.append(HostileValue(1)) }
            Hostile.with({ for _ in 0..<300 { kinds.append(.first) } }) { kinds.append(.second) }
        }
        XCTAssertEqual(gaps.map { $0?.number }, [nil, 1])
        XCTAssertEqual(kinds.count, 301)
        XCTAssertEqual(kinds.last, .second)
    }

    func testReadingAListThatChanges() throws {
        let list = owner.list
        try realm.write { list.append(objectsIn: (0..<500).map { HostileValue($0) }) }
        try realm.write {
            let seen = Hostile.with({ list.removeAll() }, at: .reading) { Array(list).map(\.number) }
            XCTAssertEqual(seen, Array(0..<500))
            XCTAssertEqual(list.count, 0)
        }
    }

    func testEditsOfSets() throws {
        let set = owner.set
        func numbers() -> [Int] { set.map(\.number).sorted() }
        func fill() {
            set.removeAll()
            set.insert(objectsIn: [1, 2, 3].map { HostileValue($0) })
        }
        let other = MutableSet<HostileValue>()
        other.insert(objectsIn: [2, 3, 4].map { HostileValue($0) })
        let addFirst: () -> Void = { for number in -300..<1 { set.insert(HostileValue(number)) } }
        let added = Array(-300..<1)
        try realm.write {
            fill()
            Hostile.with(addFirst) { set.insert(HostileValue(7)) }
            XCTAssertEqual(numbers(), added + [1, 2, 3, 7])
            fill()
            Hostile.with(addFirst) { set.remove(HostileValue(2)) }
            XCTAssertEqual(numbers(), added + [1, 3])
            fill()
            Hostile.with({ set.removeAll() }) { set.remove(HostileValue(2)) }
            XCTAssertEqual(numbers(), [])
            fill()
            Hostile.with(addFirst) { set.subtract(other) }
            XCTAssertEqual(numbers(), added + [1])
            fill()
            Hostile.with(addFirst) { set.formIntersection(other) }
            XCTAssertEqual(numbers(), [2, 3])
            fill()
            Hostile.with(addFirst) { set.formUnion(other) }
            XCTAssertEqual(numbers(), added + [1, 2, 3, 4])
        }
    }

    func testEditsOfMaps() throws {
        let map = owner.map
        try realm.write {
            let fill: () -> Void = { for number in 0..<300 { map["a\(number)"] = HostileValue(number) } }
            Hostile.with(fill) { map["b"] = HostileValue(1) }
            XCTAssertEqual(map.count, 301)
            Hostile.with({ map.removeAll() }) { map["b"] = HostileValue(2) }
            XCTAssertEqual(map.map { "\($0.key) \($0.value.number)" }, ["b 2"])
            Hostile.with(fill, at: .reading) { XCTAssertEqual(map["b"]?.number, 2) }
            Hostile.with({ map.removeAll() }, at: .reading) { XCTAssertEqual(map.values.count, 301) }
            XCTAssertEqual(map.count, 0)
        }
    }

    /// A store into the row of an object whose leaf moves meanwhile.
    func testProperties() throws {
        let (realm, owner) = (realm!, owner!)
        let add: () -> Void = {
            for id in 1..<600 { realm.create(HostileOwner.self, value: ["id": id], update: .modified) }
        }
        try realm.write {
            owner.one = HostileValue(1)
            Hostile.with(add) { owner.one = HostileValue(2) }
            Hostile.with({ owner.one = HostileValue(5) }) { owner.maybe = HostileValue(3) }
            Hostile.with({ owner.plain.append("x") }) { owner.kind = .second }
            Hostile.with({ owner.kind = .first }) { owner.maybeKind = .second }
            Hostile.with({ owner.one = HostileValue(6) }) { owner.setValue(HostileValue(8), forKey: "maybe") }
        }
        XCTAssertEqual(owner.one.number, 6)
        XCTAssertEqual(owner.maybe?.number, 8)
        XCTAssertEqual(owner.kind, .first)
        XCTAssertEqual(owner.maybeKind, .second)
        XCTAssertEqual(realm.objects(HostileOwner.self).count, 600)
    }

    /// Objects are added while one of them is.
    func testAddedObjects() throws {
        let realm = realm!
        let add: () -> Void = {
            for id in 100..<700 { realm.create(HostileOwner.self, value: ["id": id, "one": id]) }
        }
        let object = HostileOwner()
        object.id = 7
        object.one = HostileValue(7)
        object.list.append(objectsIn: [1, 2, 3].map { HostileValue($0) })
        object.set.insert(HostileValue(4))
        object.map["a"] = HostileValue(5)
        try realm.write { Hostile.with(add) { realm.add(object) } }
        XCTAssertEqual(object.one.number, 7)
        XCTAssertEqual(values(object.list), [1, 2, 3])
        XCTAssertEqual(object.map["a"]?.number, 5)
        XCTAssertEqual(realm.objects(HostileOwner.self).count, 602)
    }
}
