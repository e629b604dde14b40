import Foundation
import Kivo

/// A class with something of each kind that a file can hold.
class Depot: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var size: Int?
    @Persisted var mark: UUID?
    @Persisted var photo: Data
    @Persisted var any: AnyRealmValue
    @Persisted var next: Depot?
    @Persisted var yard: DepotTrack?
    @Persisted var lines: List<Int>
    @Persisted var words: List<String?>
    @Persisted var tags: MutableSet<String>
    @Persisted var prices: Map<String, Int>
    @Persisted var tracks: List<DepotTrack>
    @Persisted var others: List<Depot>
    @Persisted var others2: MutableSet<Depot>
    @Persisted var mixed: List<AnyRealmValue>
    @Persisted var mixedSet: MutableSet<AnyRealmValue>
}

class DepotTrack: EmbeddedObject {
    @Persisted var number: Int
}

/// The object that a test writes to make a file grow.
class DepotClock: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var ticks: Int
    @Persisted var text: String
}

extension Depot {
    /// All values in words.
    var picture: String {
        func text(_ value: AnyRealmValue) -> String {
            switch value {
            case .object(let object): "depot \((object as? Depot)?.id ?? -1)"
            case .list(let list): "list \(Array(list.map(text)))"
            case .dictionary(let map): "map \(map.map { "\($0.key): \(text($0.value))" }.sorted())"
            default: "\(value)"
            }
        }
        let values: [String] = [
            "\(id) \(name) \(size ?? -1) \(mark?.uuidString ?? "") \(Array(photo))", text(any),
            "\(next?.id ?? -1) \(yard?.number ?? -1)", "\(Array(lines))",
            "\(Array(words.map { $0 ?? "nil" }))",
            "\(Array(tags.sorted()))", "\(prices.map { "\($0.key): \($0.value)" }.sorted())",
            "\(Array(tracks.map(\.number)))", "\(Array(others.map(\.id)))", "\(others2.map(\.id).sorted())",
            "\(Array(mixed.map(text)))", "\(mixedSet.map(text).sorted())",
        ]
        return values.joined(separator: " | ")
    }

    /// Changes something at random.
    func edit(_ random: inout RandomSource, _ realm: Realm) {
        func any() -> AnyRealmValue {
            switch random.below(7) {
            case 0: .none
            case 1: .int(random.below(9))
            case 2: .string("text \(random.below(9))")
            case 3: .object(self)
            case 4: .data(Data([UInt8(random.below(9))]))
            case 5: AnyRealmValue.fromArray([.int(random.below(9)), .string("in a list")])
            default: AnyRealmValue.fromDictionary(["key \(random.below(3))": .int(random.below(9))])
            }
        }
        func change<Element>(_ list: List<Element>, _ make: () -> Element) {
            let count = list.count
            switch random.below(count == 0 ? 2 : 7) {
            case 0: list.append(make())
            case 1: list.insert(make(), at: random.below(count + 1))
            case 2: list.remove(at: random.below(count))
            case 3: list[random.below(count)] = make()
            case 4: list.move(from: random.below(count), to: random.below(count))
            case 5: list.swapAt(random.below(count), random.below(count))
            default: if random.below(4) == 0 { list.removeAll() }
            }
        }
        let depots = realm.objects(Depot.self)
        let other = depots[random.below(depots.count)]
        switch random.below(18) {
        case 0: realm.delete(self)
        case 1: name = "name \(random.below(100))"
        case 2: size = random.chance(30) ? nil : random.below(100)
        case 3: mark = random.chance(30) ? nil : UUID()
        case 4: photo = Data((0..<random.below(50)).map { UInt8($0) })
        case 5: self.any = any()
        case 6: next = random.chance(30) ? nil : other
        case 7: yard = random.chance(30) ? nil : DepotTrack(value: ["number": random.below(100)])
        case 8: change(lines) { random.below(10) }
        case 9: change(words) { random.chance(20) ? nil : "word \(random.below(10))" }
        case 10:
            let tag = "tag \(random.below(10))"
            if tags.contains(tag) { tags.remove(tag) } else { tags.insert(tag) }
        case 11:
            let key = "price \(random.below(6))"
            if prices[key] != nil, random.chance(40) {
                prices[key] = nil
            } else {
                prices[key] = random.below(9)
            }
        case 12: change(tracks) { DepotTrack(value: ["number": random.below(100)]) }
        case 13: change(others) { other }
        case 14: if others2.contains(other) { others2.remove(other) } else { others2.insert(other) }
        case 15: change(mixed, any)
        case 16: lines.append(objectsIn: (0..<random.below(600)))
        default:
            let value: AnyRealmValue = random.chance(30) ? .object(other) : .int(random.below(20))
            if mixedSet.contains(value) { mixedSet.remove(value) } else { mixedSet.insert(value) }
        }
    }
}

