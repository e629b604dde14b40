/// Pages of indexes.
extension PageReader {
    mutating func bucket() throws(PageFlaw) -> UnsafeMutableRawPointer {
        let count = try readNumber()
        var capacity = 4
        while capacity < count, capacity < 1 << 20 { capacity *= 2 }
        guard count > 0, count <= capacity else { throw PageFlaw("it has no such number of entries") }
        try need(count * 9)
        let bucket = HashIndex.Bucket.make(capacity, memory)
        for place in 0..<count {
            bucket.entries[place] = (try readWord(), 0)
            self.place = place
            try read(keys: bucket.keySlot(place))
        }
        bucket.count = count
        return bucket.reference
    }

    mutating func indexInner() throws(PageFlaw) -> UnsafeMutableRawPointer {
        let node = memory.allocate(HashIndex.innerBytes)
        (node + 8).initializeMemory(as: UInt8.self, repeating: 0, count: HashIndex.innerBytes - 8)
        let bits = try readNumber()
        for index in 0..<HashIndex.fanout where bits >> index & 1 != 0 {
            place = index
            try refer(HashIndex.children(node) + index, .index)
        }
        return node
    }
}
