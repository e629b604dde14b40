import Kivo

/// An object in the map of the fuzz test.
class MapFuzzItem: Object {
    @Persisted var value = 0
    @Persisted var link: MapFuzzItem?

    var valuesWithinThreeLinks: [Int?] {
        [value, link?.value, link?.link?.value, link?.link?.link?.value]
    }
}

/// The owner of the maps of the fuzz test.
class MapFuzzHolder: Object {
    @Persisted var counts: Map<String, Int>
    @Persisted var items: Map<String, MapFuzzItem?>
}

/// One random change, which can be made in a realm and in the model alike: objects are counted in order of
/// creation, modulo how many there are.
enum MapFuzzEdit: Sendable {
    case create(Int)
    case delete(Int)
    case set(Int, Int)
    case link(Int, Int?)
    case putCount(String, Int)
    case removeCount(String)
    case clearCounts
    case assignCounts([String: Int])
    case putItem(String, Int?)
    case removeItem(String)
    case clearItems
    /// An edit by values as JSON and careless code give them; the number is a seed.
    indirect case loosely(MapFuzzEdit, UInt64)

    static func random(_ random: inout RandomSource) -> MapFuzzEdit {
        let edit = plain(&random)
        return random.chance(15) ? .loosely(edit, random.next()) : edit
    }

    private static func plain(_ random: inout RandomSource) -> MapFuzzEdit {
        let (a, b) = (random.below(1000), random.below(1000))
        // Few keys, so that one is often removed and put again.
        let key = "\(random.below(25))"
        switch random.below(40) {
        case 0..<4: return .create(a)
        case 4, 5: return .delete(a)
        case 6..<11: return .set(a, b)
        case 11..<14: return .link(a, random.chance(80) ? b : nil)
        case 14..<20: return .putCount(key, a)
        case 20..<24: return .removeCount(key)
        case 24: return random.chance(30) ? .clearCounts : .removeCount(key)
        case 25:
            return random.chance(30) ? .assignCounts([key: a, "other \(b % 5)": b]) : .putCount(key, a)
        case 26..<34: return .putItem(key, random.chance(90) ? a : nil)
        case 34..<38: return .removeItem(key)
        case 38: return random.chance(30) ? .clearItems : .removeItem(key)
        default: return .delete(a)
        }
    }

    func make(in realm: Realm) {
        guard let holder = realm.objects(MapFuzzHolder.self).first else { return }
        let items = realm.objects(MapFuzzItem.self)
        func item(_ place: Int?) -> MapFuzzItem? {
            place.flatMap { items.isEmpty ? nil : items[$0 % items.count] }
        }
        switch self {
        case .create(let value): realm.create(MapFuzzItem.self, value: ["value": value])
        case .delete(let place): if let item = item(place) { realm.delete(item) }
        case .set(let place, let value): item(place)?.value = value
        case .link(let place, let target): item(place)?.link = item(target)
        case .putCount(let key, let value): holder.counts[key] = value
        case .removeCount(let key): holder.counts[key] = nil
        case .clearCounts: holder.counts.removeAll()
        case .assignCounts(let entries):
            let other = Map<String, Int>()
            for (key, value) in entries { other[key] = value }
            holder.counts = other
        case .putItem(let key, let place): holder.items[key] = .some(item(place))
        case .removeItem(let key): holder.items.removeObject(for: key)
        case .clearItems: holder.items.removeAll()
        case .loosely(let edit, let seed):
            var random = RandomSource(seed: seed)
            if !edit.makeLoosely(in: realm, &random) { edit.make(in: realm) }
        }
    }
}

/// The entries as plain dictionaries, and the changes since the last look.
struct MapFuzzModel {
    /// The changes of one map's keys.
    struct Keys {
        var now: Set<String> = []
        /// The keys at the time of the last look.
        var old: Set<String> = []
        /// The keys in `old` that were removed, even if they were inserted again.
        var gone: Set<String> = []
        /// The keys in `now` that stayed and were assigned.
        var assigned: Set<String> = []
        /// Whether the last thing that happened was that all keys were taken out at once.
        var isCleared = false

