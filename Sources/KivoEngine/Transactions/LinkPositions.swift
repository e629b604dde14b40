/// A cache of object positions in the lists and maps from which a transaction removes deleted objects.
///
/// The first search scans a list. On the second search the list gets an index, which is updated with later edits of the list. So
/// deleting n objects that are in one list scans it twice, not n times.
///
/// Owned by its transaction.
struct LinkPositions {
    /// The minimum length of an indexed sequence. Shorter ones are scanned on each search.
    var shortest = 512

    private var searched: Set<CollectionID> = []
    private var indexes: [CollectionID: OccurrenceIndex] = [:]

    /// Returns the ascending positions of the given objects, which must be distinct, in a sequence. O(log n) for each position
    /// with an index, otherwise O(n).
    mutating func positions(
        of targets: [ObjectKey], in id: CollectionID, _ sequence: PersistentSequence, _ memory: WriteMemory
    ) -> [Int] {
        // For more targets, a scan of the sequence is faster than a lookup of each object.
        let areFew = targets.count * 16 < max(sequence.count, 32)
        var index = areFew ? indexes[id] : nil
        if index == nil, areFew, sequence.count >= shortest, !searched.insert(id).inserted {
            memory.countWork(sequence.count)
            index = OccurrenceIndex(sequence)
            indexes[id] = index
        }
        if let index {
            var positions: [Int] = []
            for target in targets { index.forEachPosition(of: target) { positions.append($0) } }
            memory.countWork(positions.count)
            positions.sort()
            return positions
        }
        memory.countWork(sequence.count)
        var positions: [Int] = []
        var position = 0
        if targets.count == 1 {
            let target = targets[0]
            sequence.forEachLink { key in
                if key == target { positions.append(position) }
                position += 1
            }
        } else {
            let targets = Set(targets)
            sequence.forEachLink { key in
                if targets.contains(key) { positions.append(position) }
                position += 1
            }
        }
        return positions
    }

    /// Drops the index of a sequence that was replaced as a whole or deleted.
    mutating func removeIndex(of id: CollectionID) {
        if searched.isEmpty { return }
        searched.remove(id)
        indexes[id] = nil
    }

    /// Drops all indexes.
    mutating func removeAll() { self = LinkPositions(shortest: shortest) }

    /// Returns the index of a sequence, for an insertion or removal of some elements, or nil if there is none. Drops the index if
    /// the elements are so many that updating it costs as much as creating a new one.
    private mutating func index(of id: CollectionID, changing number: Int) -> OccurrenceIndex? {
        guard !indexes.isEmpty, let index = indexes[id] else { return nil }
        if number * 8 < index.count { return index }
        indexes[id] = nil
        return nil
    }

    mutating func insert(_ number: Int, at position: Int, in id: CollectionID, _ key: (Int) -> ObjectKey) {
        guard let index = index(of: id, changing: number) else { return }
        for offset in 0..<number { index.insert(index.allocate(key(offset)), at: position + offset) }
    }

    mutating func remove(_ range: Range<Int>, in id: CollectionID) {
        guard let index = index(of: id, changing: range.count) else { return }
        for _ in range { index.remove(index.occurrence(at: range.lowerBound)) }
    }

    mutating func replace(at position: Int, by key: ObjectKey, in id: CollectionID) {
        guard let index = index(of: id, changing: 1) else { return }
        index.remove(index.occurrence(at: position))
        index.insert(index.allocate(key), at: position)
    }

    mutating func move(from source: Int, to target: Int, in id: CollectionID) {
        guard let index = index(of: id, changing: 1) else { return }
        let occurrence = index.occurrence(at: source)
        let key = index.key(of: occurrence)
        index.remove(occurrence)
        index.insert(index.allocate(key), at: target)
    }
}
