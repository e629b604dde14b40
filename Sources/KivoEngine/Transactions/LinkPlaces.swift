/// Where objects are in the lists and maps that a transaction takes deleted objects out of.
///
/// A search looks through a list once. If there are further searches, the list gets an index, which follows the edits of
/// the list from then on, so that deleting n objects that are in one list looks through it twice, not n times.
///
/// Belongs to its transaction.
struct LinkPlaces {
    /// Shorter sequences are looked through each time.
    var shortest = 512

    private var searched: Set<CollectionID> = []
    private var indexes: [CollectionID: OccurrenceIndex] = [:]

    /// The positions, ascending, at which a sequence holds one of some different objects. Looked up by index these are
    /// O(log n) each, else O(n).
    mutating func positions(
        of targets: [ObjectKey], in id: CollectionID, _ sequence: PersistentSequence, _ memory: WriteMemory
    ) -> [Int] {
        // Beyond that, looking through the sequence costs less than looking up each object.
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

    /// Forgets a sequence that was replaced as a whole, or is gone.
    mutating func forget(_ id: CollectionID) {
        if searched.isEmpty { return }
        searched.remove(id)
        indexes[id] = nil
    }

    /// Forgets all sequences.
    mutating func removeAll() { self = LinkPlaces(shortest: shortest) }

    /// The index of a sequence in which some elements come or go, or nil; none any more if they are so many that
    /// following them costs as much as making it anew.
    private mutating func index(of id: CollectionID, changing number: Int) -> OccurrenceIndex? {
        guard !indexes.isEmpty, let index = indexes[id] else { return nil }
        if number * 8 < index.count { return index }
        indexes[id] = nil
        return nil
    }

    mutating func insert(_ number: Int, at position: Int, in id: CollectionID, _ key: (Int) -> ObjectKey) {
        guard let index = index(of: id, changing: number) else { return }
        for place in 0..<number { index.place(index.allocate(key(place)), at: position + place) }
    }

    mutating func remove(_ range: Range<Int>, in id: CollectionID) {
        guard let index = index(of: id, changing: range.count) else { return }
        for _ in range { index.remove(index.occurrence(at: range.lowerBound)) }
    }

    mutating func replace(at position: Int, by key: ObjectKey, in id: CollectionID) {
        guard let index = index(of: id, changing: 1) else { return }
        index.remove(index.occurrence(at: position))
        index.place(index.allocate(key), at: position)
    }

    mutating func move(from source: Int, to target: Int, in id: CollectionID) {
        guard let index = index(of: id, changing: 1) else { return }
        let occurrence = index.occurrence(at: source)
        let key = index.key(of: occurrence)
        index.remove(occurrence)
        index.place(index.allocate(key), at: target)
    }
}
