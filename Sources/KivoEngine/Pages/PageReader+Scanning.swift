/// Decoding of some columns of a leaf, which leaves out the others.
extension PageReader {
    /// Decodes columns of the page of a leaf into a leaf with the same number of slots, whose other columns are left as they are.
    /// Returns false if that is not possible, so that the node has to be loaded: because the leaf is packed, or because values are
    /// in pages of their own. Throws if the page is not as expected or is malformed, as far as it is read.
    ///
    /// - Parameters:
    ///   - columns: the numbers of the columns, ascending. Their kinds are words, pairs of words, strings or links.
    ///   - owned: receives the columns in which strings own memory.
    mutating func read(_ columns: [Int], into leaf: Leaf, owned: inout Set<Int>) throws(PageFlaw) -> Bool {
        guard bytes[PageLayout.kindOffset] == PageLayout.Kind.leaf.rawValue,
            case .tree(let expected) = expected
        else { throw PageFlaw("it is not of the kind that leads to it") }
        let header = try leafHeader(expected)
        guard !header.isPacked, header.capacity == leaf.capacity, let last = columns.last else {
            return false
        }
        leaf.firstKey = header.firstKey
        leaf.occupied = header.occupied
        var next = 0
        for (index, column) in header.spec.columns[...last].enumerated() {
            try readKind(of: column)
            if columns[next] != index {
                guard try skip(column, header.occupied) else { return false }
                continue
            }
            next += 1
            if column.kind != .string {
                try read(leaf.column(index), header.occupied, column)
            } else if try !read(strings: leaf.column(index), header.occupied, column, &owned, index) {
                return false
            }
        }
        return true
    }

    /// Decodes the strings of a column. Returns false if one has a page of its own.
    private mutating func read(
        strings buffer: ColumnBuffer, _ slots: Bits256, _ column: ColumnSpec, _ owned: inout Set<Int>,
        _ index: Int
    ) throws(PageFlaw) -> Bool {
        var next = slots.next(from: 0)
        while let slot = next {
            if try !readShortString(buffer, slot) {
                switch try readContents() {
                case .null:
                    guard column.isOptional else { throw PageFlaw("a required value is null") }
                    buffer.initializeNull(slot, .string)
                case .inPlace(let bytes):
                    buffer.initialize(slot, Cell(bytes, isString: true), .string)
                    owned.insert(index)
                case .elsewhere: return false
                }
            }
            next = slots.next(from: slot &+ 1)
        }
        return true
    }

    /// Moves behind the values of a column. Returns false if their end is found only by decoding them.
    private mutating func skip(_ column: ColumnSpec, _ slots: Bits256) throws(PageFlaw) -> Bool {
        switch column.kind {
        case .word:
            let values = slots.subtracting(try readBits())
            try skip(packsWords ? try readPacking().width * values.count : slots.count * 8)
        case .wide:
            _ = try readBits()
            try skip(slots.count * 16)
        case .string, .bytes: for _ in 0..<slots.count { _ = try readContents() }
        case .link: for _ in 0..<slots.count { _ = try readKey() }
        case .any, .sequence, .keySet: return false
        }
        return true
    }

    private mutating func skip(_ count: Int) throws(PageFlaw) {
        try require(count)
        position += count
    }
}
