import Foundation
import Kivo
import KivoEngine
import KivoJournal
import TestRandomness
import XCTest

class CheckpointItem: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var text: String
    @Persisted(indexed: true) var code: String?
    @Persisted var amount: Double?
    @Persisted var data: Data?
    @Persisted var any: AnyRealmValue
    @Persisted var next: CheckpointItem?
    @Persisted var part: CheckpointPart?
    @Persisted var numbers: List<Int>
    @Persisted var words: MutableSet<String>
    @Persisted var friends: List<CheckpointItem>
    @Persisted var map: Map<String, Int?>
    @Persisted var mixed: List<AnyRealmValue>
    @Persisted(originProperty: "next") var previous: LinkingObjects<CheckpointItem>
}

class CheckpointPart: EmbeddedObject {
    @Persisted var uuid: UUID
    @Persisted var flags: List<Bool?>
}

/// Random edits of a file that makes checkpoints and is compacted all the time, which is closed and opened again: it holds what
/// a realm in memory holds that was edited alike.
final class CheckpointFuzzTests: FileTestCase {
    private func frequent(chunk: Int = 1 << 15, allowance: Int = 1 << 14) -> Realm.Configuration {
        var configuration = configuration
        configuration.checkpoints.allowance = allowance
        configuration.checkpoints.smallestTail = 1 << 10
        configuration.checkpoints.smallestTailOfClosing = 1
        configuration.checkpoints.tailShare = 1 << 10
        configuration.checkpoints.chunkSize = chunk
        return configuration
    }

    /// More than what is checked as a whole with each commit, which would bring all of it in.
    private let ids = 1200

