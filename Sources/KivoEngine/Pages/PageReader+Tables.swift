/// Decoding of the pages of rows of tables.
extension PageReader {
    mutating func inner(_ expected: ExpectedTreeNode) throws(PageFlaw) -> UnsafeMutableRawPointer {
        let node = InnerNode.make(memory)
        guard try readByte() == expected.level else {
            throw PageFlaw("it is of another level than leads to it")
        }
        let bits = try readWord()
        for index in 0..<InnerNode.fanout where bits >> UInt64(index) & 1 != 0 {
            entryIndex = index
            let count = try readNumber()
            guard count > 0, count <= UInt32.max else { throw PageFlaw("a number of rows is out of range") }
            node.counts[index] = UInt32(count)
            try refer(
                node.children + index,
                .tree(
                    expected.child(
                        index, count: expected.count == PageExpectation.unknown ? expected.count : count))
            )
        }
        guard bits != 0, expected.count == PageExpectation.unknown || node.total == expected.count else {
            throw PageFlaw("there are not as many rows below it as it is said")
        }
        try end()
        return node.base
    }

    /// The beginning of a leaf's page, before the columns.
    struct LeafHeader {
        let spec: TableSpec
        let firstKey: ObjectKey
        let capacity: Int
        let isPacked: Bool
        let stored: Bits256
        let occupied: Bits256
    }

    mutating func leafHeader(_ expected: ExpectedTreeNode) throws(PageFlaw) -> LeafHeader {
        let table = try readNumber()
        guard table == Int(expected.table), catalog.tables.indices.contains(table) else {
            throw PageFlaw("it is of another table than leads to it")
        }
        let spec = catalog.tables[table]
        let firstKey = try readKey()
        guard firstKey == ObjectKey(expected.prefix) << spec.leafShift else {
            throw PageFlaw("it has other keys than lead to it")
        }
        let capacity = try readNumber()
        let isPacked = try readByte() == 1
        guard capacity > 0, capacity <= spec.leafSpan, capacity & (capacity - 1) == 0,
            isPacked == (capacity < spec.leafSpan)
        else { throw PageFlaw("it has no such number of slots") }
        let stored = isPacked ? try readBits() : Bits256(0..<capacity)
        let occupied = try readBits()
        guard stored.count <= capacity, occupied.subtracting(Bits256(0..<stored.count)).isEmpty,
            stored.subtracting(Bits256(0..<spec.leafSpan)).isEmpty, !occupied.isEmpty
        else { throw PageFlaw("it has rows outside of its slots") }
        guard expected.count == PageExpectation.unknown || expected.count == occupied.count else {
            throw PageFlaw("it has not as many rows as it is said")
        }
        return LeafHeader(
            spec: spec, firstKey: firstKey, capacity: capacity, isPacked: isPacked, stored: stored,
            occupied: occupied)
    }

    /// Reads the kind of a column and of its elements.
    mutating func readKind(of column: ColumnSpec) throws(PageFlaw) {
        guard try readByte() == column.kind.rawValue, try readByte() == column.element?.rawValue ?? 0xFF
        else {
            throw PageFlaw("a column is of another kind")
        }
    }

    mutating func leaf(_ expected: ExpectedTreeNode) throws(PageFlaw) -> UnsafeMutableRawPointer {
        let header = try leafHeader(expected)
        let (spec, occupied) = (header.spec, header.occupied)
        let leaf = Leaf.make(header.firstKey, capacity: header.capacity, spec, memory)
        if header.isPacked { leaf.stored = header.stored }
        leaf.occupied = occupied
        do throws(PageFlaw) {
            guard leaf.highestKey < expected.nextKey else {
                throw PageFlaw("it has other keys than lead to it")
            }
            for (index, column) in spec.columns.enumerated() {
                try readKind(of: column)
                entryIndex = index
                try read(leaf.column(index), occupied, column)
            }
            try checkMaps(leaf, spec)
            try end()
        } catch {
            // Values that were not read yet are zero, which owns nothing.
            leaf.releaseValues(spec.columns)
            throw error
        }
        return leaf.base
    }

    mutating func read(
        _ buffer: ColumnBuffer, _ slots: Bits256, _ column: ColumnSpec
    ) throws(PageFlaw) {
        if column.kind == .word || column.kind == .wide {
            let nulls = try readBits() & slots
            guard nulls.isEmpty || column.isOptional || replacesNulls else {
                throw PageFlaw("a required value is null")
            }
            buffer.nulls = column.isOptional ? nulls : Bits256()
            // Words of nulls are not in the page. They stay 0, which is also the default that replaces them.
            if column.kind == .word, packsWords {
                return try read(packedWords: buffer, slots.subtracting(nulls))
            }
        }
        switch column.kind {
        case .word: return try read(words: 1, buffer, slots)
        case .wide: return try read(words: 2, buffer, slots)
        default: break
        }
        var next = slots.next(from: 0)
        while let slot = next {
            switch column.kind {
            case .word, .wide: break
            case .string: if try !readShortString(buffer, slot) { try read(value: slot, buffer, column) }
            case .link: buffer.setWord(slot, UInt64(bitPattern: try readKey()))
            case .any, .bytes: try read(value: slot, buffer, column)
            case .sequence: try read(sequence: buffer.data + slot * 8, column)
            case .keySet: try read(keys: buffer.data + slot * 8, ExpectedSequenceNode(column))
            }
            next = slots.next(from: slot + 1)
        }
    }

