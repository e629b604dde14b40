import Kivo
import XCTest

/// Texts that are canonically equal but have other bytes are two values.
final class StringIdentityTests: RealmTestCase {
    private let composed = "caf\u{E9}"
    private let decomposed = "cafe\u{301}"

    /// The bytes, which `==` does not compare.
    private func bytes(_ texts: [String?]) -> [[UInt8]?] { texts.map { $0.map { Array($0.utf8) } } }

    func testModifiedWritesWhatHasOtherBytes() throws {
        let realm = try openRealm()
        let chip = try realm.write {
            realm.create(Chip.self, value: ["code": 1, "label": composed, "notes": [composed, "b"]])
        }
        XCTAssertEqual(composed, decomposed, "Swift's own rule")
        var changed: [[String]] = []
        let token = chip.observe { (change: ObjectChange<Chip>) in
            if case .change(_, let properties) = change { changed.append(properties.map(\.name)) }
        }
        func update(_ text: String, _ isAdding: Bool) throws {
            let values: [String: Any] = ["code": 1, "label": text, "notes": [text, "b"]]
            try realm.write {
                if isAdding {
                    realm.add(Chip(value: values), update: .modified)
                } else {
                    realm.create(Chip.self, value: values, update: .modified)
                }
            }
            realm.refresh()
        }
        for isAdding in [false, true] {
            try update(decomposed, isAdding)
            XCTAssertEqual(bytes([chip.label]), bytes([decomposed]))
            XCTAssertEqual(bytes(Array(chip.notes)), bytes([decomposed, "b"]))
            XCTAssertEqual(realm.objects(Chip.self).where { $0.label == decomposed }.count, 1)
            XCTAssertEqual(realm.objects(Chip.self).where { $0.label == composed }.count, 0)
            try update(decomposed, isAdding)
            try update(composed, isAdding)
            XCTAssertEqual(bytes([chip.label]), bytes([composed]))
        }
        XCTAssertEqual(
            changed, Array(repeating: ["label", "notes"], count: 4), "nothing where nothing differs")
        token.invalidate()
    }

    func testPrimaryKeysAreBytes() throws {
        let realm = try openRealm()
        try realm.write {
            realm.create(NamedThing.self, value: ["name": composed, "size": 1])
            realm.create(NamedThing.self, value: ["name": decomposed, "size": 2])
        }
        XCTAssertEqual(realm.object(ofType: NamedThing.self, forPrimaryKey: composed)?.size, 1)
        XCTAssertEqual(realm.object(ofType: NamedThing.self, forPrimaryKey: decomposed)?.size, 2)
    }

    func testListsFindBytes() throws {
        let realm = try openRealm()
        let bag = Bag(value: ["words": ["x", composed]])
        XCTAssertNil(bag.words.index(of: decomposed))
        XCTAssertEqual(bag.words.index(of: composed), 1)
        XCTAssertNotEqual(bag.words, Bag(value: ["words": ["x", decomposed]]).words)
        try realm.write { realm.add(bag) }
        XCTAssertNil(bag.words.index(of: decomposed))
        XCTAssertEqual(bag.words.index(of: composed), 1)
        XCTAssertNil(bag.words.sorted(ascending: true).index(of: decomposed))
    }

    func testSetsHoldBoth() throws {
        let realm = try openRealm()
        let bag = Bag()
        func check(_ line: UInt = #line) {
            XCTAssertEqual(Set(bytes(Array(bag.wordSet))), Set(bytes([composed, decomposed])), line: line)
            XCTAssertTrue(bag.wordSet.contains(composed) && bag.wordSet.contains(decomposed), line: line)
        }
        bag.wordSet.insert(objectsIn: [composed, decomposed, composed])
        check()
        let other = MutableSet<String>()
        other.insert(composed)
        XCTAssertFalse(bag.wordSet == other)
        bag.wordSet.remove(composed)
        XCTAssertEqual(bytes(Array(bag.wordSet)), bytes([decomposed]))
        XCTAssertFalse(bag.wordSet == other)
        bag.wordSet.insert(composed)
        try realm.write { realm.add(bag) }
        check()
        try realm.write { bag.wordSet.remove(decomposed) }
        XCTAssertEqual(bytes(Array(bag.wordSet)), bytes([composed]))
    }

    func testMapsHaveBothKeys() throws {
        let realm = try openRealm()
        let bag = Bag()
        func check(_ line: UInt = #line) {
            XCTAssertEqual(
                bytes(bag.counts.keys), bytes([decomposed, composed]), "by their bytes", line: line)
            XCTAssertEqual([bag.counts[composed], bag.counts[decomposed]], [1, 2], line: line)
        }
        bag.counts[composed] = 1
        bag.counts[decomposed] = 2
        check()
        let copy = Bag()
        copy.counts = bag.counts
        XCTAssertEqual(copy.counts, bag.counts)
        copy.counts[composed] = nil
        XCTAssertNotEqual(copy.counts, bag.counts)
        try realm.write { realm.add(bag) }
        check()
        copy.counts = bag.counts
        XCTAssertEqual(copy.counts.count, 2)
        try realm.write {
            bag.counts.merge([(key: composed, value: 5), (key: decomposed, value: 5)]) { $0 * 10 + $1 }
        }
        XCTAssertEqual([bag.counts[composed], bag.counts[decomposed]], [15, 25])
    }

    func testAPrimaryKeyCannotChangeItsBytes() throws {
        let realm = try openRealm()
        let thing = try realm.write { realm.create(NamedThing.self, value: ["name": composed]) }
        try realm.write { thing.name = "\(composed)" }
        XCTAssertEqual(bytes([thing.name]), bytes([composed]))
    }
}
