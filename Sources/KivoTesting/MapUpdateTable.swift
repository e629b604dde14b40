import Kivo

/// A counterpart of ``BatchUpdateTable`` for maps. It updates its entries from a map's notifications.
///
/// Pass it every change of one observation. It removes deleted entries, and reads inserted and modified ones from the map. It
/// reports keys that do not ascend, deletions and modifications of keys that are not shown, and insertions of keys that are. It
/// also reports entries that differ from the map after an update.
///
///     let table = MapUpdateTable<String, Int, Int> { $0 }
///     let token = inventory.stock.observe { table.apply($0) }
///
/// Belongs to the thread of the observation.
public final class MapUpdateTable<Key: _MapKey, Value: RealmCollectionValue, Row: Equatable> {
    /// The row of each value that is shown, by key.
    public private(set) var rows: [Key: Row] = [:]
    /// The number of applied changes, including the first one.
    public private(set) var changeCount = 0
    /// Descriptions of the inconsistencies in the changes; empty if there are none.
    public private(set) var problems: [String] = []

    private let row: (Value) -> Row

    /// Creates a table that shows values as rows.
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

    /// Returns the rows of a map, or none if its object was deleted.
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
