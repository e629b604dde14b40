/// A check of the rows of a table whose primary keys are said to ascend, one leaf after the other.
///
/// A search for a primary key relies on the order and on the bounds. Where they are wrong, there are objects that it does not find.
struct AscendingRowsCheck {
    private let rows: AscendingRows
    private let column: Int
    private var count = 0
    private var last: Int64?
    private var hasFlaw = false

    init(_ rows: AscendingRows, _ column: Int) { (self.rows, self.column) = (rows, column) }

    /// Compares the rows of the next leaf. Returns what is wrong with them, once for a table; nil if nothing is.
    mutating func check(_ leaf: Leaf) -> String? {
        if hasFlaw || leaf.firstKey >= rows.end { return nil }
        leaf.forEachRow(in: leaf.occupied) { slot, key in
            if key >= rows.end || hasFlaw { return }
            let value = Int64(bitPattern: leaf.column(column).word(slot))
            hasFlaw = !rows.mayContain(value) || last.map { $0 >= value } ?? false
            (count, last) = (count + 1, value)
        }
        return hasFlaw ? "primary keys that are found by their order do not ascend within their bounds" : nil
    }

    /// What is wrong after the last leaf; nil if nothing is, or if that was said.
    var reasonAtEnd: String? {
        if hasFlaw || count == rows.count { return nil }
        return "there are not as many rows with ascending primary keys as the checkpoint says"
    }
}
