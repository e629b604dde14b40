import KivoEngine
import KivoObserving

/// The observers of one row: the observations of its accessors, of which there is nearly always one.
struct RowObservers {
    private(set) var first: KeyValueObservations
    private var others: ContiguousArray<KeyValueObservations> = []

    init(_ observations: KeyValueObservations) { first = observations }

    /// The observations, if only one accessor is observed.
    @inline(__always)
    var single: KeyValueObservations? { others.isEmpty ? first : nil }

    /// Calls `body` with the observations of each accessor. Changes that `body` makes to the row take effect in the next call
    /// only.
    @inline(__always)
    func forEach(_ body: (KeyValueObservations) -> Void) {
        body(first)
        for observations in others { body(observations) }
    }

    /// Whether any accessor's observations notify changes of a column.
    func observe(column: Int) -> Bool {
        first.index(ofColumn: column) != nil || others.contains { $0.index(ofColumn: column) != nil }
    }

    mutating func append(_ observations: KeyValueObservations) {
        others.append(observations)
        forEach { $0.isAlone = false }
    }

    func contains(_ observations: KeyValueObservations) -> Bool {
        first === observations || others.contains { $0 === observations }
    }

    /// Returns the observers without the observations of one accessor; returns nil if no others are left.
    func without(_ observations: KeyValueObservations) -> RowObservers? {
        var rest = self
        if first === observations {
            guard let next = others.first else { return nil }
            rest.first = next
            rest.others.removeFirst()
        } else {
            rest.others.removeAll { $0 === observations }
        }
        if rest.others.isEmpty { rest.first.isAlone = true }
        observations.isAlone = true
        return rest
    }
}

/// The observed rows of one table. They are stored in the same way as in change sets: in blocks of 256 neighbouring keys with a
/// bit for each. Intersecting the bitmaps finds the rows that are both changed and observed.
struct ObservedTable {
    private final class Block {
        @exclusivity(unchecked) var slots = Bits256()
        /// The observers of the block's rows, ascending by slot.
        @exclusivity(unchecked) var rows: ContiguousArray<RowObservers> = []
    }

    private var blocks: [KeyBlock: Block] = [:]
    /// The number of observed rows.
    private(set) var count = 0
    /// The block of the last lookup, which is nearly always the next one too.
    private var lastIndex: KeyBlock?
    private var lastBlock: Unmanaged<Block>?
    /// The only block without observed rows, which stays until the next one is needed: observers often end one after another.
    private var emptyIndex: KeyBlock?

    @inline(__always)
    private mutating func block(_ index: KeyBlock) -> Unmanaged<Block>? {
        index == lastIndex ? lastBlock : find(index)
    }

    @inline(never)
    private mutating func find(_ index: KeyBlock) -> Unmanaged<Block>? {
        lastIndex = index
        lastBlock = blocks[index].map { Unmanaged.passUnretained($0) }
        return lastBlock
    }

    /// Whether a row is observed. O(1).
    @inline(__always)
    mutating func contains(_ key: ObjectKey) -> Bool {
        if count == 0 { return false }
        return block(KeyBlock(of: key))?._withUnsafeGuaranteedRef {
            $0.slots.contains(KeyBlock.offset(of: key))
        } ?? false
    }

    /// Returns the observers of a row, or nil if there are none. O(1).
    @inline(__always)
    mutating func observers(of key: ObjectKey) -> RowObservers? {
        if count == 0 { return nil }
        return block(KeyBlock(of: key))?._withUnsafeGuaranteedRef { block in
            let slot = KeyBlock.offset(of: key)
            return block.slots.contains(slot) ? block.rows[block.slots.rank(slot)] : nil
        }
    }

    /// Returns the observed rows of a block, as a bitmap.
    mutating func observed(in block: KeyBlock) -> Bits256 {
        self.block(block)?._withUnsafeGuaranteedRef { $0.slots } ?? Bits256()
    }

    mutating func add(_ observations: KeyValueObservations, _ key: ObjectKey) {
        let (index, slot) = (KeyBlock(of: key), KeyBlock.offset(of: key))
        let block = block(index) ?? addBlock(index)
        if emptyIndex == index { emptyIndex = nil }
        let isFirst = block._withUnsafeGuaranteedRef { block in
            let rank = block.slots.rank(slot)
            if block.slots.contains(slot) {
                block.rows[rank].append(observations)
                return false
            }
            block.slots.insert(slot)
            block.rows.insert(RowObservers(observations), at: rank)
            return true
        }
        if isFirst { count += 1 }
    }

