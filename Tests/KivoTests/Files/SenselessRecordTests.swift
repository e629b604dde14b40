import Foundation
import Kivo
import KivoJournal
import TestRandomness
import XCTest

/// Records that pass their checksums and say what cannot be: they are refused with an error, or make a realm in which
/// everything can be read and changed. They never hang, trap, or take memory that their bytes do not explain.
final class SenselessRecordTests: XCTestCase {
    private static let types: [ObjectBase.Type] = [
        ForgedNode.self, ForgedPart.self, ForgedKeyed.self, ForgedPlain.self,
    ]
    private var number = 0

    /// A realm on a device in memory that no other test sees.
    private func open(_ disk: SmallDisk, isListed: Bool = true) throws -> Realm {
        number += 1
        var configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: "/nowhere/\(name) \(number).kivo"),
            objectTypes: isListed ? SenselessRecordTests.types : nil)
        configuration.makeDevice = { _, _ in disk }
        return try Realm(configuration: configuration)
    }

    /// A journal in which something of everything happened.
    private func sample() throws -> JournalForger {
        let disk = SmallDisk()
        do {
            let realm = try open(disk)
            for number in 0..<4 {
                try realm.write {
                    let node = realm.create(
                        ForgedNode.self,
                        value: [
                            "text": "node \(number)", "numbers": [1, 2, 3, number], "ratio": 0.5,
                            "names": ["a": 1, "b": number], "tags": ["x", "y", "z\(number)"],
                            "part": ["size": number, "parts": [["size": 1], ["size": 2]]],
                            "parts": [["size": 3], ["size": 4], ["size": 5]],
                        ] as [String: Any])
                    node.maybes.append(objectsIn: ["one", nil, "three"])
                    node.keyed = realm.create(
                        ForgedKeyed.self, value: ["key": number, "name": "k\(number)"], update: .modified)
                    node.nodes.append(objectsIn: realm.objects(ForgedNode.self))
                    node.nodeSet.insert(objectsIn: realm.objects(ForgedNode.self))
                    node.nodeMap["me"] = node
                    node.nodeMap["none"] = .some(nil)
                    realm.add(ForgedPlain(value: ["flag": true, "data": Data([1, 2, 3])] as [String: Any]))
                }
            }
            let nodes = realm.objects(ForgedNode.self)
            try realm.write {
                nodes[0].numbers.move(from: 0, to: 3)
                nodes[0].numbers.append(9)
                nodes[1].parts.move(from: 2, to: 0)
                nodes[1].parts.remove(at: 1)
                nodes[1].nodes.swapAt(0, 1)
                nodes[2].names["c"] = 7
                nodes[2].names["a"] = nil
                nodes[2].tags.insert("q")
                nodes[2].text = nil
                nodes[3].link = nodes[1]
                nodes[3].part = nil
            }
            try realm.write {
                realm.delete(nodes[1])
                nodes[0].maybes[1] = "two"
                nodes[0].nodes.removeAll()
                nodes[0].keyed?.name = "renamed"
                realm.create(ForgedNode.self, value: ["text": "late"])
            }
        }
        return JournalForger(disk.bytes)
    }

    func testRecordsThatAreLeftAloneOpen() throws {
        let forger = try sample()
        XCTAssertEqual(forger.records.count, 6)
        for isListed in [true, false] {
            let realm = try open(SmallDisk(forger.bytes), isListed: isListed)
            XCTAssertEqual(realm.objects(ForgedNode.self).map(\.text), ["node 0", nil, "node 3", "late"])
            let node = try XCTUnwrap(realm.objects(ForgedNode.self).first)
            XCTAssertEqual(Array(node.numbers), [2, 3, 0, 1, 9])
            XCTAssertEqual(Array(node.maybes), ["one", "two", "three"])
            visit(realm)
        }
    }

    func testRandomRecords() throws {
        var random = RandomSource()
        let whole = try sample()
        var (opened, refused) = (0, 0)
        for step in TestEffort.rounds(Sanitizer.isPresent ? 400 : 2_000, within: 0.36, atLeast: 200) {
            var forger = whole
            for _ in 0...random.below(3) { forger.change(&random) }
            let disk = SmallDisk(forger.bytes)
            do {
                try use(disk, isListed: step % 4 != 0, &random)
                opened += 1
            } catch let error as Realm.Error {
                XCTAssert(
                    [.invalidDatabase, .schemaMismatch].contains(error.code), "step \(step): \(error)")
                refused += 1
            }
        }
        // Both happen often, so that both were tried.
        XCTAssertGreaterThan(opened, (opened + refused) / 20, "\(refused) refused")
        XCTAssertGreaterThan(refused, (opened + refused) / 4, "\(opened) opened")
    }

    /// Opens a realm, looks at all of it, changes it, and opens it again.
    private func use(_ disk: SmallDisk, isListed: Bool, _ random: inout RandomSource) throws {
        do {
            let realm = try open(disk, isListed: isListed)
            visit(realm)
            try realm.write { change(realm, &random) }
            visit(realm)
        }
        let realm = try open(disk, isListed: isListed)
        visit(realm)
        try realm.write { realm.deleteAll() }
    }

    private func change(_ realm: Realm, _ random: inout RandomSource) {
        let nodes = realm.objects(ForgedNode.self)
        let fresh = realm.create(ForgedNode.self, value: ["text": "fresh"])
        for node in nodes {
            node.names["m"] = 1
            node.tags.insert("m")
            node.nodeSet.insert(fresh)
            if node.numbers.count > 1 { node.numbers.move(from: 0, to: node.numbers.count - 1) }
        }
        if let node = nodes.randomElement(using: &random) { realm.delete(node) }
        if let node = nodes.first { node.part = nil }
        if let keyed = realm.objects(ForgedKeyed.self).first { realm.delete(keyed) }
        realm.create(ForgedKeyed.self, value: ["key": 1, "name": "again"], update: .all)
    }

    /// Reads everything that there is.
    private func visit(_ realm: Realm) {
        for node in realm.objects(ForgedNode.self) {
            _ = (node.text?.count, node.ratio, node.keyed?.name.count, node.link?.text, node.owners.count)
            visit(node.part, depth: 0)
            for part in node.parts { visit(part, depth: 0) }
            _ = node.numbers.reduce(0, &+)
            for maybe in node.maybes { _ = maybe?.count }
            for other in node.nodes { _ = other.text }
            for other in node.nodeSet { _ = other.text }
            for (key, other) in node.nodeMap.asKeyValueSequence() { _ = (key, other?.text) }
            for (key, value) in node.names.asKeyValueSequence() { XCTAssertEqual(node.names[key], value) }
            for tag in node.tags { XCTAssert(node.tags.contains(tag)) }
        }
        for keyed in realm.objects(ForgedKeyed.self) {
            XCTAssertEqual(realm.object(ofType: ForgedKeyed.self, forPrimaryKey: keyed.key), keyed)
            _ = (keyed.name, keyed.nodes.map(\.text))
        }
        for plain in realm.objects(ForgedPlain.self) {
            _ = (
                plain.flag, plain.small, plain.single, plain.date, plain.data.count, plain.decimal.description
            )
        }
        _ = realm.objects(ForgedKeyed.self).where { $0.name == "renamed" }.count
    }

    private func visit(_ part: ForgedPart?, depth: Int) {
        guard let part else { return }
        XCTAssertLessThan(depth, 100)
        _ = part.size
        for inner in part.parts { visit(inner, depth: depth + 1) }
    }
}

