/// A persistent hash trie from the hashes of a column's values to the keys of the objects with these values.
///
///     inner                          bucket
///     ┌─────────────────────────┐    ┌──────────────────────────────────┐
///     │   0  owner              │    │   0  owner                       │
///     │   8  16 children        │    │   8  count    12  capacity       │
///     └─────────────────────────┘    │  16  entries (hash, KeyMultiset word) │
///                                    └──────────────────────────────────┘
///
/// A reference to a bucket has its lowest bit set, so that a lookup touches one cache line of each inner node. Another bit is set
/// if the bucket is large. Each level uses four bits of the hash, from the top.
///
/// Buckets grow to 32 entries, ascending by hash. Hashes are evenly distributed, so the position of one is estimated from the
/// reference alone, and an entry is read without waiting for the count. Hashes of words are bijective (except for null); for
/// other kinds a candidate's value has to be compared.
///
/// An unowned view: the memory lives as long as a pinned version reaches it.
struct HashIndex {
    typealias Reference = UnsafeMutableRawPointer

    var root: Reference?

    static let fanout = 16
    static let innerBytes = 8 + fanout * 8
    static let bucketCapacity = 32
    private static let deepest = 15

    static func isBucket(_ reference: Reference) -> Bool {
        UInt(bitPattern: reference) & Bucket.mark != 0
    }
    static func children(_ inner: Reference) -> UnsafeMutablePointer<Reference?> {
        (inner + 8).assumingMemoryBound(to: Reference?.self)
    }
    /// Returns the node below an inner node, loading it from its file if necessary.
    @inline(__always)
    private static func node(_ inner: Reference, _ index: Int) -> Reference? {
        NodeSlot.node(children(inner) + index, .index)
    }
    static func child(_ hash: UInt64, _ level: Int) -> Int {
        Int(truncatingIfNeeded: hash >> UInt64(60 - 4 * level)) & 15
    }

    struct Bucket {
        typealias Entry = (hash: UInt64, keys: UInt64)

        let base: UnsafeMutableRawPointer

        init(base: UnsafeMutableRawPointer) { self.base = base }
        init(_ reference: Reference) {
            base = Reference(bitPattern: UInt(bitPattern: reference) & ~NodeSlot.marks).unsafelyUnwrapped
        }

        /// The bit that marks a reference to a bucket.
        static let mark: UInt = 1
        /// The bit that marks a bucket with room for more than ``smallCapacity`` entries. The bit between the two marks a page.
        private static let largeMark: UInt = 4
        private static let smallCapacity = 16

        var reference: Reference {
            base + Int(Bucket.mark | (capacity > Bucket.smallCapacity ? Bucket.largeMark : 0))
        }

        /// Returns the approximate number of entries of a referenced bucket.
        static func usualCount(_ reference: Reference) -> UInt64 {
            UInt(bitPattern: reference) & largeMark == 0 ? 12 : 20
        }

        static func byteCount(_ capacity: Int) -> Int { 16 + capacity * 16 }

        /// Returns the capacity of the bucket that replaces a full one. Small buckets double; those that most large indexes consist
        /// of grow by less, because half of their entries would be empty.
        static func capacity(after capacity: Int) -> Int {
            8..<HashIndex.bucketCapacity ~= capacity ? capacity + 8 : capacity * 2
        }

        var count: Int {
            get { Int(base.load(fromByteOffset: 8, as: UInt32.self)) }
            nonmutating set { base.storeBytes(of: UInt32(newValue), toByteOffset: 8, as: UInt32.self) }
        }
        var capacity: Int { Int(base.load(fromByteOffset: 12, as: UInt32.self)) }
        var entries: UnsafeMutablePointer<Entry> { (base + 16).assumingMemoryBound(to: Entry.self) }

        /// Returns the address of the keys of an entry.
        func keySlot(_ index: Int) -> UnsafeMutableRawPointer {
            base + 16 + index * MemoryLayout<Entry>.stride + 8
        }

        /// Returns the keys of an entry.
        func keys(_ index: Int) -> KeyMultiset { KeyMultiset(slot: keySlot(index)) }

        static func make(_ capacity: Int, _ memory: WriteMemory) -> Bucket {
            let block = memory.allocate(byteCount(capacity))
            block.storeBytes(of: 0, toByteOffset: 8, as: UInt32.self)
            block.storeBytes(of: UInt32(capacity), toByteOffset: 12, as: UInt32.self)
            return Bucket(base: block)
        }