    /// One edit of both realms.
    private func edit(_ realms: [Realm], _ random: inout RandomSource) {
        let kind = random.below(14)
        let (a, b, c) = (random.below(ids), random.below(ids), random.below(1 << 20))
        let text = String(repeating: "ä\(c) ", count: random.below(12))
        let count = random.below(300)
        for realm in realms {
            func item(_ id: Int) -> CheckpointItem? {
                realm.object(ofType: CheckpointItem.self, forPrimaryKey: id)
            }
            switch kind {
            case 12, 13:
                // Alike in both realms.
                var random = RandomSource(seed: UInt64(c))
                give(a, b, c, text, to: realm, &random)
            case 0, 1, 2:
                let item = CheckpointItem()
                item.id = a
                if item.id == realm.object(ofType: CheckpointItem.self, forPrimaryKey: a)?.id { break }
                item.text = text
                item.code = c % 3 == 0 ? nil : "code \(c % 50), and what makes it long"
                item.amount = c % 5 == 0 ? nil : Double(c)
                item.numbers.append(objectsIn: 0..<(c % 7))
                realm.add(item)
            case 3: if let item = item(a) { realm.delete(item) }
            case 4:
                item(a)?.text = text
                item(b)?.data = c % 4 == 0 ? nil : Data(text.utf8)
            case 5: item(a)?.next = item(b)
            case 6:
                let value: AnyRealmValue =
                    c % 5 == 0
                    ? .none
                    : c % 5 == 1 ? .string(text) : c % 5 == 2 ? .int(c) : item(b).map { .object($0) } ?? .none
                item(a)?.any = value
                item(b)?.mixed.append(value)
            case 7:
                if let part = item(a)?.part {
                    part.flags.append(c % 3 == 0 ? nil : c % 3 == 1)
                } else {
                    let part = CheckpointPart()
                    part.uuid = UUID(
                        uuid: (UInt8(c & 255), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
                    item(a)?.part = part
                }
            case 8:
                guard let item = item(a) else { break }
                item.numbers.append(objectsIn: c..<(c + count))
                if item.numbers.count > 500 { item.numbers.removeSubrange(10..<(item.numbers.count - 100)) }
            case 9:
                guard let item = item(a) else { break }
                item.words.insert("word \(c % 300)")
                item.map["key \(c % 200)"] = c % 7 == 0 ? .some(nil) : c
            case 10:
                guard let first = item(a), let second = item(b) else { break }
                for _ in 0..<(c % 200) { first.friends.append(second) }
                if first.friends.count > 300 { first.friends.removeSubrange(5..<250) }
            default:
                item(a)?.code = c % 2 == 0 ? nil : "other \(c % 20), which is long as well"
                if c % 500 == 0 { realm.deleteAll() }
            }
        }
    }

    /// Gives values as JSON and careless code have them: to an object that may be there, or to a property.
    private func give(
        _ a: Int, _ b: Int, _ c: Int, _ text: String, to realm: Realm, _ random: inout RandomSource
    ) {
        let other = realm.object(ofType: CheckpointItem.self, forPrimaryKey: b)
        let values: [(String, Any)] = [
            ("text", random.loose(text)),
            ("code", random.chance(30) ? random.null() : random.loose("code \(c % 50)")),
            ("amount", random.chance(30) ? random.null() : random.loose(Double(c) / 4)),
            ("data", random.chance(30) ? random.null() : random.loose(Data(text.utf8))),
            ("any", random.json()),
            ("next", other ?? (random.chance(50) ? random.null() : link(b, &random))),
            ("part", random.chance(30) ? random.null() : part(c, &random)),
            ("numbers", random.chance(10) ? random.null() : numbers(c % 300, &random)),
            ("words", random.loose([random.loose("word"), random.loose("word \(c % 9)")])),
            ("friends", random.loose([link(b, &random), link(a, &random), link(b, &random)])),
            ("map", random.loose(["a": random.null(), "b": random.loose(c), text + "c": random.loose(1)])),
            ("mixed", random.loose((0..<random.below(4)).map { _ in random.json(depth: 2) })),
        ]
        let some = values.filter { _ in random.chance(35) }
        if random.chance(30), let item = realm.object(ofType: CheckpointItem.self, forPrimaryKey: a) {
            // An assignment creates the objects that it is given: it updates none.
            for (key, value) in some where key != "next" && key != "friends" {
                item.assign(value, key, &random)
            }
        } else {
            var entries = Dictionary(uniqueKeysWithValues: some)
            entries["id"] = random.loose(a)
            let policy: Realm.UpdatePolicy = random.chance(50) ? .modified : .all
            realm.create(CheckpointItem.self, value: random.looseObject(entries), update: policy)
        }
    }

    private func link(_ id: Int, _ random: inout RandomSource) -> Any {
        random.looseObject(["id": random.loose(id), "code": random.null()])
    }

    private func part(_ number: Int, _ random: inout RandomSource) -> Any {
        let uuid = UUID(uuid: (UInt8(number & 255), 9, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
        let flags = (0..<random.below(5)).map { $0 % 3 == 0 ? random.null() : random.loose($0 % 3 == 1) }
        return random.looseObject(["flags": random.loose(flags), "uuid": random.loose(uuid.uuidString)])
    }

    private func numbers(_ count: Int, _ random: inout RandomSource) -> Any {
        random.loose((0..<count).map { random.loose($0) })
    }

    /// Makes a write that is refused, of an object that exists: it is taken back as a whole.
    private func writeInVain(_ realm: Realm, _ random: inout RandomSource) throws {
        guard let taken = realm.objects(CheckpointItem.self).first?.id else { return }
        let before = realm.objects(CheckpointItem.self).count
        realm.beginWrite()
        edit([realm], &random)
        // The edit may have deleted it.
        guard realm.object(ofType: CheckpointItem.self, forPrimaryKey: taken) != nil else {
            return realm.cancelWrite()
        }
        realm.create(CheckpointItem.self, value: ["id": random.loose(taken), "any": random.json()])
        assertError(.invalidInput, says: ["primary key"]) { try realm.commitWrite() }
        XCTAssertFalse(realm.isInWriteTransaction)
        XCTAssertEqual(realm.objects(CheckpointItem.self).count, before)
    }

    /// All that a realm holds, in words.
    private func contents(_ realm: Realm) -> [String] {
        realm.objects(CheckpointItem.self).sorted(byKeyPath: "id").map { item in
            let any = words(item.any)
            let mixed = Array(item.mixed).map(words)
            return """
                \(item.id) \(item.text) \(item.code ?? "nil") \(item.amount ?? -1) \(item.data?.count ?? -1) \(any) \
                \(item.next?.id ?? -1) \(item.previous.map(\.id).sorted()) \(Array(item.numbers)) \(Array(item.words.sorted())) \
                \(Array(item.friends.map(\.id))) \(item.map.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value ?? -1)" }) \
                \(mixed) \(item.part.map { "\($0.uuid) \(Array($0.flags).map { $0.map(String.init) ?? "nil" })" } ?? "none")
                """
        }
    }

    private func words(_ value: AnyRealmValue) -> String {
        switch value {
        case .object(let object): "-> \((object as! CheckpointItem).id)"
        case .list(let list): "[\(list.map(words).joined(separator: ", "))]"
        case .dictionary(let map):
            "{\(map.sorted { $0.key < $1.key }.map { "\($0.key): \(words($0.value))" }.joined(separator: ", "))}"
        default: "\(value)"
        }
    }

    private func run(_ configuration: Realm.Configuration, sessions: Int, edits: Int, seed: UInt64) throws {
        var random = RandomSource(seed: seed)
        let model = try Realm(configuration: .init(inMemoryIdentifier: "checkpoints \(seed)"))
        var first = Data()
        for session in TestEffort.rounds(sessions, within: 0.24, atLeast: 3) {
            try withRealm(configuration) { realm in
                if session == 0 {
                    for realm in [realm, model] {
                        try realm.write {
                            for id in 0..<800 {
                                realm.create(CheckpointItem.self, value: ["id": id, "text": "\(id)"])
                            }
                        }
                    }
                }
                if session == 0 { first = try Data(contentsOf: file)[16..<24] }
                let words = "seed \(seed), session \(session)"
                // Reading a random row before the edits loads scattered pages, and the edits then change scattered pages.
                let probe = random.below(ids)
                XCTAssertEqual(
                    realm.objects(CheckpointItem.self).where { $0.id == probe }.first?.text,
                    model.object(ofType: CheckpointItem.self, forPrimaryKey: probe)?.text, words)
                for index in 0..<edits {
                    if random.chance(5) { try writeInVain(realm, &random) }
                    let several = 1 + random.below(4)
                    realm.beginWrite()
                    model.beginWrite()
                    for _ in 0..<several { edit([realm, model], &random) }
                    // Checkpoints and compactions are made in the background meanwhile.
                    if index == edits / 2, session % 4 == 1 { try checkCopy(of: realm, model, words) }
                    if random.below(8) == 0 {
                        realm.cancelWrite()
                        model.cancelWrite()
                    } else {
                        try realm.commitWrite()
                        try model.commitWrite()
                    }
                }
                if session % 4 == 2 { try checkCopy(of: realm, model, words) }
                if session % 3 == 0 {
                    XCTAssertEqual(contents(realm), contents(model), words)
                    let code = "code \(random.below(50)), and what makes it long"
                    XCTAssertEqual(
                        realm.objects(CheckpointItem.self).where { $0.code == code }.count,
                        model.objects(CheckpointItem.self).filter { $0.code == code }.count, words)
                }
            }
        }
        try withRealm(configuration) { realm in
            XCTAssertEqual(contents(realm), contents(model), "seed \(seed)")
        }
        let isCompacted = try first != Data(contentsOf: file)[16..<24]
        XCTAssertEqual(isCompacted, configuration.checkpoints.allowance < 1 << 30, "seed \(seed)")
    }

    /// A copy of a realm, of which the file may have any part in memory, holds the same, and is a file like any other.
    private func checkCopy(of realm: Realm, _ model: Realm, _ words: String) throws {
        let copy = folder.appendingPathComponent("copy.kivo")
        try realm.writeCopy(toFile: copy)
        let report = try Realm.verify(fileURL: copy)
        XCTAssertTrue(report.isIntact, "\(words): \(report)")
        XCTAssertNotNil(report.checkpointOffset, words)
        XCTAssertEqual(report.commitCount, 0, words)
        var configuration = frequent()
        configuration.fileURL = copy
        try withRealm(configuration) { realm in
            XCTAssertEqual(contents(realm), contents(model), words)
            try realm.write { realm.create(CheckpointItem.self, value: ["id": -1, "text": "of the copy"]) }
        }
        try withRealm(configuration) { realm in
            let added = realm.object(ofType: CheckpointItem.self, forPrimaryKey: -1)
            XCTAssertEqual(added?.text, "of the copy", words)
            try realm.write { realm.delete(added!) }
            XCTAssertEqual(contents(realm), contents(model), words)
        }
        XCTAssertTrue(try Realm.deleteFiles(for: configuration))
    }

    private static let edits = Sanitizer.isPresent ? 12 : TestEffort.count(16, full: 40)

    func testCheckpointsOfRandomEdits() throws {
        var random = RandomSource()
        for _ in TestEffort.rounds(Sanitizer.isPresent ? 1 : 2, within: 0) {
            try run(frequent(), sessions: 8, edits: CheckpointFuzzTests.edits, seed: random.next())
            try FileManager.default.removeItem(at: file)
        }
    }

    func testCheckpointsWithoutCompaction() throws {
        var random = RandomSource()
        try run(
            frequent(chunk: 1 << 11, allowance: 1 << 40), sessions: 8, edits: CheckpointFuzzTests.edits,
            seed: random.next())
    }

    /// Everything that is the same in the file is let go at each opportunity.
    func testNothingStaysInMemory() throws {
        var random = RandomSource()
        var configuration = frequent()
        configuration.cacheSize = 0
        try run(configuration, sessions: 8, edits: CheckpointFuzzTests.edits, seed: random.next())
    }

    func testOneChunk() throws {
        var random = RandomSource()
        try run(
            frequent(chunk: 1 << 24, allowance: 0), sessions: 8, edits: CheckpointFuzzTests.edits,
            seed: random.next())
    }
}