    /// Reads values of one word or of two.
    private mutating func read(
        words: Int, _ buffer: ColumnBuffer, _ slots: Bits256
    ) throws(PageFlaw) {
        let byteCount = slots.count * words * 8
        try require(byteCount)
        defer { position += byteCount }
        let source = bytes.baseAddress.unsafelyUnwrapped + position
        let values = buffer.data.assumingMemoryBound(to: UInt64.self)
        #if _endian(little)
        if slots == Bits256(0..<slots.count) {
            return UnsafeMutableRawPointer(values).copyMemory(from: source, byteCount: byteCount)
        }
        #endif
        var (index, next) = (0, slots.next(from: 0))
        while let slot = next {
            for word in 0..<words {
                values[slot &* words &+ word] = UInt64(
                    littleEndian: source.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                index &+= 8
            }
            next = slots.next(from: slot &+ 1)
        }
    }

    /// Reads a string of up to 15 bytes of ASCII, which needs no check and no allocation. Returns false, and reads nothing, if
    /// there is another value.
    mutating func readShortString(_ buffer: ColumnBuffer, _ slot: Int) throws(PageFlaw) -> Bool {
        try require(1)
        let number = Int(bytes[position])
        guard number & 0x80 == 0, StringLayout.current.isKnown, !doublesLengths || number & 1 == 0 else {
            return false
        }
        // 0 stands for null.
        let count = (doublesLengths ? number / 2 : number) - 1
        guard count >= 0, count <= StringBits.largest, bytes.count - position > StringBits.largest + 1,
            let bits = StringBits(
                ascii: bytes.baseAddress.unsafelyUnwrapped + position + 1, count: count)
        else { return false }
        buffer.data.assumingMemoryBound(to: (UInt64, UInt64).self)[slot] = (bits.low, bits.high)
        position += 1 + count
        return true
    }

    /// Reads a string, bytes, or a value of any type.
    private mutating func read(
        value slot: Int, _ buffer: ColumnBuffer, _ column: ColumnSpec
    ) throws(PageFlaw) {
        let address = buffer.address(slot, column.kind)
        let isString = column.kind == .string
        let cell =
            column.kind == .any ? try readAny(for: address) : try readCell(isString: isString, for: address)
        guard var cell else { return }
        if cell == .null, column.kind != .any, !column.isOptional {
            guard replacesNulls else { throw PageFlaw("a required value is null") }
            cell = .empty(isString: isString)
        }
        buffer.initialize(slot, cell, column.kind)
    }

    /// Compares the numbers of keys and values of small maps. Maps in pages of their own are skipped.
    private func checkMaps(_ leaf: Leaf, _ spec: TableSpec) throws(PageFlaw) {
        for property in spec.properties {
            guard let column = property.valuesColumn else { continue }
            let (names, values) = (leaf.column(property.column).data, leaf.column(column).data)
            var next = leaf.occupied.next(from: 0)
            while let slot = next {
                if let a = smallCount(names + slot * 8), let b = smallCount(values + slot * 8), a != b {
                    throw PageFlaw("a map has not as many values as keys")
                }
                next = leaf.occupied.next(from: slot + 1)
            }
        }
    }

    /// Returns the number of elements of a sequence in the page of its row, or nil if it is not in that page.
    private func smallCount(_ slot: UnsafeMutableRawPointer) -> Int? {
        if NodeSlot.load(slot) == 0 { return references.contains { $0.slot == slot } ? nil : 0 }
        return SequenceNode.small(slot)?.count
    }
}

extension Leaf {
    /// The highest key of a row; 0 if the leaf is empty.
    var highestKey: ObjectKey {
        let last = occupied.count - 1
        return last < 0 ? 0 : key(ofSlot: occupied.select(last))
    }

    /// Releases the strings and bytes of a leaf that is discarded, and those of its small sequences.
    func releaseValues(_ columns: [ColumnSpec]) {
        for (index, column) in columns.enumerated() {
            let buffer = self.column(index)
            occupied.forEach { slot in
                switch column.kind {
                case .string, .bytes, .any: buffer.ownedBits(slot, column.kind)?.release()
                case .sequence:
                    SequenceNode.small(buffer.data + slot * 8)?.releaseElements(column.element!, nil)
                default: break
                }
            }
        }
    }
}