        /// Returns the first index whose hash is not below `hash`. The search starts at the estimated index among the usual
        /// number of entries. If that index exists, the processor reads its entry before the count is available.
        func index(of hash: UInt64, level: Int, usualCount: UInt64) -> Int {
            let (entries, count) = (entries, count)
            let rest = (hash << UInt64(4 * level)) >> 32
            var index = Int(truncatingIfNeeded: (rest * usualCount) >> 32)
            if index >= count { index = Int(truncatingIfNeeded: (rest * UInt64(count)) >> 32) }
            while index > 0, entries[index - 1].hash >= hash { index -= 1 }
            while index < count, entries[index].hash < hash { index += 1 }
            return index
        }

        func insert(_ entry: Entry, at index: Int) {
            (entries + index + 1).update(from: entries + index, count: count - index)
            entries[index] = entry
            count += 1
        }

        func remove(at index: Int) {
            count -= 1
            (entries + index).update(from: entries + index + 1, count: count - index)
        }
    }

    /// Returns the keys stored under a hash.
    private func keys(_ hash: UInt64) -> KeyMultiset? {
        guard var node = root else { return nil }
        var level = 0
        while !HashIndex.isBucket(node) {
            guard let next = HashIndex.node(node, HashIndex.child(hash, level)) else { return nil }
            node = next
            level += 1
        }
        let bucket = Bucket(node)
        let index = bucket.index(of: hash, level: level, usualCount: Bucket.usualCount(node))
        guard index < bucket.count, bucket.entries[index].hash == hash else { return nil }
        return bucket.keys(index)
    }

    /// Calls `body` with every key stored under a hash, ascending.
    func forEach(_ hash: UInt64, _ body: (ObjectKey) -> Void) { keys(hash)?.forEach(body) }

    /// Returns the number of keys stored under a hash.
    func count(_ hash: UInt64) -> Int { keys(hash)?.count ?? 0 }

    /// Whether a key is stored under a hash. O(log n).
    func contains(_ hash: UInt64, _ key: ObjectKey) -> Bool { keys(hash)?.contains(key) ?? false }

    /// Returns the smallest key stored under a hash, or nil if there is none.
    func firstKey(_ hash: UInt64) -> ObjectKey? { keys(hash)?.first }

    mutating func insert(_ hash: UInt64, _ key: ObjectKey, _ memory: WriteMemory) {
        withUnsafeMutablePointer(to: &root) { HashIndex.insert(hash, key, at: $0, level: 0, memory) }
    }

    /// Inserts a key under a hash that has none, and otherwise returns the keys that it has. Nodes of other versions are copied
    /// only for an insertion.
    mutating func insert(_ hash: UInt64, ifAbsent key: ObjectKey, _ memory: WriteMemory) -> KeyMultiset? {
        withUnsafeMutablePointer(to: &root) { root in
            var (slot, level, isOwned) = (root, 0, true)
            while let node = NodeSlot.node(slot, .index), !HashIndex.isBucket(node) {
                isOwned = isOwned && memory.owns(node)
                slot = HashIndex.children(node) + HashIndex.child(hash, level)
                level += 1
            }
            if let node = NodeSlot.node(slot, .index) {
                let bucket = Bucket(node)
                let index = bucket.index(of: hash, level: level, usualCount: UInt64(bucket.count))
                if index < bucket.count, bucket.entries[index].hash == hash { return bucket.keys(index) }
            }
            if !isOwned { (slot, level) = (root, 0) }
            HashIndex.insert(hash, key, at: slot, level: level, memory)
            return nil
        }
    }

    private static func insert(
        _ hash: UInt64, _ key: ObjectKey, at slot: UnsafeMutablePointer<Reference?>, level: Int,
        _ memory: WriteMemory
    ) {
        guard let node = NodeSlot.node(slot, .index) else {
            let bucket = Bucket.make(4, memory)
            bucket.insert((hash, KeyMultiset.single(key)), at: 0)
            slot.pointee = bucket.reference
            return
        }
        if !isBucket(node) {
            let inner = writableInner(at: slot, memory)
            return insert(hash, key, at: children(inner) + child(hash, level), level: level + 1, memory)
        }
        let bucket = writableBucket(at: slot, memory)
        let index = bucket.index(of: hash, level: level, usualCount: UInt64(bucket.count))
        if index < bucket.count, bucket.entries[index].hash == hash {
            var keys = bucket.keys(index)
            keys.insert(key, memory)
            bucket.entries[index].keys = keys.word
        } else if bucket.count < bucket.capacity {
            bucket.insert((hash, KeyMultiset.single(key)), at: index)
        } else if bucket.capacity < bucketCapacity || level == deepest {
            let larger = Bucket.make(Bucket.capacity(after: bucket.capacity), memory)
            larger.entries.update(from: bucket.entries, count: bucket.count)
            larger.count = bucket.count
            larger.insert((hash, KeyMultiset.single(key)), at: index)
            memory.release(bucket.base)
            slot.pointee = larger.reference
        } else {
            split(bucket, at: slot, level: level, memory)
            insert(hash, key, at: slot, level: level, memory)
        }
    }

