/// A persistent multiset of object keys in one word: the origins that link to one object, or the objects that hold
/// one indexed value.
///
///     0                      empty
///     key << 1 | 1           one key
///     address of a sequence  several keys, ascending
///
/// An unowned view, like ``PersistentSequence``.
@usableFromInline package struct KeyMultiset {
    /// The word that a column stores.
    @usableFromInline package private(set) var word: UInt64

    /// Creates an empty set.
    @usableFromInline package init() { word = 0 }

    /// Creates the set that a column or an index stores at an address. Its root is loaded if it is in a file.
    init(slot: UnsafeMutableRawPointer) {
        word =
            NodeSlot.load(slot) & 1 == 1
            ? slot.load(as: UInt64.self) : UInt64(UInt(bitPattern: NodeSlot.node(slot, .sequence)))
    }

    /// Creates the set that is stored at an address; empty if its root is not in memory.
    init(loadedSlot slot: UnsafeMutableRawPointer) {
        word =
            NodeSlot.load(slot) & 1 == 1
            ? slot.load(as: UInt64.self) : UInt64(UInt(bitPattern: NodeSlot.loadedNode(slot)))
    }

    static func single(_ key: ObjectKey) -> UInt64 { UInt64(bitPattern: key) << 1 | 1 }

    private var isSingle: Bool { word & 1 == 1 }
    private var singleKey: ObjectKey { ObjectKey(bitPattern: word >> 1) }
    private var sequence: PersistentSequence {
        PersistentSequence(root: UnsafeMutableRawPointer(bitPattern: UInt(word)), element: .link)
    }

    /// A Boolean value that indicates whether there is no key. O(1).
    @usableFromInline package var isEmpty: Bool { word == 0 }

    /// The number of keys, including duplicates. O(1).
    @usableFromInline package var count: Int { isEmpty ? 0 : isSingle ? 1 : sequence.count }

    /// The smallest key.
    @usableFromInline package var first: ObjectKey? {
        isEmpty ? nil : isSingle ? singleKey : sequence.cell(at: 0).linkKey
    }

    /// Returns the key at a position in ascending order. O(log n).
    @usableFromInline package func key(at position: Int) -> ObjectKey {
        isSingle ? singleKey : sequence.cell(at: position).linkKey
    }

    /// The keys, ascending. O(n).
    @usableFromInline package var keys: [ObjectKey] { isEmpty ? [] : isSingle ? [singleKey] : sequence.links }

    /// Returns the number of occurrences of a key. O(log n).
    @usableFromInline package func count(of key: ObjectKey) -> Int {
        if isEmpty { return 0 }
        return isSingle ? (singleKey == key ? 1 : 0) : sequence.count(of: key)
    }

    /// Returns the first position of a key in ascending order, or nil if there is none. O(log n).
    @usableFromInline package func firstPosition(of key: ObjectKey) -> Int? {
        if isEmpty { return nil }
        if isSingle { return singleKey == key ? 0 : nil }
        let (position, isEqual) = sequence.lowerBound(.link(key))
        return isEqual ? position : nil
    }

    /// Returns whether the set contains a key. O(log n).
    @usableFromInline package func contains(_ key: ObjectKey) -> Bool { count(of: key) > 0 }

    /// Calls `body` with each key, ascending.
    @usableFromInline package func forEach(_ body: (ObjectKey) -> Void) {
        if isSingle { body(singleKey) } else { sequence.forEachLink(body) }
    }

    /// Calls `body` with each key, ascending, until it returns false. Returns false if `body` returned false.
    @discardableResult
    func forEachWhile(_ body: (ObjectKey) -> Bool) -> Bool {
        isSingle ? body(singleKey) : sequence.forEachLinkWhile(body)
    }

    /// Adds an occurrence of a key. O(log n).
    mutating func insert(_ key: ObjectKey, _ memory: WriteMemory) {
        if isEmpty {
            word = KeyMultiset.single(key)
            return
        }
        var sequence = isSingle ? PersistentSequence(root: nil, element: .link) : self.sequence
        if isSingle { sequence.insert(.link(singleKey), at: 0, memory) }
        let last = sequence.cell(at: sequence.count - 1).linkKey
        let position = last <= key ? sequence.count : sequence.lowerBound(.link(key)).position
        sequence.insert(.link(key), at: position, memory)
        word = sequence.word
    }

    /// Removes one occurrence of a key. O(log n).
    mutating func remove(_ key: ObjectKey, _ memory: WriteMemory) {
        if isSingle {
            if singleKey == key { word = 0 }
            return
        }
        var sequence = self.sequence
        let (position, isEqual) = sequence.lowerBound(.link(key))
        guard isEqual else { return }
        sequence.remove(at: position, memory)
        word = sequence.word
    }

    func forEachBlock(isLoaded: Bool = false, _ body: (UnsafeMutableRawPointer) -> Void) {
        if !isEmpty, !isSingle { sequence.forEachBlock(isLoaded: isLoaded, body) }
    }

    /// Removes all nodes from the newest version.
    func retire(_ memory: WriteMemory) { forEachBlock { memory.retire($0) } }
}
