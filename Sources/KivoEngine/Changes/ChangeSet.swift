/// A list, set or map of one object: the object and its column.
public struct CollectionID: Hashable, Sendable, Comparable {
    /// The table of the owner.
    public var table: TableID
    /// The column of the owner that holds the collection.
    public var column: Int
    /// The owner.
    public var key: ObjectKey

    /// A collection by owner and column.
    public init(table: TableID, column: Int, key: ObjectKey) {
        self.table = table
        self.column = column
        self.key = key
    }

    /// Orders collections by table, owner and column.
    public static func < (a: CollectionID, b: CollectionID) -> Bool {
        (a.table, a.key, a.column) < (b.table, b.key, b.column)
    }
}

/// What one or several commits did, as seen from before the first to after the last.
///
/// Change sets compose: an object that was inserted and deleted in between does not exist for the composition, nor
/// do intermediate values. Values are not part of it: old ones are in the old snapshot, new ones in the new.
public struct ChangeSet: Sendable {
    /// The changed tables, ascending by id.
    public var tables: [TableChange]
    /// The changed tables of backlinks, ascending by id: whose set of origins changed. What they say follows from the
    /// links in ``tables``; it spares whoever asks from looking for it.
    public var backlinks: [TableChange]
    /// What happened to lists, sets and maps of objects that exist before and after.
    public var sequences: [CollectionID: SequenceChange]

    #if DEBUG
    /// How many changed leaves, sequences and runs were gone through to compose this: what tests measure growth by.
    /// Counted in debug builds only.
    private(set) var work = 0
    #endif

    /// An empty change set.
    public init() {
        tables = []
        backlinks = []
        sequences = [:]
    }

    /// Whether nothing changed.
    public var isEmpty: Bool { tables.isEmpty && sequences.isEmpty }

    /// The change of a table, or nil. O(log tables).
    public func table(_ id: TableID) -> TableChange? { ChangeSet.find(id, tables) }

    /// The change of a table of backlinks, or nil. O(log tables).
    public func backlinks(_ id: TableID) -> TableChange? { ChangeSet.find(id, backlinks) }

    private static func find(_ id: TableID, _ tables: [TableChange]) -> TableChange? {
        let index = tables.partitionPoint { $0.table < id }
        return index < tables.count && tables[index].table == id ? tables[index] : nil
    }

    /// What change sets that follow each other did together. They are composed in pairs, and the pairs in pairs, so that
    /// each changed leaf is gone through O(log n) times for n change sets.
    public init(composing sets: [ChangeSet]) { self = ChangeSet.composed(sets[...]) }

    private static func composed(_ sets: ArraySlice<ChangeSet>) -> ChangeSet {
        if sets.count < 2 { return sets.first ?? ChangeSet() }
        let middle = sets.startIndex + sets.count / 2
        var composed = composed(sets[..<middle])
        composed.append(ChangeSet.composed(sets[middle...]))
        return composed
    }

    /// Composes: `self` took version a to b, `next` takes b to c. O(changed leaves and sequences of both).
    public mutating func append(_ next: ChangeSet) {
        if next.isEmpty, next.backlinks.isEmpty { return }
        if isEmpty {
            self = next
            return
        }
        countWork(next)
        let isDeleting = next.tables.contains { $0.leaves.contains { !$0.deleted.isEmpty } }
        for (id, change) in next.sequences where table(id.table)?.state(of: id.key) != .inserted {
            if sequences[id] == nil { sequences[id] = change } else { sequences[id]!.append(change) }
        }
        // Lists of objects that are gone or new have no history: their readers see the object itself come or go.
        if isDeleting {
            for id in Array(sequences.keys) where next.table(id.table)?.state(of: id.key) == .deleted {
                sequences[id] = nil
            }
        }
        merge(next.tables, into: &tables, { $0.table < $1.table }) { $0.append($1) }
        merge(next.backlinks, into: &backlinks, { $0.table < $1.table }) { $0.append($1) }
    }

    private mutating func countWork(_ next: ChangeSet) {
        #if DEBUG
        work += next.work
        for changes in [self, next] {
            for table in changes.tables + changes.backlinks { work += table.leaves.count }
            for change in changes.sequences.values { work += 1 + change.runCount }
        }
        #endif
    }
}

/// What happened to the objects of one table.
public struct TableChange: Sendable {
    /// What happened to one object.
    public enum State: Sendable { case untouched, inserted, deleted, modified }

    /// The table.
    public var table: TableID
    /// The changed blocks of keys, ascending.
    public var leaves: [LeafChange]

    /// The change of the block that holds a key, or nil. O(log leaves).
    public func leaf(of key: ObjectKey) -> LeafChange? {
        let block = KeyBlock(of: key)
        let place = leaves.partitionPoint { $0.block < block }
        return place < leaves.count && leaves[place].block == block ? leaves[place] : nil
    }

    /// What happened to an object. O(log leaves).
    public func state(of key: ObjectKey) -> State {
        guard let leaf = leaf(of: key) else { return .untouched }
        let slot = KeyBlock.offset(of: key)
        if leaf.inserted.contains(slot) { return .inserted }
        if leaf.deleted.contains(slot) { return .deleted }
        return leaf.columns.contains { $0.slots.contains(slot) } ? .modified : .untouched
    }

