extension Leaf {
    /// The number of bytes that the leaf takes in memory, with the strings and bytes of its values, approximately.
    func residentByteCount(_ spec: TableSpec) -> Int {
        var sum = byteCount + 256
        for (index, column) in spec.columns.enumerated() {
            let buffer = self.column(index)
            if !isInline { sum += ColumnBuffer.inlineBytes(column.kind, capacity: capacity) + 24 }
            switch column.kind {
            case .string, .bytes, .any:
                occupied.forEach { sum += buffer.ownedBits($0, column.kind)?.residentByteCount ?? 0 }
            case .sequence, .keySet:
                occupied.forEach { slot in
                    guard let node = SequenceNode.partOfPage(buffer.data + slot * 8) else { return }
                    sum += SequenceNode.headerBytes + node.capacity * (column.element?.stride ?? 8) + 16
                }
            case .word, .wide, .link: break
            }
        }
        return sum
    }
}
