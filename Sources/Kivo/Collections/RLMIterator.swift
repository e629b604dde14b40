import KivoEngine

/// An iterator over the state that a collection had when the iteration began.
///
/// Objects that are deleted during the iteration are skipped. An iteration reuses the accessor that it returned for the next row
/// if the app has not retained it. Keep a strong reference, or a key, to continue to use an object.
public struct RLMIterator<Element: RealmCollectionValue>: IteratorProtocol {
    private let owner: RowIterator?
    /// An unmanaged reference to `owner`, which keeps it alive, to avoid reference counting for every element.
    @usableFromInline let rows: Unmanaged<RowIterator>?
    @usableFromInline let values: [Element]
    @usableFromInline var position = 0

    init(values: [Element]) {
        owner = nil
        rows = nil
        self.values = values
    }

    init(_ rows: RowIterator) {
        owner = rows
        self.rows = Unmanaged.passUnretained(rows)
        values = []
    }

    /// Creates an iterator over a managed collection.
    init(_ reference: CollectionReference) {
        let context = reference.context
        if let elements = context.elements, Element.self is ObjectBase.Type {
            self.init(RowIterator(elements, keys: reference.sequence.links))
        } else {
            self.init(values: reference.elements())
        }
    }

    /// Returns the next element, or nil at the end.
    ///
    /// - Complexity: O(1) on average: rows are visited leaf by leaf.
    @inlinable
    public mutating func next() -> Element? {
        if let rows {
            guard let object = rows._withUnsafeGuaranteedRef({ $0.next() }) else { return nil }
            return Element._of(object)
        }
        guard position < values.count else { return nil }
        defer { position += 1 }
        return values[position]
    }
}

/// An iterator over rows, which returns accessors one after the other. Confined with its realm.
@usableFromInline
final class RowIterator {
    private let context: TableContext
    private let instance: RealmInstance
    private let instanceOwner: InstanceOwner
    /// The rows of a query; nil to walk the whole table.
    private let keys: [ObjectKey]?
    @exclusivity(unchecked) private var nextIndex = 0
    /// The first key after those that the iteration covers: rows that are added later have keys from here on.
    private let end: ObjectKey
    /// The last key that was returned.
    @exclusivity(unchecked) private var lastKey: ObjectKey = 0
    @exclusivity(unchecked) private var leaf: Leaf?
    /// The slots of the leaf that the iteration covers.
    @exclusivity(unchecked) private var remaining = Bits256()
    /// The index of the current 64 slots, and those of them that remain.
    @exclusivity(unchecked) private var wordIndex = 3
    @exclusivity(unchecked) private var word: UInt64 = 0
    @exclusivity(unchecked) private var generation: UInt64 = 0
    @exclusivity(unchecked) private var accessor: ObjectBase?
    private let reader: UnsafeMutablePointer<ReaderState>

    init(_ context: TableContext, keys: [ObjectKey]? = nil) {
        self.context = context
        instance = context.instance
        instanceOwner = instance.instanceOwner
        self.keys = keys
        reader = context.instance.reader
        end = instance.table(context.table).nextKey
    }

    /// Returns the next object that still exists, or nil.
    @usableFromInline
    func next() -> ObjectBase? {
        if let keys {
            instance.checkConfinement { "an iteration" }
            while nextIndex < keys.count {
                let key = keys[nextIndex]
                nextIndex += 1
                instance.evictIfDue()
                if let (leaf, slot) = instance.table(context.table).locate(key) {
                    return object(key, leaf, slot)
                }
            }
            accessor = nil
            return nil
        }
        while true {
            if generation != reader.pointee.generation { reload() }
            guard let leaf else { return finish() }
            if word != 0 {
                let slot = wordIndex << 6 + word.trailingZeroBitCount
                word &= word - 1
                lastKey = leaf.key(ofSlot: slot)
                return object(lastKey, leaf, slot)
            }
            // Once per 64 slots and not for each row, which would double the cost: the leaf is cached, like that of a located
            // object.
            instance.checkConfinement { "an iteration" }
            if wordIndex < 3 {
                wordIndex += 1
                word = remaining[word: wordIndex]
            } else {
                let next = leaf.firstKey + ObjectKey(leaf.span)
                instance.evictIfDue()
                enter(instance.table(context.table).nextLeaf(from: next))
            }
        }
    }

    private func finish() -> ObjectBase? {
        accessor = nil
        return nil
    }

    /// Continues with those rows of a leaf that existed when the iteration began.
    private func enter(_ next: Leaf?) {
        generation = reader.pointee.generation
        guard let next, next.firstKey < end else {
            leaf = nil
            return
        }
        leaf = next
        remaining = next.slots(from: lastKey + 1, to: end)
        wordIndex = 0
        word = remaining[word: 0]
    }

    /// Looks up the current leaf again after leaves may have moved.
    private func reload() {
        instance.checkConfinement { "an iteration" }
        enter(instance.table(context.table).nextLeaf(from: lastKey + 1))
    }

    @inline(__always)
    private func object(_ key: ObjectKey, _ leaf: Leaf, _ slot: Int) -> ObjectBase {
        context.accessor(reusing: &accessor, key, leaf, slot)
    }
}
