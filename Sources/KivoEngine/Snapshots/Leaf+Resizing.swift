extension Leaf {
    /// Returns a leaf of another capacity with some of this one's rows, which replaces this one in the transaction.
    ///
    /// Values are moved bitwise; the values of all other slots must already belong to another owner. The record of the
    /// transaction's changes is copied. O(rows · columns).
    ///
    /// - Parameters:
    ///   - slots: the slots to keep.
    ///   - opening: an offset that gets an empty slot, which the caller must fill; nil for none.
    func resized(
        capacity: Int, keeping slots: Bits256, opening: Int? = nil, _ spec: TableSpec, _ memory: WriteMemory
    ) -> Leaf {
        let leaf = Leaf.make(firstKey, capacity: capacity, spec, memory)
        var stored = offsets(of: slots)
        if let opening { stored.insert(opening) }
        if leaf.isPacked { leaf.stored = stored }
        let runs = runs(of: slots, in: leaf)
        leaf.occupied = Leaf.moved(occupied, runs)
        leaf.form.insert(.edited)
        if memory.owns(base) {
            leaf.inserted = Leaf.moved(inserted, runs)
            leaf.deleted = Leaf.moved(deleted, runs)
        }
        for index in 0..<columnCount {
            let (from, to) = (column(index), leaf.column(index))
            let stride = spec.layouts[index].kind.stride
            for run in runs {
                (to.data + run.to * stride).copyMemory(
                    from: from.data + run.from * stride, byteCount: run.count * stride)
            }
            to.nulls = Leaf.moved(from.nulls, runs)
            if from.owner == memory.id { to.dirty = Leaf.moved(from.dirty, runs) }
        }
        retire(memory)
        return leaf
    }

    /// A run of neighbouring slots that stay neighbours.
    private typealias Run = (from: Int, to: Int, count: Int)

    private func runs(of slots: Bits256, in leaf: Leaf) -> [Run] {
        var runs: [Run] = []
        forEachRow(in: slots) { slot, key in
            let target = leaf.slot(ofStored: Int(key - firstKey))!
            if let last = runs.last, last.from + last.count == slot, last.to + last.count == target {
                runs[runs.count - 1].count += 1
            } else {
                runs.append((slot, target, 1))
            }
        }
        return runs
    }

    private static func moved(_ bits: Bits256, _ runs: [Run]) -> Bits256 {
        if bits.isEmpty { return bits }
        var moved = Bits256()
        for run in runs {
            let part = bits & Bits256(run.from..<run.from + run.count)
            moved = moved | part.shifted(by: run.to - run.from)
        }
        return moved
    }

    /// Returns the capacity of a packed or flat leaf for a number of rows. Capacities grow fourfold, so that a row is moved only
    /// a few times.
    static func capacity(for rows: Int, span: Int) -> Int {
        var capacity = 1
        while capacity < rows { capacity *= 4 }
        return min(capacity, span)
    }

    /// Whether the rows should be packed: they fill at most an eighth of the leaf, or there is only one.
    var isSparse: Bool {
        let count = occupied.count
        return count * 8 <= capacity || count == 1 && capacity > 1
    }
}
