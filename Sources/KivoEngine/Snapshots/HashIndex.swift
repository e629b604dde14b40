/// A persistent hash trie from the hashes of a column's values to the keys of the objects that hold them.
///
///     inner                          bucket
///     ┌─────────────────────────┐    ┌──────────────────────────────────┐
///     │   0  owner              │    │   0  owner                       │
///     │   8  1                  │    │   8  0                           │
///     │  16  16 children        │    │  16  count    20  capacity       │
///     └─────────────────────────┘    │  24  hashes, then KeySet words   │
///                                    └──────────────────────────────────┘
///
/// Each inner level takes four bits of the hash from the top. Buckets start small and grow to 32 entries. Hashes of
/// words are bijective; for other kinds a candidate's value has to be compared.
///
/// An unowned view: the memory lives as long as a pinned version reaches it.
struct HashIndex {
    var root: UnsafeMutableRawPointer?

    private static let fanout = 16
    private static let innerBytes = 16 + fanout * 8
    private static let bucketCapacity = 32
    private static let deepest = 15

    private static func isInner(_ node: UnsafeMutableRawPointer) -> Bool {
        node.load(fromByteOffset: 8, as: Int.self) == 1
    }
    private static func children(
        _ node: UnsafeMutableRawPointer
    ) -> UnsafeMutablePointer<UnsafeMutableRawPointer?> {
        (node + 16).assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    }
    private static func child(_ hash: UInt64, _ level: Int) -> Int {
        Int(hash >> UInt64(60 - 4 * level)) & 15
    }

    private struct Bucket {
        let base: UnsafeMutableRawPointer

        static func byteCount(_ capacity: Int) -> Int { 24 + capacity * 16 }

        var count: Int {
            get { Int(base.load(fromByteOffset: 16, as: UInt32.self)) }
            nonmutating set { base.storeBytes(of: UInt32(newValue), toByteOffset: 16, as: UInt32.self) }
        }
        var capacity: Int { Int(base.load(fromByteOffset: 20, as: UInt32.self)) }
        var hashes: UnsafeMutablePointer<UInt64> { (base + 24).assumingMemoryBound(to: UInt64.self) }
        var keys: UnsafeMutablePointer<UInt64> { hashes + capacity }

        static func make(_ capacity: Int, _ memory: WriteMemory) -> Bucket {
            let block = memory.allocate(byteCount(capacity))
            block.storeBytes(of: 0, toByteOffset: 8, as: Int.self)
            block.storeBytes(of: 0, toByteOffset: 16, as: UInt32.self)
            block.storeBytes(of: UInt32(capacity), toByteOffset: 20, as: UInt32.self)
            return Bucket(base: block)
        }

        func find(_ hash: UInt64) -> Int? {
            let hashes = hashes
            for index in 0..<count where hashes[index] == hash { return index }
            return nil
        }
    }

    private func bucket(_ hash: UInt64) -> Bucket? {
        guard var node = root else { return nil }
        var level = 0
        while HashIndex.isInner(node) {
            guard let next = HashIndex.children(node)[HashIndex.child(hash, level)] else { return nil }
            node = next
            level += 1
        }
        return Bucket(base: node)
    }

    /// Calls `body` with every key stored under a hash, ascending.
    func forEach(_ hash: UInt64, _ body: (ObjectKey) -> Void) {
        guard let bucket = bucket(hash), let index = bucket.find(hash) else { return }
        KeySet(word: bucket.keys[index]).forEach(body)
    }

    /// The smallest key stored under a hash.
    func firstKey(_ hash: UInt64) -> ObjectKey? {
        guard let bucket = bucket(hash), let index = bucket.find(hash) else { return nil }
        return KeySet(word: bucket.keys[index]).first
    }

    mutating func insert(_ hash: UInt64, _ key: ObjectKey, _ memory: WriteMemory) {
        withUnsafeMutablePointer(to: &root) { HashIndex.insert(hash, key, at: $0, level: 0, memory) }
    }

    private static func insert(
        _ hash: UInt64, _ key: ObjectKey, at slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
        level: Int, _ memory: WriteMemory
    ) {
        guard let node = slot.pointee else {
            let bucket = Bucket.make(4, memory)
            append(hash, KeySet.single(key), to: bucket)
            slot.pointee = bucket.base
            return
        }
        if isInner(node) {
            let writable = memory.owns(node) ? node : memory.copy(node, byteCount: innerBytes)
            slot.pointee = writable
            return insert(hash, key, at: children(writable) + child(hash, level), level: level + 1, memory)
        }
        var bucket = Bucket(base: node)
        if !memory.owns(node) {
            bucket = Bucket(base: memory.copy(node, byteCount: Bucket.byteCount(bucket.capacity)))
            slot.pointee = bucket.base
        }
        if let index = bucket.find(hash) {
            var keys = KeySet(word: bucket.keys[index])
            keys.insert(key, memory)
            bucket.keys[index] = keys.word
        } else if bucket.count < bucket.capacity {
            append(hash, KeySet.single(key), to: bucket)
        } else if bucket.capacity < bucketCapacity || level == deepest {
            let larger = grown(bucket, memory)
            append(hash, KeySet.single(key), to: larger)
            slot.pointee = larger.base
        } else {
            split(bucket, at: slot, level: level, memory)
            insert(hash, key, at: slot, level: level, memory)
        }
    }

