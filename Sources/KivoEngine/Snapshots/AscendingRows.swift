/// The first rows of a table, whose primary keys ascend with their object keys. A search of the column finds them, and the
/// primary key's ``HashIndex`` does not contain them.
///
///     object keys       1   2   3   5   6  │  7   8   9
///     primary keys     10  11  12  20  21  │  4  22   5
///                       ascending, end: 7  │  hash index
///
/// Integer keys that an app counts up need neither memory nor writes for an index that way. The ascending rows end before the first
/// row whose primary key is not greater than theirs: this row and all later ones are in the hash index. Only words ascend, because a
/// search for strings would read one string after another.
@usableFromInline package struct AscendingRows: Sendable, Equatable {
    /// The object key after the last of the rows.
    package var end: ObjectKey = 1
    /// The bounds of the primary keys. Deletions do not narrow them.
    package var least: Int64 = 0, greatest: Int64 = 0
    /// The number of rows.
    package var count = 0

    /// Creates a description of no rows.
    package init() {}

    /// Whether there may be a row with a primary key.
    @inline(__always)
    func mayContain(_ value: Int64) -> Bool { end > 1 && value >= least && value <= greatest }
}

extension Table {
    /// Returns the ascending row with a primary key, or nil if there is none. `ordinal` counts the table's indexes, and only that
    /// of the primary key has such rows. O(log n).
    @inline(__always)
    func ascendingKey(index ordinal: Int, _ column: Int, _ cell: Cell) -> ObjectKey? {
        guard let header, header.isPrimary(index: ordinal), case .word(let word) = cell,
            header.ascending.mayContain(Int64(bitPattern: word))
        else { return nil }
        return ascendingKey(header.ascending, column, Int64(bitPattern: word))
    }

    /// Returns the row with a primary key. The first probe assumes that the last keys have no gaps. Later ones interpolate, and every
    /// third one halves the range, so that there are O(log n) of them.
    private func ascendingKey(_ rows: AscendingRows, _ column: Int, _ value: Int64) -> ObjectKey? {
        // The row's key is in `low..<high`. The values are those of rows outside of this range, or the bounds.
        var (low, high) = (ObjectKey(1), rows.end)
        var (lowValue, highValue) = (rows.least, rows.greatest)
        let distance = UInt64(bitPattern: highValue &- value)
        var probe = distance < UInt64(high - low) ? high - 1 - ObjectKey(distance) : low
        var step = 0
        while low < high {
            if let row = firstRow(from: probe), row.key < high {
                let found = Int64(bitPattern: row.leaf.column(column).word(row.slot))
                if found == value { return row.key }
                if found < value {
                    (low, lowValue) = (row.key + 1, found)
                } else {
                    (high, highValue) = (probe, found)
                }
            } else {
                high = probe
            }
            step += 1
            probe = low + (high - low) / 2
            if step % 3 != 0, highValue != lowValue {
                let part =
                    Double(UInt64(bitPattern: value &- lowValue))
                    / Double(UInt64(bitPattern: highValue &- lowValue))
                probe = min(low + ObjectKey(part * Double(high - low)), high - 1)
            }
        }
        return nil
    }

    /// The primary key of the last of the ascending rows; nil if all of them were deleted. O(height · fanout).
    func lastAscending(_ rows: AscendingRows, _ column: Int) -> Int64? {
        let position = self.position(of: rows.end)
        if position == 0 { return nil }
        let located = leafContaining(position - 1)
        return Int64(bitPattern: located.leaf.column(column).word(located.row(at: position - 1).slot))
    }
}

#if DEBUG
extension Table {
    /// Checks that the primary keys of ascending rows ascend. O(rows).
    func checkAscendingRows(_ rows: AscendingRows, _ column: Int) {
        precondition(rows.end <= nextKey, "rows ascend that do not exist")
        precondition(rows.count == position(of: rows.end), "the number of ascending rows is wrong")
        var last: Int64?
        var next = rows.end > 1 ? firstRow(from: 1) : nil
        while let row = next, row.key < rows.end {
            let value = Int64(bitPattern: row.leaf.column(column).word(row.slot))
            precondition(last.map { $0 < value } ?? true, "the primary keys of rows do not ascend")
            precondition(rows.mayContain(value), "a primary key is outside of its bounds")
            last = value
            next = firstRow(from: row.key + 1)
        }
    }
}
#endif
