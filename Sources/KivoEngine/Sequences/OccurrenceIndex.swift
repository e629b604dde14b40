/// An index of the positions of objects in a list. Each occurrence of an object has a number that stays the same while others are
/// inserted and removed. The index finds the position of a number, and the occurrences of an object.
///
///     positions   0 … 99   100 … 250   251 … 300
///     blocks      [ 7 3 …] [ 12 9 …]   [ 4 … ]        occurrences in order, at most 512 a block
///     counts      Fenwick tree over the blocks
///
/// Finding a position takes a scan of one block and O(log n). An edit costs the same, plus O(blocks) when a block is split or
/// half of the blocks are empty. Not thread-safe; belongs to its view, observer or transaction.
package final class OccurrenceIndex {
    /// The object of each occurrence; 0 for an unused number.
    private var keys: [ObjectKey] = []
    private var blockOf: [Int32] = []
    /// The linked list of the occurrences of each object.
    private var next: [Int32] = []
    private var previous: [Int32] = []
    private var first: [ObjectKey: Int32] = [:]
    private var free: [Int32] = []

    private var blocks: [[Int32]] = []
    /// The blocks in order, and the position of each block in that order.
    private var order: [Int32] = []
    private var ordinal: [Int] = []
    private var counts: [Int] = []
    private var emptyBlocks = 0

    private static let blockCapacity = 512
    private static let none: Int32 = -1

    /// Creates an index of a list's objects.
    init(_ objects: [ObjectKey]) {
        first.reserveCapacity(objects.count)
        var block: [Int32] = []
        for key in objects {
            if block.count == OccurrenceIndex.blockCapacity / 2 {
                addBlock(block)
                block = []
            }
            let occurrence = allocate(key)
            blockOf[occurrence] = Int32(blocks.count)
            block.append(Int32(occurrence))
        }
        addBlock(block)
        emptyBlocks = block.isEmpty ? 1 : 0
        recount()
    }

    /// Creates an index of the current objects of a list; any values are identified by their ``Cell/occurrenceKey``. O(n).
    package convenience init(_ sequence: PersistentSequence) {
        var keys: [ObjectKey] = []
        if sequence.element == .any {
            keys.reserveCapacity(sequence.count)
            sequence.forEach { keys.append($0.occurrenceKey) }
        } else {
            keys = sequence.links
        }
        self.init(keys)
    }

    /// The number of occurrences that have a position. O(log n).
    var count: Int { sum(order.count) }

    /// Calls `body` with each position of an object, in no particular order. For any values this includes other values with the
    /// same ``Cell/occurrenceKey``. O(log n) each.
    package func forEachPosition(of key: ObjectKey, _ body: (Int) -> Void) {
        forEachOccurrence(of: key) { body(position(of: $0)) }
    }

    private func addBlock(_ block: [Int32]) {
        order.append(Int32(blocks.count))
        ordinal.append(order.count - 1)
        blocks.append(block)
    }

    func key(of occurrence: Int) -> ObjectKey { keys[occurrence] }

    /// Returns the position of an occurrence. O(log n) and a scan of its block.
    func position(of occurrence: Int) -> Int {
        let block = Int(blockOf[occurrence])
        return sum(ordinal[block]) + blocks[block].firstIndex(of: Int32(occurrence))!
    }

    /// Returns the occurrence at a position. O(log n).
    func occurrence(at position: Int) -> Int {
        let (block, offset) = locate(position)
        return Int(blocks[block][offset])
    }

    /// Calls `body` with each occurrence of an object.
    func forEachOccurrence(of key: ObjectKey, _ body: (Int) -> Void) {
        var occurrence = first[key] ?? OccurrenceIndex.none
        while occurrence >= 0 {
            body(Int(occurrence))
            occurrence = next[Int(occurrence)]
        }
    }

    // MARK: Edits

    /// Returns a number for a new occurrence of an object. It has no position until ``insert(_:at:)``.
    func allocate(_ key: ObjectKey) -> Int {
        let occurrence: Int32
        if let reused = free.popLast() {
            occurrence = reused
            keys[Int(reused)] = key
        } else {
            occurrence = Int32(keys.count)
            keys.append(key)
            blockOf.append(OccurrenceIndex.none)
            next.append(OccurrenceIndex.none)
            previous.append(OccurrenceIndex.none)
        }
        let old = first[key] ?? OccurrenceIndex.none
        next[Int(occurrence)] = old
        previous[Int(occurrence)] = OccurrenceIndex.none
        if old >= 0 { previous[Int(old)] = occurrence }
        first[key] = occurrence
        return Int(occurrence)
    }

    /// Inserts an occurrence before the one at a position.
    func insert(_ occurrence: Int, at position: Int) {
        let (block, offset) = locate(position)
        if blocks[block].isEmpty { emptyBlocks -= 1 }
        blocks[block].insert(Int32(occurrence), at: offset)
        blockOf[occurrence] = Int32(block)
        add(1, at: ordinal[block])
        if blocks[block].count > OccurrenceIndex.blockCapacity { split(block) }
    }

    /// Removes an occurrence; its number may be reused.
    func remove(_ occurrence: Int) {
        let block = Int(blockOf[occurrence])
        blocks[block].remove(at: blocks[block].firstIndex(of: Int32(occurrence))!)
        add(-1, at: ordinal[block])
        if blocks[block].isEmpty {
            emptyBlocks += 1
            if emptyBlocks * 2 > order.count { dropEmptyBlocks() }
        }
        let (before, after) = (previous[occurrence], next[occurrence])
        if before >= 0 {
            next[Int(before)] = after
        } else {
            first[keys[occurrence]] = after < 0 ? nil : after
        }
        if after >= 0 { previous[Int(after)] = before }
        keys[occurrence] = 0
        free.append(Int32(occurrence))
    }

    private func dropEmptyBlocks() {
        let last = order[order.count - 1]
        order.removeAll { blocks[Int($0)].isEmpty }
        if order.isEmpty { order = [last] }
        emptyBlocks = order.count { blocks[Int($0)].isEmpty }
        recount()
    }

    private func split(_ block: Int) {
        let half = blocks[block].count / 2
        let moved = Array(blocks[block][half...])
        blocks[block].removeSubrange(half...)
        for occurrence in moved { blockOf[Int(occurrence)] = Int32(blocks.count) }
        order.insert(Int32(blocks.count), at: ordinal[block] + 1)
        ordinal.append(0)
        blocks.append(moved)
        recount()
    }

    // MARK: Positions

    private func locate(_ position: Int) -> (block: Int, offset: Int) {
        var (index, rest) = (0, position)
        var step = 1
        while step * 2 <= counts.count { step *= 2 }
        while step > 0 {
            let probe = index + step
            // An insertion at the end of a block goes there rather than to the front of the next.
            if probe < order.count, counts[probe - 1] <= rest {
                index = probe
                rest -= counts[probe - 1]
            }
            step /= 2
        }
        return (Int(order[index]), rest)
    }

    private func sum(_ end: Int) -> Int {
        var (sum, index) = (0, end)
        while index > 0 {
            sum += counts[index - 1]
            index &= index - 1
        }
        return sum
    }

    private func add(_ difference: Int, at ordinal: Int) {
        var index = ordinal + 1
        while index <= counts.count {
            counts[index - 1] += difference
            index += (index & -index)
        }
    }

    private func recount() {
        counts = order.map { blocks[Int($0)].count }
        for (index, block) in order.enumerated() { ordinal[Int(block)] = index }
        for index in 1...counts.count {
            let parent = index + (index & -index)
            if parent <= counts.count { counts[parent - 1] += counts[index - 1] }
        }
    }

    /// Checks that positions, occurrences and objects agree. O(n log n).
    func checkInvariants() {
        #if DEBUG
        var position = 0
        for block in order {
            for occurrence in blocks[Int(block)] {
                precondition(self.position(of: Int(occurrence)) == position, "a position is wrong")
                precondition(self.occurrence(at: position) == Int(occurrence), "an occurrence is not found")
                var isKnown = false
                forEachOccurrence(of: keys[Int(occurrence)]) { if $0 == Int(occurrence) { isKnown = true } }
                precondition(isKnown, "an object does not know one of its occurrences")
                position += 1
            }
        }
        precondition(emptyBlocks == order.count { blocks[Int($0)].isEmpty }, "empty blocks are miscounted")
        #endif
    }
}