    /// The columns that were assigned in an object that exists before and after, ascending.
    public func modifiedColumns(of key: ObjectKey) -> [Int] {
        guard let leaf = leaf(of: key) else { return [] }
        let slot = KeyBlock.offset(of: key)
        if leaf.inserted.contains(slot) || leaf.deleted.contains(slot) { return [] }
        return leaf.columns.filter { $0.slots.contains(slot) }.map { $0.column }
    }

    /// The number of objects that were inserted, deleted or modified. O(leaves).
    public var count: Int { leaves.reduce(0) { $0 + $1.touched.count } }

    /// Calls `body` with each inserted key, ascending.
    public func forEachInserted(_ body: (ObjectKey) -> Void) {
        for leaf in leaves { leaf.inserted.forEach { body(leaf.block.key(at: $0)) } }
    }

    /// Calls `body` with each deleted key, ascending.
    public func forEachDeleted(_ body: (ObjectKey) -> Void) {
        for leaf in leaves { leaf.deleted.forEach { body(leaf.block.key(at: $0)) } }
    }

    /// Calls `body` with each key that was modified in one of the columns (any, if nil), ascending.
    public func forEachModified(in columns: Set<Int>? = nil, _ body: (ObjectKey) -> Void) {
        for leaf in leaves {
            leaf.modified(in: columns).forEach { body(leaf.block.key(at: $0)) }
        }
    }

    /// Calls `body` with each key that was inserted, deleted, or modified in one of the columns (any, if nil), ascending.
    public func forEachTouched(in columns: Set<Int>? = nil, _ body: (ObjectKey) -> Void) {
        for leaf in leaves { leaf.touched(in: columns).forEach { body(leaf.block.key(at: $0)) } }
    }

    /// Adds what happened to the next rows of a transaction; several leaves of rows can make up one of 256 keys.
    mutating func add(_ leaf: LeafChange) {
        guard var last = leaves.popLast() else { return leaves.append(leaf) }
        if last.block == leaf.block {
            last.append(leaf)
            leaves.append(last)
        } else {
            leaves.append(last)
            leaves.append(leaf)
        }
    }

    mutating func append(_ next: TableChange) {
        merge(next.leaves, into: &leaves, { $0.block < $1.block }) { $0.append($1) }
    }
}

/// What happened to the objects of 256 neighbouring keys, as bitmaps over the offsets of keys in their block: their slots
/// here, however the rows lie in memory.
public struct LeafChange: Sendable {
    /// The slots whose value of a column was assigned.
    public struct Column: Sendable {
        /// The column.
        public var column: Int
        /// The slots that were assigned in it.
        public var slots: Bits256
    }

    /// The keys that the bitmaps are of.
    public var block: KeyBlock
    /// The slots of rows that are new.
    public var inserted: Bits256
    /// The slots of rows that are gone.
    public var deleted: Bits256
    /// The assigned columns, ascending; slots that were inserted or deleted are not among theirs.
    public var columns: [Column]

    /// The slots that were modified in one of the columns (any, if nil).
    public func modified(in filter: Set<Int>? = nil) -> Bits256 {
        var union = Bits256()
        for column in columns where filter?.contains(column.column) ?? true { union = union | column.slots }
        return union
    }

    /// The slots that were inserted, deleted or modified in one of the columns (any, if nil).
    public func touched(in filter: Set<Int>? = nil) -> Bits256 { inserted | deleted | modified(in: filter) }

    /// The slots that were inserted, deleted or modified.
    public var touched: Bits256 { touched() }

    var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty && columns.isEmpty }

    mutating func append(_ next: LeafChange) {
        // A row of backlinks can come again after it went, and go once more: then it is gone. Only what was not there at
        // first vanishes.
        let vanished = (inserted & next.deleted).subtracting(deleted)
        deleted = deleted | next.deleted.subtracting(inserted)
        inserted = inserted.subtracting(next.deleted) | next.inserted
        let hidden = inserted | deleted | vanished
        merge(next.columns, into: &columns, { $0.column < $1.column }) { $0.slots = $0.slots | $1.slots }
        if hidden.isEmpty { return }
        for index in columns.indices { columns[index].slots = columns[index].slots.subtracting(hidden) }
        columns.removeAll { $0.slots.isEmpty }
    }
}

/// Merges an ascending array into another, combining the elements that are equal in order. O(n) in both; where the same elements
/// come first, as they do when commits change the same, these are combined where they are.
private func merge<Element>(
    _ b: [Element], into a: inout [Element], _ precedes: (Element, Element) -> Bool,
    _ combine: (inout Element, Element) -> Void
) {
    var i = 0
    while i < min(a.count, b.count), !precedes(a[i], b[i]), !precedes(b[i], a[i]) {
        combine(&a[i], b[i])
        i += 1
    }
    if i == b.count { return }
    var j = i
    var merged = Array(a[..<i])
    merged.reserveCapacity(a.count + b.count - i)
    while i < a.count, j < b.count {
        if precedes(a[i], b[j]) {
            merged.append(a[i])
            i += 1
        } else if precedes(b[j], a[i]) {
            merged.append(b[j])
            j += 1
        } else {
            var element = a[i]
            combine(&element, b[j])
            merged.append(element)
            i += 1
            j += 1
        }
    }
    merged.append(contentsOf: a[i...])
    merged.append(contentsOf: b[j...])
    a = merged
}