extension JournalForger {
    /// Changes something at random.
    mutating func change(_ random: inout RandomSource) {
        switch random.below(20) {
        case 0: records.swapAt(random.below(records.count), random.below(records.count))
        case 1 where records.count > 1: records.remove(at: random.below(records.count))
        case 2: records.insert(records[random.below(records.count)], at: random.below(records.count))
        case 3: records[random.below(records.count)].kind = UInt8(random.below(4))
        default:
            let index = random.below(records.count)
            let other = records[random.below(records.count)].payload
            records[index].payload.change(&random, other)
        }
    }
}

extension [UInt8] {
    /// Changes a few bytes: one, a number, a word, or a piece of another record.
    fileprivate mutating func change(_ random: inout RandomSource, _ other: [UInt8]) {
        guard count > 0, other.count > 0 else { return }
        let position = random.below(count)
        let end = Swift.min(position + 1 + random.below(9), count)
        let extremes: [[UInt8]] = [
            [0], [1], [2], [0x7F], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F],
            [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1], [0x80, 0x80, 0x80, 0x80, 0x10],
        ]
        switch random.below(9) {
        case 0: self[position] ^= 1 << UInt8(random.below(8))
        case 1: self[position] = UInt8(random.below(256))
        case 2: self[position] = self[position] &+ (random.chance(50) ? 1 : 255)
        case 3: replaceSubrange(position..<position + 1, with: extremes[random.below(extremes.count)])
        case 4:
            let word = [UInt64.max, 1 << 63, 1 << 62, 0, 1, 2, 300][random.below(7)]
            for offset in position..<Swift.min(position + 8, count) {
                self[offset] = UInt8(truncatingIfNeeded: word >> UInt64((offset - position) * 8))
            }
        case 5: removeSubrange(position..<end)
        case 6: insert(contentsOf: self[position..<end], at: random.below(count))
        case 7:
            let start = random.below(other.count)
            let piece = other[start..<Swift.min(start + end - position, other.count)]
            replaceSubrange(position..<position + Swift.min(piece.count, count - position), with: piece)
        default: swapAt(position, random.below(count))
        }
    }
}

class ForgedNode: Object {
    @Persisted var text: String?
    @Persisted var ratio: Double
    @Persisted var link: ForgedNode?
    @Persisted var keyed: ForgedKeyed?
    @Persisted var part: ForgedPart?
    @Persisted var parts: List<ForgedPart>
    @Persisted var numbers: List<Int>
    @Persisted var maybes: List<String?>
    @Persisted var nodes: List<ForgedNode>
    @Persisted var nodeSet: MutableSet<ForgedNode>
    @Persisted var nodeMap: Map<String, ForgedNode?>
    @Persisted var names: Map<String, Int>
    @Persisted var tags: MutableSet<String>
    @Persisted(originProperty: "nodes") var owners: LinkingObjects<ForgedNode>
}

class ForgedPart: EmbeddedObject {
    @Persisted var size: Int
    @Persisted var parts: List<ForgedPart>
}

class ForgedKeyed: Object {
    @Persisted(primaryKey: true) var key: Int
    @Persisted(indexed: true) var name: String
    @Persisted(originProperty: "keyed") var nodes: LinkingObjects<ForgedNode>
}

class ForgedPlain: Object {
    @Persisted var flag: Bool
    @Persisted var small: Int8?
    @Persisted var single: Float
    @Persisted var date: Date
    @Persisted var data: Data
    @Persisted var decimal: Decimal128
}
