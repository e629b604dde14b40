import KivoEngine

/// Writing of the collections of objects that are being added.
extension ObjectAdder {
    /// Writes the elements of a list. Under `.modified`, equal elements are not written.
    func write(_ cells: [Cell], _ list: CollectionReference) {
        list.checkOwner(transaction)
        guard isUpdating else {
            return transaction.insertElements(cells, at: 0, into: list.id)
        }
        guard isComparing else {
            list.removeAllElements()
            if !cells.isEmpty { insert(cells[...], at: 0, into: list) }
            return
        }
        let old = list.sequence
        let shared = min(old.count, cells.count)
        let replaced = (0..<shared).filter { old.cell(at: $0) != cells[$0] }
        let removed = cells.count..<max(old.count, cells.count)
        if !replaced.isEmpty {
            list.change(.replacement(.scattered(replaced)), ending: replaced.map { old.cell(at: $0) }) {
                for index in replaced { $0.replaceElement(cells[index], at: index, in: list.id) }
            }
        }
        if !removed.isEmpty {
            list.change(.removal(.range(removed)), ending: removed.map { list.sequence.cell(at: $0) }) {
                $0.removeElements(removed, from: list.id)
            }
        } else if shared < cells.count {
            insert(cells[shared...], at: shared, into: list)
        }
    }

    private func insert(_ cells: ArraySlice<Cell>, at position: Int, into list: CollectionReference) {
        list.change(.insertion(position..<position + cells.count)) {
            cells.forEach(list.checkElement)
            $0.insertElements(cells, at: position, into: list.id)
        }
    }

    /// Writes the elements of a set. Under `.modified`, existing elements stay and are not written.
    func write(set cells: [Cell], _ set: CollectionReference) {
        set.checkOwner(transaction)
        func insert(_ transaction: WriteTransaction) {
            for cell in cells {
                set.checkElement(cell)
                let (position, isEqual) = set.sequence.lowerBound(cell)
                if !isEqual { transaction.insertElement(cell, at: position, into: set.id) }
            }
        }
        guard isUpdating else { return insert(transaction) }
        guard isComparing else {
            return set.change(.wholesale) {
                $0.removeAllElements(from: set.id)
                insert($0)
            }
        }
        let old = set.sequence
        var kept: Set<Int> = []
        var isNew = false
        for cell in cells {
            let (position, isEqual) = old.lowerBound(cell)
            if isEqual { kept.insert(position) } else { isNew = true }
        }
        let removed = isReplacing ? (0..<old.count).filter { !kept.contains($0) } : []
        if removed.isEmpty, !isNew { return }
        set.change(.wholesale) {
            for position in removed.reversed() { $0.removeElement(at: position, from: set.id) }
            insert($0)
        }
    }

    /// Writes the entries of a map. Under `.modified`, entries with other keys stay, and equal entries are not written.
    func write(_ entries: [(key: String, value: Cell)], _ map: MapReference) {
        entries.forEach { MapReference.checkKey($0.key) }
        map.keys.checkOwner(transaction)
        guard isUpdating else { return map.put(entries, transaction) }
        let old = map.values.sequence
        guard isComparing else {
            return map.change(ending: (0..<old.count).map { old.cell(at: $0) }) {
                map.removeAll($0)
                map.put(entries, $0)
            }
        }
        var kept: Set<Int> = []
        var changed: [(key: String, value: Cell)] = []
        var dying: [Cell] = []
        for entry in entries {
            let (position, isEqual) = map.keys.sequence.lowerBound(.string(entry.key))
            if isEqual { kept.insert(position) }
            if isEqual, old.cell(at: position) == entry.value { continue }
            if isEqual { dying.append(old.cell(at: position)) }
            changed.append(entry)
        }
        let removed = isReplacing ? (0..<old.count).filter { !kept.contains($0) } : []
        if removed.isEmpty, changed.isEmpty { return }
        map.change(ending: dying + removed.map { old.cell(at: $0) }) {
            for position in removed.reversed() { map.remove(at: position, $0) }
            map.put(changed, $0)
        }
    }
}