    private static func append(_ hash: UInt64, _ keys: UInt64, to bucket: Bucket) {
        bucket.hashes[bucket.count] = hash
        bucket.keys[bucket.count] = keys
        bucket.count += 1
    }

    /// A bucket of twice the capacity with the same entries; the old one is retired.
    private static func grown(_ bucket: Bucket, _ memory: WriteMemory) -> Bucket {
        let larger = Bucket.make(bucket.capacity * 2, memory)
        for index in 0..<bucket.count { append(bucket.hashes[index], bucket.keys[index], to: larger) }
        memory.retire(bucket.base)
        return larger
    }

    private static func split(
        _ bucket: Bucket, at slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>, level: Int,
        _ memory: WriteMemory
    ) {
        let inner = memory.allocate(innerBytes)
        inner.storeBytes(of: 1, toByteOffset: 8, as: Int.self)
        for index in 0..<fanout { children(inner)[index] = nil }
        for index in 0..<bucket.count {
            let hash = bucket.hashes[index]
            let place = children(inner) + child(hash, level)
            var target = place.pointee.map(Bucket.init) ?? Bucket.make(4, memory)
            if target.count == target.capacity { target = grown(target, memory) }
            place.pointee = target.base
            append(hash, bucket.keys[index], to: target)
        }
        memory.retire(bucket.base)
        slot.pointee = inner
    }

    mutating func remove(_ hash: UInt64, _ key: ObjectKey, _ memory: WriteMemory) {
        withUnsafeMutablePointer(to: &root) { HashIndex.remove(hash, key, at: $0, level: 0, memory) }
    }

    private static func remove(
        _ hash: UInt64, _ key: ObjectKey, at slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
        level: Int, _ memory: WriteMemory
    ) {
        guard let node = slot.pointee else { return }
        if isInner(node) {
            let writable = memory.owns(node) ? node : memory.copy(node, byteCount: innerBytes)
            slot.pointee = writable
            remove(hash, key, at: children(writable) + child(hash, level), level: level + 1, memory)
            if !(0..<fanout).contains(where: { children(writable)[$0] != nil }) {
                memory.retire(writable)
                slot.pointee = nil
            }
            return
        }
        var bucket = Bucket(base: node)
        guard let index = bucket.find(hash) else { return }
        if !memory.owns(node) {
            bucket = Bucket(base: memory.copy(node, byteCount: Bucket.byteCount(bucket.capacity)))
            slot.pointee = bucket.base
        }
        var keys = KeySet(word: bucket.keys[index])
        keys.remove(key, memory)
        bucket.keys[index] = keys.word
        guard keys.isEmpty else { return }
        bucket.count -= 1
        bucket.hashes[index] = bucket.hashes[bucket.count]
        bucket.keys[index] = bucket.keys[bucket.count]
        if bucket.count == 0 {
            memory.retire(bucket.base)
            slot.pointee = nil
        }
    }

    /// Calls `body` with every block of the index, children first.
    func forEachBlock(_ body: (UnsafeMutableRawPointer) -> Void) {
        if let root { HashIndex.forEachBlock(root, body) }
    }

    private static func forEachBlock(
        _ node: UnsafeMutableRawPointer, _ body: (UnsafeMutableRawPointer) -> Void
    ) {
        if isInner(node) {
            for index in 0..<fanout { if let child = children(node)[index] { forEachBlock(child, body) } }
        } else {
            let bucket = Bucket(base: node)
            for index in 0..<bucket.count { KeySet(word: bucket.keys[index]).forEachBlock(body) }
        }
        body(node)
    }

    /// The number of keys in the index. O(n).
    var count: Int {
        var sum = 0
        if let root { HashIndex.forEachEntry(root) { sum += KeySet(word: $0.keys).count } }
        return sum
    }

    private static func forEachEntry(
        _ node: UnsafeMutableRawPointer, _ body: ((hash: UInt64, keys: UInt64)) -> Void
    ) {
        if isInner(node) {
            for index in 0..<fanout { if let child = children(node)[index] { forEachEntry(child, body) } }
        } else {
            let bucket = Bucket(base: node)
            for index in 0..<bucket.count { body((bucket.hashes[index], bucket.keys[index])) }
        }
    }
}