    private static func writableInner(
        at slot: UnsafeMutablePointer<Reference?>, _ memory: WriteMemory
    ) -> Reference {
        let node = NodeSlot.node(slot, .index)!
        if memory.owns(node) { return node }
        let copy = memory.copy(node, byteCount: innerBytes)
        slot.pointee = copy
        return copy
    }

    private static func writableBucket(
        at slot: UnsafeMutablePointer<Reference?>, _ memory: WriteMemory
    ) -> Bucket {
        let bucket = Bucket(NodeSlot.node(slot, .index)!)
        if memory.owns(bucket.base) { return bucket }
        let copy = Bucket(base: memory.copy(bucket.base, byteCount: Bucket.byteCount(bucket.capacity)))
        slot.pointee = copy.reference
        return copy
    }

    /// Replaces a full bucket by an inner node and distributes its entries below it in order.
    private static func split(
        _ bucket: Bucket, at slot: UnsafeMutablePointer<Reference?>, level: Int, _ memory: WriteMemory
    ) {
        let inner = memory.allocate(innerBytes)
        for index in 0..<fanout { children(inner)[index] = nil }
        var start = 0
        while start < bucket.count {
            let index = child(bucket.entries[start].hash, level)
            var end = start + 1
            while end < bucket.count, child(bucket.entries[end].hash, level) == index { end += 1 }
            var capacity = 4
            while capacity < end - start { capacity *= 2 }
            let part = Bucket.make(capacity, memory)
            part.entries.update(from: bucket.entries + start, count: end - start)
            part.count = end - start
            children(inner)[index] = part.reference
            start = end
        }
        memory.release(bucket.base)
        slot.pointee = inner
    }

    mutating func remove(_ hash: UInt64, _ key: ObjectKey, _ memory: WriteMemory) {
        withUnsafeMutablePointer(to: &root) { HashIndex.remove(hash, key, at: $0, level: 0, memory) }
    }

    private static func remove(
        _ hash: UInt64, _ key: ObjectKey, at slot: UnsafeMutablePointer<Reference?>, level: Int,
        _ memory: WriteMemory
    ) {
        guard let node = NodeSlot.node(slot, .index) else { return }
        if !isBucket(node) {
            let inner = writableInner(at: slot, memory)
            remove(hash, key, at: children(inner) + child(hash, level), level: level + 1, memory)
            if !(0..<fanout).contains(where: { children(inner)[$0] != nil }) {
                memory.release(inner)
                slot.pointee = nil
            }
            return
        }
        let index = Bucket(node).index(of: hash, level: level, usualCount: Bucket.usualCount(node))
        guard index < Bucket(node).count, Bucket(node).entries[index].hash == hash else { return }
        let bucket = writableBucket(at: slot, memory)
        var keys = bucket.keys(index)
        keys.remove(key, memory)
        bucket.entries[index].keys = keys.word
        guard keys.isEmpty else { return }
        bucket.remove(at: index)
        if bucket.count == 0 {
            memory.release(bucket.base)
            slot.pointee = nil
        }
    }

    /// Calls `body` with every block of the index, children first.
    ///
    /// - Parameter isLoaded: whether nodes that are not in memory are skipped.
    func forEachBlock(isLoaded: Bool = false, _ body: (UnsafeMutableRawPointer) -> Void) {
        guard let root else { return }
        HashIndex.visit(root, isLoaded: isLoaded) { bucket in
            for index in 0..<bucket.count {
                (isLoaded ? KeyMultiset(loadedSlot: bucket.keySlot(index)) : bucket.keys(index))
                    .forEachBlock(isLoaded: isLoaded, body)
            }
            body(bucket.base)
        } inner: {
            body($0)
        }
    }

    /// The number of keys in the index. O(n).
    var count: Int {
        var sum = 0
        guard let root else { return 0 }
        HashIndex.visit(root, isLoaded: false) { bucket in
            for index in 0..<bucket.count { sum += bucket.keys(index).count }
        } inner: { _ in
        }
        return sum
    }

    private static func visit(
        _ node: Reference, isLoaded: Bool, bucket: (Bucket) -> Void, inner: (UnsafeMutableRawPointer) -> Void
    ) {
        if isBucket(node) { return bucket(Bucket(node)) }
        for index in 0..<fanout {
            let child = isLoaded ? NodeSlot.loadedNode(children(node) + index) : HashIndex.node(node, index)
            if let child { visit(child, isLoaded: isLoaded, bucket: bucket, inner: inner) }
        }
        inner(node)
    }
}
