/// Decoding of the pages of indexes.
extension PageReader {
    mutating func bucket(_ expected: ExpectedIndexNode) throws(PageFlaw) -> UnsafeMutableRawPointer {
        let count = try readNumber()
        var capacity = 4
        // A bucket exceeds its capacity only at the deepest level, where hashes have no further digits.
        let largest = expected.level == ExpectedIndexNode.deepest ? 1 << 20 : HashIndex.bucketCapacity
        while capacity < count, capacity < largest { capacity = HashIndex.Bucket.capacity(after: capacity) }
        guard count > 0, count <= capacity else { throw PageFlaw("it has no such number of entries") }
        try require(count * 9)
        let bucket = HashIndex.Bucket.make(capacity, memory)
        for entry in 0..<count {
            let hash = try readWord()
            guard expected.holds(hash), entry == 0 || bucket.entries[entry - 1].hash < hash else {
                throw PageFlaw("its hashes are not in order")
            }
            bucket.entries[entry] = (hash, 0)
            entryIndex = entry
            try read(keys: bucket.keySlot(entry), .keys, below: expected.nextKey)
            guard NodeSlot.load(bucket.keySlot(entry)) != 0 || references.last?.entryIndex == entry else {
                throw PageFlaw("it has an entry without keys")
            }
        }
        bucket.count = count
        try end()
        return bucket.reference
    }

    mutating func indexInner(_ expected: ExpectedIndexNode) throws(PageFlaw) -> UnsafeMutableRawPointer {
        guard expected.level < ExpectedIndexNode.deepest else { throw PageFlaw("an index is too deep") }
        let node = memory.allocate(HashIndex.innerBytes)
        (node + 8).initializeMemory(as: UInt8.self, repeating: 0, count: HashIndex.innerBytes - 8)
        let bits = try readNumber()
        for index in 0..<HashIndex.fanout where bits >> index & 1 != 0 {
            entryIndex = index
            try refer(HashIndex.children(node) + index, .index(expected.child(index)))
        }
        guard bits > 0, bits >> HashIndex.fanout == 0 else { throw PageFlaw("it has no such children") }
        try end()
        return node
    }
}