    private mutating func addBlock(_ index: KeyBlock) -> Unmanaged<Block> {
        let block = emptyIndex.take().flatMap { blocks.removeValue(forKey: $0) } ?? Block()
        blocks[index] = block
        let added = Unmanaged.passUnretained(block)
        (lastIndex, lastBlock) = (index, added)
        return added
    }

    /// Removes the observations of one accessor; returns false if they are not registered for the row.
    mutating func remove(_ observations: KeyValueObservations, _ key: ObjectKey) -> Bool {
        let (index, slot) = (KeyBlock(of: key), KeyBlock.offset(of: key))
        guard let block = block(index)?.takeUnretainedValue(), block.slots.contains(slot) else {
            return false
        }
        let rank = block.slots.rank(slot)
        guard block.rows[rank].contains(observations) else { return false }
        if let rest = block.rows[rank].without(observations) {
            block.rows[rank] = rest
            return true
        }
        block.slots.remove(slot)
        block.rows.remove(at: rank)
        count -= 1
        if block.rows.isEmpty {
            if let other = emptyIndex { blocks[other] = nil }
            emptyIndex = index
        }
        return true
    }

    /// The number of blocks that hold observed rows.
    var blockCount: Int { emptyIndex == nil ? blocks.count : blocks.count - 1 }

    /// The blocks that hold observed rows, ascending. O(blocks · log blocks).
    var observedBlocks: [KeyBlock] { blocks.keys.filter { $0 != emptyIndex }.sorted() }

    /// The observed rows, ascending. O(n), and O(blocks · log blocks).
    var keys: [ObjectKey] {
        var keys: [ObjectKey] = []
        keys.reserveCapacity(count)
        for index in observedBlocks {
            blocks[index]!.slots.forEach { keys.append(index.key(at: $0)) }
        }
        return keys
    }
}

/// The realm of one managed object or collection that is observed. Confined with it, but for ``liveSubject``.
///
/// The realm's ``KeyValueRegistry`` holds the observations of the row, which hold this.
final class RowHost: SubjectHost {
    let row: RowID
    /// The realm's instance, which lives as long as the subject.
    private unowned(unsafe) let instance: RealmInstance
    let handle: InstanceHandle
    private weak var subject: AnyObject?

    init(_ subject: AnyObject, _ row: RowID, _ instance: RealmInstance) {
        self.subject = subject
        self.row = row
        self.instance = instance
        handle = instance.handle
    }

    var isCurrent: Bool { handle.isCurrent }
    var liveSubject: AnyObject? { subject }
    var ender: any ObservationEnder { handle }

    func willRegister() { instance.releaseEndedElsewhere() }

    /// Registers the row with its realm when the first recipient is added.
    func beginListening(_ observations: KeyValueObservations) {
        instance.turns.enable()
        instance.keyValueRegistry.add(observations, row)
        instance.noteObservedRow()
    }

    /// Removes the row from its realm's registry when the last recipient is removed.
    func endListening(_ observations: KeyValueObservations) {
        instance.keyValueRegistry.remove(observations, row)
    }
}

extension InstanceHandle: ObservationEnder {
    func whileObserving(_ body: () -> Void) {
        guard let instanceOwner else { return }
        withExtendedLifetime(instanceOwner) { body() }
    }
}

extension OpenChange: OpenRowChanges {}

/// The observations of model objects and collections, which can be rows of a realm.
extension KeyValueObservations: CollectionObserver {
    /// Ends the observations of a subject that is being torn down, on any thread. A foreign thread transfers the subject's one
    /// reference to the realm's own thread: no other thread may read the observations, nor release them last.
    static func endWithSubject(_ reference: Unmanaged<AnyObject>) {
        let observations = Unmanaged<KeyValueObservations>.fromOpaque(reference.toOpaque())
        guard let host = observations._withUnsafeGuaranteedRef({ $0.rowHost }) else {
            return observations.release()
        }
        let handle = host.handle
        guard handle.isCurrent else { return handle.leave(ended: reference) }
        let instance = handle.instanceOwner?.instance
        observations.takeRetainedValue().endWithSubject(instance?.keyValueRegistry)
    }

    /// Ends all registrations after the subject was torn down.
    func endWithSubject(_ registry: KeyValueRegistry?) {
        if let row = rowHost?.row { registry?.remove(self, row) }
        endRegistrations()
    }

    /// The realm of a managed subject.
    private var rowHost: RowHost? { host.map { unsafeDowncast($0, to: RowHost.self) } }
}
