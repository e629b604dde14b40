/// Pages of the rows of tables.
extension PageReader {
    mutating func inner() throws(PageFlaw) -> UnsafeMutableRawPointer {
        let node = InnerNode.make(memory)
        level = Int(try readByte())
        let role = level == 1 ? NodeRole.leaf : .inner
        let bits = try readWord()
        for index in 0..<InnerNode.fanout where bits >> UInt64(index) & 1 != 0 {
            place = index
            let count = try readNumber()
            guard count > 0, count <= UInt32.max else { throw PageFlaw("a number of rows is out of range") }
            node.counts[index] = UInt32(count)
            try refer(node.children + index, role)
        }
        return node.base
    }

    mutating func leaf() throws(PageFlaw) -> UnsafeMutableRawPointer {
        table = try readNumber()
        guard catalog.tables.indices.contains(table) else { throw PageFlaw("it is of an unknown table") }
        let spec = catalog.tables[table]
        let firstKey = try readKey()
        guard firstKey & ObjectKey(spec.leafSpan - 1) == 0 else { throw PageFlaw("its keys begin nowhere") }
        let capacity = try readNumber()
        let isPacked = try readByte() == 1
        guard capacity > 0, capacity <= spec.leafSpan, capacity & (capacity - 1) == 0,
            isPacked == (capacity < spec.leafSpan)
        else { throw PageFlaw("it has no such number of slots") }
        let stored = isPacked ? try readBits() : Bits256(0..<capacity)
        let occupied = try readBits()
        guard stored.count <= capacity, occupied.subtracting(Bits256(0..<stored.count)).isEmpty,
            stored.subtracting(Bits256(0..<spec.leafSpan)).isEmpty
        else { throw PageFlaw("it has rows outside of its slots") }
        let leaf = Leaf.make(firstKey, capacity: capacity, spec, memory)
        if isPacked { leaf.stored = stored }
        leaf.occupied = occupied
        do throws(PageFlaw) {
            for (index, column) in spec.columns.enumerated() {
                guard try readByte() == column.kind.rawValue,
                    try readByte() == column.element?.rawValue ?? 0xFF
                else { throw PageFlaw("a column is of another kind") }
                place = index
                try read(leaf.column(index), occupied, column)
            }
        } catch {
            // What is not read is zero, which owns nothing.
            leaf.releaseValues(spec.columns)
            throw error
        }
        return leaf.base
    }

    mutating func read(
        _ buffer: ColumnBuffer, _ slots: Bits256, _ column: ColumnSpec
    ) throws(PageFlaw) {
        if column.kind == .word || column.kind == .wide { buffer.nulls = try readBits() & slots }
        var next = slots.next(from: 0)
        while let slot = next {
            switch column.kind {
            case .word: buffer.setWord(slot, try readWord())
            case .wide: ColumnValues.setWide(buffer.data, slot, (try readWord(), try readWord()))
            case .link: buffer.setWord(slot, UInt64(bitPattern: try readKey()))
            case .any: AnySlot(buffer.data, slot).initialize(try readAny())
            case .string: (buffer.strings + slot).initialize(to: try readString())
            case .bytes: (buffer.bytes + slot).initialize(to: try readBytes())
            case .sequence: try read(sequence: buffer.data + slot * 8, column.element!)
            case .keySet: try read(keys: buffer.data + slot * 8)
            }
            next = slots.next(from: slot + 1)
        }
    }
}

extension Leaf {
    /// Gives up the strings and bytes of a leaf that does not come to be, and those of its small sequences.
    func releaseValues(_ columns: [ColumnSpec]) {
        for (index, column) in columns.enumerated() {
            let buffer = self.column(index)
            occupied.forEach { slot in
                switch column.kind {
                case .string, .bytes, .any: buffer.ownedBits(slot, column.kind)?.release()
                case .sequence:
                    let word = NodeSlot.load(buffer.data + slot * 8)
                    if PageReference(stub: UInt64(word)) == nil,
                        let root = UnsafeMutableRawPointer(bitPattern: word)
                    {
                        SequenceNode(base: root).releaseElements(column.element!, nil)
                    }
                default: break
                }
            }
        }
    }
}
