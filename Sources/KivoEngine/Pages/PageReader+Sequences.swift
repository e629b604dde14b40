/// Decoding of the pages of elements of collections.
extension PageReader {
    mutating func sequenceLeaf(_ expected: ExpectedSequenceNode) throws(PageFlaw) -> SequenceNode {
        try check(expected, element: try readByte(), level: 0)
        let count = try readNumber()
        try check(expected, total: count)
        let node = try sequenceLeaf(of: count, expected)
        do throws(PageFlaw) {
            try end()
        } catch {
            node.releaseElements(expected.element, memory.heap)
            throw error
        }
        return node
    }

    private func check(_ expected: ExpectedSequenceNode, element: UInt8, level: Int) throws(PageFlaw) {
        guard element == expected.element.rawValue else {
            throw PageFlaw("it has other elements than the column that leads to it")
        }
        guard Int(expected.level) == PageExpectation.unknown || Int(expected.level) == level else {
            throw PageFlaw("it is of another level than leads to it")
        }
    }

    private func check(_ expected: ExpectedSequenceNode, total: Int) throws(PageFlaw) {
        guard expected.total == PageExpectation.unknown || expected.total == total else {
            throw PageFlaw("it has not as many elements as it is said")
        }
    }

    mutating func sequenceInner(
        _ expected: ExpectedSequenceNode
    ) throws(PageFlaw) -> UnsafeMutableRawPointer {
        let element = try readByte()
        let level = Int(try readByte())
        try check(expected, element: element, level: level)
        let count = try readNumber()
        guard level > 0, count > 0, count <= SequenceNode.fanout else {
            throw PageFlaw("it has no such number of children")
        }
        let node = SequenceNode.makeInner(level: level, memory)
        for index in 0..<count {
            entryIndex = index
            node.totals[index] = try readNumber()
            let (total, isTooHigh) = node.total.addingReportingOverflow(node.totals[index])
            guard node.totals[index] > 0, !isTooHigh else {
                throw PageFlaw("a number of elements is out of range")
            }
            node.total = total
            try refer(
                UnsafeMutableRawPointer(node.children + index),
                .sequence(expected.child(ofLevel: level, total: node.totals[index])))
        }
        node.count = count
        try check(expected, total: node.total)
        try end()
        return node.base
    }

    private mutating func sequenceLeaf(
        of count: Int, _ expected: ExpectedSequenceNode
    ) throws(PageFlaw) -> SequenceNode {
        let element = expected.element
        guard count > 0, count <= SequenceNode.leafCapacity else {
            throw PageFlaw("it has no such number of elements")
        }
        let node = SequenceNode.makeLeaf(
            capacity: SequenceNode.leafCapacity(for: count), stride: element.stride, memory)
        do throws(PageFlaw) {
            var last: Cell?
            for index in 0..<count {
                let slot = node.elements + index * element.stride
                let referenceCount = references.count
                let cell = try readElement(element, for: slot)
                guard expected.order == .any || references.count == referenceCount else {
                    throw PageFlaw("a key has a page of its own")
                }
                guard var cell else {
                    element.setStoredBy(slot, memory)
                    node.count = index + 1
                    continue
                }
                if !expected.takes(cell) {
                    guard replacesNulls else { throw PageFlaw("a required element is null") }
                    cell = .empty(isString: element == .string)
                }
                if expected.order != .any {
                    if let last, !expected.allows(last, before: cell) {
                        throw PageFlaw("its elements are not in order")
                    }
                    last = cell
                }
                element.initialize(slot, cell, memory)
                node.count = index + 1
            }
        } catch {
            node.releaseElements(element, memory.heap)
            throw error
        }
        node.total = count
        return node
    }

    mutating func read(sequence slot: UnsafeMutableRawPointer, _ column: ColumnSpec) throws(PageFlaw) {
        let number = try readNumber()
        let expected = ExpectedSequenceNode(column)
        if number == 1 { return try refer(slot, .sequence(expected)) }
        if number == 0 { return }
        guard number & 1 == 0 else { throw PageFlaw("it has no such number of elements") }
        let node = try sequenceLeaf(of: number / 2, expected)
        node.base.nodeOwner = PageReference.partOfPage
        slot.storeBytes(of: UInt64(UInt(bitPattern: node.base)), as: UInt64.self)
    }

    /// - Parameter limit: a key above all keys, if known.
    mutating func read(
        keys slot: UnsafeMutableRawPointer, _ expected: ExpectedSequenceNode, below limit: ObjectKey = .max
    ) throws(PageFlaw) {
        let number = try readNumber()
        if number == 1 { return try refer(slot, .sequence(expected)) }
        if number == 0 { return }
        let count = number / 2
        guard number & 1 == 0, count <= SequenceNode.leafCapacity else {
            throw PageFlaw("it has no such number of keys")
        }
        var key: ObjectKey = 0
        if count == 1 {
            key = try readKey()
            guard key > 0, key < limit else { throw PageFlaw("a key is out of range") }
            slot.storeBytes(of: KeyMultiset.single(key), as: UInt64.self)
            return
        }
        let node = SequenceNode.makeLeaf(
            capacity: SequenceNode.leafCapacity(for: count), stride: 8, memory)
        node.base.nodeOwner = PageReference.partOfPage
        for index in 0..<count {
            let step = try readKey()
            let (sum, overflow) = key.addingReportingOverflow(step)
            if overflow || sum == 0 || sum >= limit { throw PageFlaw("a key is out of range") }
            if step == 0, expected.order == .unique { throw PageFlaw("a key is there twice") }
            key = sum
            node.elements.storeBytes(of: key, toByteOffset: index * 8, as: ObjectKey.self)
        }
        (node.count, node.total) = (count, count)
        slot.storeBytes(of: UInt64(UInt(bitPattern: node.base)), as: UInt64.self)
    }
}

extension SequenceNode {
    /// Returns the root in a slot if it was loaded with the page of its row; otherwise nil.
    static func small(_ slot: UnsafeMutableRawPointer) -> SequenceNode? {
        let word = NodeSlot.load(slot)
        guard PageReference(stub: UInt64(word)) == nil else { return nil }
        return UnsafeMutableRawPointer(bitPattern: word).map { SequenceNode(base: $0) }
    }

    /// Releases the strings and bytes of a leaf.
    func releaseElements(_ element: ElementKind, _ heap: Heap?) {
        guard element.isReference, isLeaf else { return }
        let heap = heap ?? Heap()
        for index in 0..<count {
            element.ownedBits(elements + index * element.stride, heap)?.bits.release()
        }
    }
}
