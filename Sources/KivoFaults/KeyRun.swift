import Foundation
import Kivo
import KivoJournal

class KeyedNumber: Object {
    @Persisted(primaryKey: true) var key: Int
    @Persisted(indexed: true) var code: Int
}

class KeyedText: Object {
    @Persisted(primaryKey: true) var key: String
    @Persisted(indexed: true) var code: Int
}

class KeyedOptional: Object {
    @Persisted(primaryKey: true) var key: Int?
    @Persisted(indexed: true) var code: Int
}

/// Random histories of primary keys: keys that ascend, and then do not; that are deleted and used again; that are large, negative or
/// nil. After each session of a history, every object is found by its key, and the file is verified with its indexes.
struct KeyRun {
    private(set) var failures: [String] = []
    private(set) var sessionCount = 0
    private(set) var checkpointCount = 0
    private var random: SeededNumbers

    init(seed: UInt64) { random = SeededNumbers(seed) }

    /// Runs a number of histories; stops at the first failure.
    mutating func run(histories: Int, progress: (Int) -> Void = { _ in }) throws {
        for number in 0..<histories where failures.isEmpty {
            let seed = random.next()
            try run(history: seed)
            if number % 10_000 == 9_999 { progress(number + 1) }
        }
    }

    /// Runs one history.
    mutating func run(history seed: UInt64) throws {
        var random = SeededNumbers(seed)
        var state = KeyHistory(seed: random.next())
        let disk = FaultyDisk(seed: seed)
        for session in 0..<1 + random.below(4) where failures.isEmpty {
            var configuration = Files.configuration(disk, allowance: 1 << (10 + random.below(6)))
            configuration.objectTypes = [KeyedNumber.self, KeyedText.self, KeyedOptional.self]
            configuration.checkpoints.smallestTail = 1 << (6 + random.below(8))
            configuration.checkpoints.smallestTailOfClosing = 1 << (4 + random.below(8))
            let problem: String? = try Files.withRealm(disk, configuration) { realm in
                if let problem = state.problem(realm) { return "on opening: \(problem)" }
                for _ in 0..<1 + random.below(5) {
                    try realm.write { for _ in 0..<1 + random.below(8) { state.change(realm) } }
                }
                return state.problem(realm)
            }
            let device = disk.open()
            let report = try Realm.verify(device, indexes: true)
            device.close()
            sessionCount += 1
            if report.checkpointOffset != nil { checkpointCount += 1 }
            if let problem { failures.append("history \(seed), session \(session): \(problem)") }
            if !report.isIntact { failures.append("history \(seed), session \(session): \(report)") }
        }
    }
}

/// The objects of one history, and its next changes.
private struct KeyHistory {
    private var random: SeededNumbers
    private var numbers: [Int: Int] = [:]
    private var texts: [String: Int] = [:]
    private var optionals: [Int?: Int] = [:]
    private var next: Int
    /// In percent: how often a key is the next one.
    private let order: Int
    private let range: Int

    init(seed: UInt64) {
        random = SeededNumbers(seed)
        next = random.chance(80) ? random.below(3) : Int.max - 200
        order = [0, 50, 95, 100][random.below(4)]
        range = [4, 40, 1 << 40][random.below(3)]
    }

    private mutating func key() -> Int {
        guard random.chance(order) else { return random.below(range) - (random.chance(30) ? range / 2 : 0) }
        next += 1 + (random.chance(10) ? random.below(3) : 0)
        return next
    }

    /// Makes one change.
    mutating func change(_ realm: Realm) {
        let (kind, code) = (random.below(10), random.below(5))
        let key = key()
        switch (kind, random.below(3)) {
        case (0...5, 0):
            realm.create(KeyedNumber.self, value: ["key": key, "code": code], update: .all)
            numbers[key] = code
        case (0...5, 1):
            let text = "key \(key)"
            realm.create(KeyedText.self, value: ["key": text, "code": code], update: .all)
            texts[text] = code
        case (0...5, _):
            let optional: Int? = random.chance(10) ? nil : key
            realm.create(KeyedOptional.self, value: ["key": optional as Any?, "code": code], update: .all)
            optionals[optional] = code
        case (6...8, 0):
            // The last one, the first one, or any: their places in the order of keys differ.
            guard let gone = chosen(numbers.keys.sorted()) else { return }
            realm.delete(realm.object(ofType: KeyedNumber.self, forPrimaryKey: gone)!)
            numbers[gone] = nil
        case (6...8, 1):
            guard let gone = chosen(texts.keys.sorted()) else { return }
            realm.delete(realm.object(ofType: KeyedText.self, forPrimaryKey: gone)!)
            texts[gone] = nil
        case (6...8, _):
            guard let gone = chosen(optionals.keys.sorted { ($0 ?? .min) < ($1 ?? .min) }) else { return }
            realm.delete(realm.object(ofType: KeyedOptional.self, forPrimaryKey: gone)!)
            optionals[gone] = .none
        default:
            let gone = realm.objects(KeyedNumber.self).where { $0.code == code }
            for number in gone { numbers[number.key] = nil }
            realm.delete(gone)
        }
    }

    private mutating func chosen<Key>(_ keys: [Key]) -> Key? {
        switch random.below(3) {
        case 0: keys.last
        case 1: keys.first
        default: keys.isEmpty ? nil : keys[random.below(keys.count)]
        }
    }

    /// What differs between the realm and the objects that should be there; nil if nothing does.
    func problem(_ realm: Realm) -> String? {
        if realm.objects(KeyedNumber.self).count != numbers.count { return "the number of KeyedNumber" }
        if realm.objects(KeyedText.self).count != texts.count { return "the number of KeyedText" }
        if realm.objects(KeyedOptional.self).count != optionals.count { return "the number of KeyedOptional" }
        for (key, code) in numbers
        where realm.object(ofType: KeyedNumber.self, forPrimaryKey: key)?.code != code {
            return "KeyedNumber \(key)"
        }
        for (key, code) in texts where realm.object(ofType: KeyedText.self, forPrimaryKey: key)?.code != code
        {
            return "KeyedText '\(key)'"
        }
        for (key, code) in optionals
        where realm.object(ofType: KeyedOptional.self, forPrimaryKey: key)?.code != code {
            return "KeyedOptional \(key.map(String.init) ?? "nil")"
        }
        for code in 0..<5 {
            let count = realm.objects(KeyedNumber.self).where { $0.code == code }.count
            if count != numbers.values.count(where: { $0 == code }) { return "KeyedNumber with code \(code)" }
        }
        for gone in [Int.min, next &+ 1_000_000] where numbers[gone] == nil {
            if realm.object(ofType: KeyedNumber.self, forPrimaryKey: gone) != nil { return "a KeyedNumber" }
        }
        return nil
    }
}
