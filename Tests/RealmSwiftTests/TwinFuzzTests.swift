import Foundation
import RealmSwift
import TestRandomness
import XCTest

/// Random edits of two classes that differ only in the style of their declarations: their contents and the notifications of
/// their observers are always equal.
final class TwinFuzzTests: OlderStyleTestCase {}

/// The properties of both classes.
protocol TwinModel: Object {
    var maybe: Int? { get set }
    var any: AnyRealmValue { get set }
    var numbers: List<Int> { get }
    var friends: List<Self> { get }
    var words: MutableSet<String> { get }
    var counts: Map<String, Int> { get }
    var inverse: [UInt64] { get }
}

/// With wrappers.
final class NewTwin: Object, TwinModel {
    @Persisted(primaryKey: true) var key = 0
    @Persisted var maybe: Int? = 5
    @Persisted var any: AnyRealmValue
    @Persisted var numbers: List<Int>
    @Persisted var friends: List<NewTwin>
    @Persisted var words: MutableSet<String>
    @Persisted var counts: Map<String, Int>
    @Persisted(originProperty: "friends") var holders: LinkingObjects<NewTwin>
    var inverse: [UInt64] { holders.map { UInt64($0.key) }.sorted() }
}

/// Without.
@available(*, deprecated)
final class OldTwin: Object, TwinModel {
    @Persisted(primaryKey: true) var key = 0
    let boxedMaybe = RealmOptional<Int>(5)
    let boxedAny = RealmProperty<AnyRealmValue>()
    let numbers = List<Int>()
    let friends = List<OldTwin>()
    let words = MutableSet<String>()
    let counts = Map<String, Int>()
    let holders = LinkingObjects(fromType: OldTwin.self, property: "friends")
    var inverse: [UInt64] { holders.map { UInt64($0.key) }.sorted() }
    var maybe: Int? {
        get { boxedMaybe.value }
        set { boxedMaybe.value = newValue }
    }
    var any: AnyRealmValue {
        get { boxedAny.value }
        set { boxedAny.value = newValue }
    }
}

/// One class of the two, with a realm of its own.
private final class TwinWorld<Twin: TwinModel> {
    let realm: Realm
    private let columns: [String: String]
    private var twins: [Twin] = []
    private var tokens: [Int: [Any]] = [:]
    private var told: [String] = []

    /// - Parameter columns: the names of properties in the class, if they differ.
    init(_ realm: Realm, columns: [String: String] = [:]) {
        self.realm = realm
        self.columns = columns
    }

    private func column(_ name: String) -> String { columns[name] ?? name }

    private func original(_ text: String) -> String {
        columns.reduce(text) { $0.replacingOccurrences(of: $1.value, with: $1.key) }
            .replacingOccurrences(of: "\(Twin.self)", with: "Twin")
    }

    /// Carries out a step that random numbers choose; the same for both classes.
    func step(_ random: inout RandomSource) throws {
        switch random.below(10) {
        case 0: add(&random)
        case 1: try create(&random)
        case 2: observe(random.below(8), &random)
        case 3:
            tokens[random.below(8)] = nil
        case 4:
            realm.beginWrite()
            edit(&random)
            realm.cancelWrite()
        case 5 where random.below(4) == 0:
            let index = random.below(8)
            guard let twin = at(index) else { break }
            try realm.write { realm.delete(twin) }
        case 6: realm.refresh()
        default:
            let count = 1 + random.below(3)
            try realm.write { for _ in 0..<count { edit(&random) } }
        }
    }

    private func at(_ index: Int) -> Twin? {
        twins.isEmpty || twins[index % twins.count].isInvalidated ? nil : twins[index % twins.count]
    }

    /// Adds an object that was filled before.
    private func add(_ random: inout RandomSource) {
        let twin = Twin()
        twin["key"] = twins.count
        let count = random.below(4)
        for _ in 0..<count { edit(twin, &random) }
        try? realm.write { realm.add(twin) }
        twins.append(twin)
    }

    /// Creates an object of values, or updates one.
    private func create(_ random: inout RandomSource) throws {
        var values: [String: Any] = ["key": twins.isEmpty ? 0 : random.below(twins.count + 1)]
        let key = values["key"] as? Int ?? 0
        for name in ["maybe", "any", "numbers", "words", "counts"] where random.below(2) == 0 {
            values[column(name)] = given(name, &random)
        }
        if random.below(3) == 0, let twin = at(random.below(8)) { values["friends"] = [twin] }
        let policy: Realm.UpdatePolicy = random.below(2) == 0 ? .modified : .all
        let given = random.looseObject(values)
        let twin = try realm.write { realm.create(Twin.self, value: given, update: policy) }
        if key >= twins.count { twins.append(twin) } else { twins[key] = twin }
    }

    /// A value for a property, as JSON and careless code give it.
    private func given(_ name: String, _ random: inout RandomSource) -> Any {
        if random.chance(20) { return random.null() }
        switch name {
        case "maybe": return random.loose(random.below(3))
        case "any": return random.json()
        case "numbers": return random.loose((0..<random.below(4)).map { random.loose($0) })
        case "words": return random.loose([random.loose("w\(random.below(3))"), "w"])
        default: return random.loose(["c": random.loose(random.below(3)), "d": random.loose(1)])
        }
    }

