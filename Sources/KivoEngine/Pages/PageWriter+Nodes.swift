extension PageWriter {
    // MARK: Tables

    mutating func writePages(
        ofTree slot: UnsafeMutableRawPointer, _ expected: ExpectedTreeNode, _ spec: TableSpec
    ) throws(Destination.Failure) -> Location {
        let (existing, node) = try existingPage(of: slot)
        guard let node else { return existing! }
        if expected.level == 0 { return try writePage(of: Leaf(base: node), expected, spec) }
        let inner = InnerNode(base: node)
        var (children, bits): ([Location], UInt64) = ([], 0)
        // A node has no rows only in a transaction, which removes it when it ends: a copy is written without it.
        for index in 0..<InnerNode.fanout where inner.counts[index] > 0 {
            bits |= 1 << UInt64(index)
            let child = expected.child(index, count: Int(inner.counts[index]))
            children.append(try writePages(ofTree: inner.children + index, child, spec))
        }
        let start = begin(.inner, children)
        chunk.write(byte: expected.level)
        chunk.write(word: bits)
        for index in 0..<InnerNode.fanout where bits >> UInt64(index) & 1 != 0 {
            chunk.write(number: Int(inner.counts[index]))
        }
        return try end(start, node)
    }

    private mutating func writePage(
        of leaf: Leaf, _ expected: ExpectedTreeNode, _ spec: TableSpec
    ) throws(Destination.Failure) -> Location {
        var references: [Location] = []
        var doublesLengths = false
        for (index, column) in spec.columns.enumerated() {
            if column.kind == .word || column.kind == .wide || column.kind == .link { continue }
            let buffer = leaf.column(index)
            var next = leaf.occupied.next(from: 0)
            while let slot = next {
                if column.kind == .sequence || column.kind == .keySet {
                    let root = buffer.data + slot * 8
                    if isLarge(root, column) {
                        references.append(try writePages(ofSequence: root, column))
                    } else if column.kind == .sequence {
                        doublesLengths = try writeLargeValues(in: root, column, &references) || doublesLengths
                    }
                } else if let large = buffer.large(slot, column.kind) {
                    references.append(try writePage(of: large))
                    doublesLengths = true
                }
                next = leaf.occupied.next(from: slot + 1)
            }
        }
        let start = begin(.leaf, references, doublesLengths: doublesLengths)
        chunk.write(number: Int(expected.table))
        chunk.write(number: leaf.firstKey)
        chunk.write(number: leaf.capacity)
        chunk.write(byte: leaf.isPacked ? 1 : 0)
        if leaf.isPacked { chunk.write(leaf.stored) }
        chunk.write(leaf.occupied)
        for (index, column) in spec.columns.enumerated() {
            chunk.write(byte: column.kind.rawValue)
            chunk.write(byte: column.element?.rawValue ?? 0xFF)
            write(leaf.column(index), leaf.occupied, column)
        }
        return try end(start, leaf.base, destination.notesNodes ? EvictableNode(leaf, expected, spec) : nil)
    }

    private func write(_ buffer: ColumnBuffer, _ slots: Bits256, _ column: ColumnSpec) {
        // Closures that captured the writer would look up its generic type for each value.
        let chunk = chunk
        switch column.kind {
        case .word, .wide:
            chunk.write(buffer.nulls & slots)
            if column.kind == .word {
                chunk.write(words: buffer, slots.subtracting(buffer.nulls))
            } else {
                slots.forEach {
                    chunk.write(word: buffer.word($0 * 2))
                    chunk.write(word: buffer.word($0 * 2 + 1))
                }
            }
        case .link: slots.forEach { chunk.write(number: Int64(bitPattern: buffer.word($0))) }
        case .any, .string, .bytes:
            slots.forEach { slot in
                if let large = buffer.large(slot, column.kind) {
                    chunk.write(referenceTo: large, isAny: column.kind == .any)
                } else if column.kind == .any {
                    chunk.write(any: buffer.cell(slot, .any))
                } else {
                    chunk.write(buffer.cell(slot, column.kind))
                }
            }
        case .sequence: slots.forEach { write(sequence: buffer.data + $0 * 8, column) }
        case .keySet: slots.forEach { write(keys: buffer.data + $0 * 8) }
        }
    }

    // MARK: Sequences

    /// Whether a sequence has pages of its own: it has more than one leaf, or a leaf with more than a few bytes.
    private func isLarge(_ slot: UnsafeMutableRawPointer, _ column: ColumnSpec? = nil) -> Bool {
        let word = NodeSlot.load(slot)
        // A set of one key has no node; the other bits of its word are arbitrary.
        if word & 1 == 1 { return false }
        if word & UInt(PageReference.stubMark) != 0 { return true }
        guard let root = UnsafeMutableRawPointer(bitPattern: word) else { return false }
        let node = SequenceNode(base: root)
        guard node.isLeaf else { return true }
        guard let column, let element = column.element, element.isReference else { return false }
        return node.byteCount(element, isSorted: column.order == .sorted) > LargeValue.threshold
    }

    /// Writes the pages of the large values of a leaf. Returns whether there are any.
    private mutating func writeLargeValues(
        of node: SequenceNode, _ column: ColumnSpec, _ references: inout [Location]
    ) throws(Destination.Failure) -> Bool {
        guard let element = column.element, element.isReference, column.order != .sorted else { return false }
        let before = references.count
        for index in 0..<node.count {
            if let large = element.large(node.elements + index * element.stride) {
                references.append(try writePage(of: large))
            }
        }
        return references.count > before
    }

    /// Writes the pages of the large values of a sequence that is stored in the page of its row.
    private mutating func writeLargeValues(
        in slot: UnsafeMutableRawPointer, _ column: ColumnSpec, _ references: inout [Location]
    ) throws(Destination.Failure) -> Bool {
        guard let root = UnsafeMutableRawPointer(bitPattern: NodeSlot.load(slot)) else { return false }
        return try writeLargeValues(of: SequenceNode(base: root), column, &references)
    }

    private mutating func writePages(
        ofSequence slot: UnsafeMutableRawPointer, _ column: ColumnSpec
    ) throws(Destination.Failure) -> Location {
        let (existing, base) = try existingPage(of: slot)
        guard let base else { return existing! }
        let node = SequenceNode(base: base)
        let element = column.element ?? .link
        var references: [Location] = []
        if node.isLeaf {
            let doublesLengths = try writeLargeValues(of: node, column, &references)
            let start = begin(.sequenceLeaf, references, doublesLengths: doublesLengths)
            chunk.write(byte: element.rawValue)
            chunk.write(number: node.count)
            chunk.write(elementsOf: node, element, isSorted: column.order == .sorted)
            return try end(start, base)
        }
        for index in 0..<node.count {
            references.append(try writePages(ofSequence: node.children + index, column))
        }
        let start = begin(.sequenceInner, references)
        chunk.write(byte: element.rawValue)
        chunk.write(byte: UInt8(node.level))
        chunk.write(number: node.count)
        for index in 0..<node.count { chunk.write(number: node.totals[index]) }
        return try end(start, base)
    }

    /// Writes a sequence: twice the number of elements, then the elements; or 1 if the next reference leads to them.
    private func write(sequence slot: UnsafeMutableRawPointer, _ column: ColumnSpec) {
        if isLarge(slot, column) { return chunk.write(number: 1) }
        guard let root = UnsafeMutableRawPointer(bitPattern: NodeSlot.load(slot)) else {
            return chunk.write(number: 0)
        }
        let node = SequenceNode(base: root)
        note(root: node)
        chunk.write(number: node.count * 2)
        chunk.write(elementsOf: node, column.element!, isSorted: column.order == .sorted)
    }

    /// Notes a root that is written into the page of its row or bucket. It may be a node of a larger sequence that has become small.
    private func note(root: SequenceNode) {
        if PageReference(ofNode: root.base) != nil { chunk.roots.append(root.base) }
    }

    /// Writes ascending keys in the form of a sequence: twice their number, then the keys; or 1 if the next reference leads to
    /// them.
    private func write(keys slot: UnsafeMutableRawPointer) {
        if isLarge(slot) { return chunk.write(number: 1) }
        let word = slot.load(as: UInt64.self)
        if word & 1 == 1 {
            chunk.write(number: 2)
            chunk.write(number: ObjectKey(bitPattern: word >> 1))
        } else if let root = UnsafeMutableRawPointer(bitPattern: UInt(word)) {
            let node = SequenceNode(base: root)
            note(root: node)
            chunk.write(number: node.count * 2)
            chunk.write(keysOf: node)
        } else {
            chunk.write(number: 0)
        }
    }

    // MARK: Indexes

    mutating func writePages(
        ofIndex slot: UnsafeMutableRawPointer, _ expected: ExpectedIndexNode
    ) throws(Destination.Failure) -> Location {
        let (existing, node) = try existingPage(of: slot)
        guard let node else { return existing! }
        if HashIndex.isBucket(node) {
            return try writePages(ofBucket: HashIndex.Bucket(node), expected)
        }
        let children = HashIndex.children(node)
        var (locations, bits): ([Location], UInt64) = ([], 0)
        for index in 0..<HashIndex.fanout where children[index] != nil {
            bits |= 1 << UInt64(index)
            locations.append(try writePages(ofIndex: children + index, expected.child(index)))
        }
        let start = begin(.indexInner, locations)
        chunk.write(number: Int(bits))
        return try end(start, node)
    }

    private mutating func writePages(
        ofBucket bucket: HashIndex.Bucket, _ expected: ExpectedIndexNode
    ) throws(Destination.Failure) -> Location {
        var large: [Location] = []
        for entry in 0..<bucket.count where isLarge(bucket.keySlot(entry)) {
            large.append(try writePages(ofSequence: bucket.keySlot(entry), .keys))
        }
        let start = begin(.bucket, large)
        chunk.write(number: bucket.count)
        for entry in 0..<bucket.count {
            chunk.write(word: bucket.entries[entry].hash)
            write(keys: bucket.keySlot(entry))
        }
        return try end(start, bucket.base, destination.notesNodes ? EvictableNode(bucket, expected) : nil)
    }
}

extension ColumnSpec {
    /// A column for the keys of a hash, which have no column of their own.
    fileprivate static let keys = ColumnSpec(name: "", kind: .keySet)
}

extension SequenceNode {
    /// Returns the number of bytes that the strings and bytes of a leaf take in a page.
    ///
    /// - Parameter isSorted: whether large values are also in place.
    fileprivate func byteCount(_ element: ElementKind, isSorted: Bool) -> Int {
        var sum = 0
        for index in 0..<count {
            let slot = elements + index * element.stride
            if isSorted || element.large(slot) == nil { sum += element.load(slot).byteCount }
        }
        return sum
    }
}