        var kept: Set<String> { now.intersection(old).subtracting(gone) }
        var inserted: Set<String> { now.subtracting(kept) }

        mutating func put(_ key: String) {
            if kept.contains(key) { assigned.insert(key) }
            if now.insert(key).inserted { isCleared = false }
        }

        mutating func remove(_ key: String) {
            guard now.remove(key) != nil else { return }
            assigned.remove(key)
            if old.contains(key) { gone.insert(key) }
        }

        mutating func clear() {
            guard !now.isEmpty else { return }
            for key in now { remove(key) }
            isCleared = true
        }

        mutating func look() { self = Keys(now: now, old: now) }

        /// Returns the update that describes the changes, with more keys that count as modified, or nil if there are none.
        func update(alsoModified: Set<String> = []) -> String? {
            let modified = assigned.union(kept.intersection(alsoModified))
            if gone.isEmpty, inserted.isEmpty, modified.isEmpty, !isCleared { return nil }
            return "-\(gone.sorted()) +\(inserted.sorted()) ~\(modified.sorted())"
        }
    }

    private struct Item {
        var link: Int?
        var isNew = true
        var isValueSet = false
        var isLinkSet = false
    }

    var counts = Keys()
    var items = Keys()
    private var values: [String: Int] = [:]
    private var all: [Int: Item] = [:]
    private var lastID = 0

    mutating func look() {
        counts.look()
        items.look()
        all = all.mapValues { Item(link: $0.link, isNew: false) }
    }

    mutating func make(_ edit: MapFuzzEdit) {
        let ids = all.keys.sorted()
        func id(_ place: Int?) -> Int? { place.flatMap { ids.isEmpty ? nil : ids[$0 % ids.count] } }
        switch edit {
        case .create:
            lastID += 1
            all[lastID] = Item()
        case .delete(let place): if let id = id(place) { delete(id) }
        case .set(let place, _): if let id = id(place) { all[id]?.isValueSet = true }
        case .link(let place, let target):
            guard let origin = id(place) else { return }
            all[origin]?.link = id(target)
            all[origin]?.isLinkSet = true
        case .putCount(let key, _): counts.put(key)
        case .removeCount(let key): counts.remove(key)
        case .clearCounts: counts.clear()
        case .assignCounts(let entries):
            counts.clear()
            for key in entries.keys { counts.put(key) }
        case .putItem(let key, let place):
            items.put(key)
            values[key] = id(place)
        case .removeItem(let key):
            items.remove(key)
            values[key] = nil
        case .clearItems:
            items.clear()
            values = [:]
        case .loosely(let edit, _): make(edit)
        }
    }

    private mutating func delete(_ id: Int) {
        all[id] = nil
        for (origin, item) in all where item.link == id {
            all[origin]?.link = nil
            all[origin]?.isLinkSet = true
        }
        for (key, value) in values where value == id {
            values[key] = nil
            items.put(key)
        }
    }

    // MARK: Which objects count as modified

    /// Keys whose object, or one at most three links away, was modified.
    var modifiedWithinThreeLinks: Set<String> {
        keys { id in
            var next: Int? = id
            for _ in 0...3 {
                guard let item = next.flatMap({ all[$0] }) else { return false }
                if !item.isNew, item.isValueSet || item.isLinkSet { return true }
                next = item.link
            }
            return false
        }
    }

    /// Keys whose object's value was assigned.
    var modifiedByValue: Set<String> { keys { all[$0]!.isValueSet } }

    /// Keys whose object was linked to another one, or whose linked object's value was assigned or is new.
    var modifiedByLinkedValue: Set<String> {
        keys { id in
            let item = all[id]!
            guard !item.isLinkSet, let target = item.link.flatMap({ all[$0] }) else { return item.isLinkSet }
            return target.isNew || target.isValueSet
        }
    }

    private func keys(where isModified: (Int) -> Bool) -> Set<String> {
        Set(values.filter { !all[$0.value]!.isNew && isModified($0.value) }.keys)
    }
}
