/// Pages of the elements of collections.
extension PageReader {
    mutating func sequence(_ kind: PageLayout.Kind) throws(PageFlaw) -> UnsafeMutableRawPointer {
        guard let element = ElementKind(rawValue: try readByte()) else {
            throw PageFlaw("its elements are of an unknown kind")
        }
        self.element = element
        if kind == .sequenceLeaf { return try sequenceLeaf(of: try readNumber(), element).base }
        level = Int(try readByte())
        let count = try readNumber()
        guard level > 0, count > 0, count <= SequenceNode.fanout else {
            throw PageFlaw("it has no such number of children")
        }
        let node = SequenceNode.makeInner(level: level, memory)
        for index in 0..<count {
            place = index
            node.totals[index] = try readNumber()
            let (total, isTooHigh) = node.total.addingReportingOverflow(node.totals[index])
            guard node.totals[index] > 0, !isTooHigh else {
                throw PageFlaw("a number of elements is out of range")
            }
            node.total = total
            try refer(UnsafeMutableRawPointer(node.children + index), .sequence)
        }
        node.count = count
        return node.base
    }

    mutating func sequenceLeaf(of count: Int, _ element: ElementKind) throws(PageFlaw) -> SequenceNode {
        guard count > 0, count <= SequenceNode.leafCapacity else {
            throw PageFlaw("it has no such number of elements")
        }
        let node = SequenceNode.makeLeaf(
            capacity: SequenceNode.leafCapacity(for: count), stride: element.stride, memory)
        do throws(PageFlaw) {
            for index in 0..<count {
                element.initialize(
                    node.elements + index * element.stride, try readElement(element), memory)
                node.count = index + 1
            }
        } catch {
            node.releaseElements(element, memory.heap)
            throw error
        }
        node.total = count
        return node
    }

    mutating func read(sequence slot: UnsafeMutableRawPointer, _ element: ElementKind)
        throws(PageFlaw)
    {
        let number = try readNumber()
        if number == 1 { return try refer(slot, .sequence) }
        if number == 0 { return }
        let node = try sequenceLeaf(of: number / 2, element)
        node.base.nodeOwner = PageReference.partOfPage
        slot.storeBytes(of: UInt64(UInt(bitPattern: node.base)), as: UInt64.self)
    }

    mutating func read(keys slot: UnsafeMutableRawPointer) throws(PageFlaw) {
        let number = try readNumber()
        if number == 1 { return try refer(slot, .sequence) }
        if number == 0 { return }
        let count = number / 2
        guard count <= SequenceNode.leafCapacity else { throw PageFlaw("it has no such number of keys") }
        var key: ObjectKey = 0
        if count == 1 {
            slot.storeBytes(of: KeyMultiset.single(try readKey()), as: UInt64.self)
            return
        }
        let node = SequenceNode.makeLeaf(
            capacity: SequenceNode.leafCapacity(for: count), stride: 8, memory)
        node.base.nodeOwner = PageReference.partOfPage
        for index in 0..<count {
            let (sum, overflow) = key.addingReportingOverflow(try readKey())
            if overflow { throw PageFlaw("a key is out of range") }
            key = sum
            node.elements.storeBytes(of: key, toByteOffset: index * 8, as: ObjectKey.self)
        }
        (node.count, node.total) = (count, count)
        slot.storeBytes(of: UInt64(UInt(bitPattern: node.base)), as: UInt64.self)
    }
}

extension SequenceNode {
    /// Gives up the strings and bytes of a leaf.
    func releaseElements(_ element: ElementKind, _ heap: Heap?) {
        guard element.isReference, isLeaf else { return }
        let heap = heap ?? Heap()
        for index in 0..<count {
            element.ownedBits(elements + index * element.stride, heap)?.bits.release()
        }
    }
}