    private func edit(_ random: inout RandomSource) {
        let index = random.below(8)
        guard let twin = at(index) else { return }
        edit(random.below(3) == 0 ? realm.objects(Twin.self).last ?? twin : twin, &random)
    }

    private func edit(_ twin: Twin, _ random: inout RandomSource) {
        let (kind, number) = (random.below(15), random.below(4))
        let other = at(random.below(8))
        switch kind {
        case 12, 13:
            let name = ["maybe", "any", "numbers", "words", "counts"][random.below(5)]
            let value = given(name, &random)
            if kind == 12 { twin.setValue(value, forKey: column(name)) } else { twin[column(name)] = value }
        case 14: twin.mutableArrayValue(forKey: "numbers").add(random.loose(number))
        case 0: twin.maybe = number == 0 ? nil : number
        case 1: twin[column("maybe")] = number
        case 2: twin.any = number == 0 ? .none : .string("s\(number)")
        case 3: twin.any = .fromArray([.int(number)])
        case 4: twin.numbers.append(number)
        case 5: if number < twin.numbers.count { twin.numbers.remove(at: number) }
        case 6: twin["numbers"] = [number, number]
        case 7: if let other, twin.realm == other.realm { twin.friends.append(other) }
        case 8: if number < twin.friends.count { twin.friends.remove(at: number) }
        case 9: twin.words.insert("w\(number)")
        case 10: twin.words.remove("w\(number)")
        default: twin.counts["c\(number)"] = number == 3 ? nil : number
        }
    }

    private func observe(_ index: Int, _ random: inout RandomSource) {
        guard let twin = at(index) else { return }
        let key = ["maybe", "any", "numbers", "friends", "words", "counts"][random.below(6)]
        let observer = TwinObserver { [unowned self] in told.append(original("\(index) \($0)")) }
        twin.addObserver(observer, forKeyPath: column(key), options: [.old, .new])
        let token = twin.observe { [unowned self] (change: ObjectChange<Twin>) in
            switch change {
            case .change(_, let properties):
                told.append(original("\(index) \(properties.map(\.name))"))
            case .deleted: told.append("\(index) deleted")
            case .error(let error): told.append("\(error)")
            }
        }
        tokens[index] = [observer, token]
    }

    private func text(_ value: AnyRealmValue) -> String {
        switch value {
        case .list(let list): "\(list.map { text($0) } as [String])"
        case .dictionary(let map): "\(map.map { "\($0.key): \(text($0.value))" } as [String])"
        default: "\(value)"
        }
    }

    /// Returns the contents of all objects, and the notifications since the last time.
    func report() -> String {
        defer { told = [] }
        let lines = twins.enumerated().map { index, twin in
            twin.isInvalidated
                ? "\(index) gone"
                : """
                \(index) \(twin.maybe.map(String.init) ?? "nil") \(text(twin.any)) \
                \(Array(twin.numbers)) \(twin.friends.count) \(Array(twin.words)) \(twin.counts.keys) \
                \(twin.counts.values) \(twin.inverse)
                """
        }
        let fetched = realm.objects(Twin.self).sorted(byKeyPath: "key").map { twin in
            "\(twin.maybe ?? -1) \(Array(twin.numbers)) \(twin.inverse) \(twin.freeze().words.count)"
        }
        return (lines + fetched + told).joined(separator: "\n")
    }
}

private final class TwinObserver: KeyValueObserver {
    private let tell: (String) -> Void

    init(_ tell: @escaping (String) -> Void) { self.tell = tell }

    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        let new = change?[.newKey].map { words($0).prefix(60) } ?? "-"
        let indexes = (change?[.indexesKey] as? IndexSet).map { "\(Array($0))" } ?? ""
        tell("\(keyPath ?? "?") \(change?[.kindKey] ?? "?") \(indexes) \(indexes.isEmpty ? String(new) : "")")
    }

    /// A value in words: dictionaries in one order, and collections without where they are in memory.
    private func words(_ value: Any) -> String {
        guard let entries = value as? [String: Any] else {
            return "\(value)".replacing(/<0x[0-9a-f]+>/, with: "")
        }
        return entries.sorted { $0.key < $1.key }.map { "\($0.key): \(words($0.value))" }
            .joined(separator: ", ")
    }
}

@available(*, deprecated, message: "They use deprecated forms, and no others.")
extension TwinFuzzTests {
    func testBothStylesAreOne() throws {
        for round in TestEffort.rounds(40, within: 0.24) {
            let seed = RandomSource.seed(for: "\(name) \(round)")
            let new = TwinWorld<NewTwin>(
                try Realm(configuration: .init(inMemoryIdentifier: "\(name) new \(round)")))
            let old = TwinWorld<OldTwin>(
                try Realm(configuration: .init(inMemoryIdentifier: "\(name) old \(round)")),
                columns: ["maybe": "boxedMaybe", "any": "boxedAny"])
            var (first, second) = (RandomSource(seed: seed), RandomSource(seed: seed))
            for step in 0..<60 {
                try new.step(&first)
                try old.step(&second)
                let (expected, actual) = (new.report(), old.report())
                if expected != actual {
                    return XCTFail("seed \(seed), step \(step):\n\(expected)\nis not\n\(actual)")
                }
            }
        }
    }
}