/// A picture of all depots that observers update with their notifications: it has to equal the current contents.
final class DepotPicture {
    private let realm: Realm
    private var tokens: [NotificationToken] = []
    private var depots: [String] = []
    /// By the ids of depots: what observers of their lists and maps have.
    private var lines: [Int: [Int]] = [:]
    private var prices: [Int: [String: Int]] = [:]
    private var names: [Int: String] = [:]
    private var observations: [KeyValueObservation] = []
    private var watched: Set<Int> = []
    private(set) var failures: [String] = []
    private(set) var updates = 0

    init(_ realm: Realm) {
        self.realm = realm
        let results = realm.objects(Depot.self).sorted(byKeyPath: "id")
        tokens.append(
            results.observe { [unowned self] change in
                switch change {
                case .initial: change.apply(to: &depots, \.picture)
                case .update(let results, _, _, _):
                    updates += 1
                    change.apply(to: &depots, \.picture)
                    let wanted = Array(results.map(\.picture))
                    if depots != wanted {
                        failures.append("depots are \(wanted), and were told to be \(depots)")
                        depots = wanted
                    }
                    for depot in results { watch(depot) }
                case .error(let error): failures.append("\(error)")
                }
            })
    }

    /// Whether the observers have heard of all that the realm has.
    var isUpToDate: Bool { depots == realm.objects(Depot.self).sorted(byKeyPath: "id").map(\.picture) }

    func end() {
        for token in tokens { token.invalidate() }
        for observation in observations { observation.invalidate() }
    }

    /// Observes parts of a depot, each on its own.
    private func watch(_ depot: Depot) {
        let id = depot.id
        let (lines, prices) = (depot.lines, depot.prices)
        guard watched.insert(id).inserted else { return }
        tokens.append(
            depot.observe { [unowned self] change in if case .deleted = change { watched.remove(id) } })
        tokens.append(
            lines.observe { [unowned self] change in
                switch change {
                case .initial(let list): self.lines[id] = Array(list)
                case .update(let list, _, _, _):
                    if list.isInvalidated { return }
                    var told = self.lines[id]!
                    change.apply(to: &told) { $0 }
                    if told != Array(list) { failures.append("lines of \(id) do not add up") }
                    self.lines[id] = Array(list)
                case .error(let error): failures.append("\(error)")
                }
            })
        tokens.append(
            prices.observe { [unowned self] change in
                switch change {
                case .initial(let map):
                    self.prices[id] = Dictionary(uniqueKeysWithValues: map.map { ($0.key, $0.value) })
                case .update(let map, let deletions, let insertions, let modifications):
                    if map.isInvalidated { return }
                    var told = self.prices[id]!
                    for key in deletions { told[key] = nil }
                    for key in insertions + modifications { told[key] = map[key] }
                    let wanted = Dictionary(uniqueKeysWithValues: map.map { ($0.key, $0.value) })
                    if told != wanted { failures.append("prices of \(id) do not add up") }
                    self.prices[id] = wanted
                case .error(let error): failures.append("\(error)")
                }
            })
        names[id] = depot.name
        observations.append(
            depot.observe(\.name, options: [.old, .new]) { [unowned self] _, change in
                guard let old = change.oldValue, let new = change.newValue else { return }
                if names[id] != old { failures.append("the name of \(id) was \(old), not \(names[id]!)") }
                names[id] = new
            })
    }
}
