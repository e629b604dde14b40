import Kivo

/// What ``BatchUpdateTable`` is for collections, for maps: it shows what a map's notifications tell it to show.
///
/// Feed it every change of one observation. It removes the entries of deletions, takes those of insertions and
/// modifications from the map, and refuses what cannot be: keys that do not ascend, deletions and modifications of keys
/// that are not shown, insertions of such that are, and entries that differ from the map afterwards.
///
///     let table = MapUpdateTable<String, Int, Int> { $0 }
///     let token = inventory.stock.observe { table.apply($0) }
///
/// Belongs to the thread of the observation.
public final class MapUpdateTable<Key: _MapKey, Value: RealmCollectionValue, Row: Equatable> {
    /// What is shown of each value.
    public private(set) var rows: [Key: Row] = [:]
    /// How many changes were applied, the first one included.
    public private(set) var changeCount = 0
    /// What was wrong with the changes, in words; empty if all of them added up.
    public private(set) var problems: [String] = []

    private let row: (Value) -> Row

    /// A table that shows values as rows.
    public init(row: @escaping (Value) -> Row) {
        self.row = row
    }

    /// Applies one change. O(entries).
    public func apply(_ change: RealmMapChange<Map<Key, Value>>) {
        changeCount += 1
        switch change {
        case .initial(let map): rows = shown(of: map)
        case .update(let map, let deletions, let insertions, let modifications):
            update(shown(of: map), deletions, insertions, modifications)
        case .error(let error): problems.append("change \(changeCount) is an error: \(error)")
        }
    }

    /// What there is to show of a map; nothing if the object that had it is gone.
    private func shown(of map: Map<Key, Value>) -> [Key: Row] {
        if map.isInvalidated { return [:] }
        return Dictionary(uniqueKeysWithValues: zip(map.keys, map.values.map(row)))
    }

    private func update(
        _ new: [Key: Row], _ deletions: [Key], _ insertions: [Key], _ modifications: [Key]
    ) {
        checkOrder(deletions, "deletions")
        checkOrder(insertions, "insertions")
        checkOrder(modifications, "modifications")
        for key in deletions where rows.removeValue(forKey: key) == nil {
            note("\(key) is deleted and was not there")
        }
        for key in modifications where rows[key] == nil { note("\(key) is modified and was not there") }
        for key in insertions where rows[key] != nil { note("\(key) is inserted and was there") }
        for key in insertions + modifications { rows[key] = new[key] }
        for key in Set(rows.keys).union(new.keys).sorted() where rows[key] != new[key] {
            note("\(key) shows \(text(rows[key])) and should show \(text(new[key]))")
        }
        rows = new
    }

    private func checkOrder(_ keys: [Key], _ name: String) {
        let isAscending = zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 }
        if !isAscending { note("\(name) \(keys) do not ascend") }
    }

    private func text(_ row: Row?) -> String { row.map { "\($0)" } ?? "nothing" }

    private func note(_ problem: String) { problems.append("change \(changeCount): \(problem)") }
}
