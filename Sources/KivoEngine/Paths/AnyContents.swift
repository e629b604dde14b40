/// The contents of an any value, with which conditions compare lists and dictionaries.
@usableFromInline package indirect enum AnyContents: Sendable, Equatable {
    /// A value that is no list and no dictionary: a plain one or a link.
    case single(Cell)
    case list([AnyContents])
    /// Contents by key, each key once.
    case dictionary([Entry])
    /// Contents that no stored value has.
    case none

    /// The contents of a dictionary for a key.
    @usableFromInline package struct Entry: Sendable, Equatable {
        let key: Cell
        let value: AnyContents

        /// Creates an entry.
        package init(key: Cell, value: AnyContents) { (self.key, self.value) = (key, value) }
    }
}

extension AnyTables {
    /// Returns whether a value of a snapshot has some contents. Numbers are compared by their numeric value.
    ///
    /// - Complexity: O(n) in the size of the contents; O(1) if the numbers of elements differ.
    func holds(_ contents: AnyContents, _ cell: Cell, _ snapshot: Snapshot) -> Bool {
        let row = cell.target
        switch contents {
        case .none: return false
        case .single(let value): return AnyOrder.areEqual(cell, value)
        case .list(let elements):
            guard let row, container(row) == .list else { return false }
            let held = self.elements(row, snapshot)
            return held.count == elements.count
                && elements.indices.allSatisfy { holds(elements[$0], held.cell(at: $0), snapshot) }
        case .dictionary(let entries):
            guard let row, container(row) == .dictionary else { return false }
            let (keys, values) = (self.keys(row, snapshot), self.elements(row, snapshot))
            return keys.count == entries.count
                && entries.allSatisfy { entry in
                    let (position, isEqual) = keys.lowerBound(entry.key)
                    return isEqual && holds(entry.value, values.cell(at: position), snapshot)
                }
        }
    }
}
