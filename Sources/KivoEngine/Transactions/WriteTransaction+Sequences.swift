extension WriteTransaction {
    /// The location and properties of a list, set or map column that is being edited.
    struct Editor {
        var id: CollectionID
        /// The reader's generation when the location was read; in later generations the addresses may differ.
        var generation: UInt64
        var buffer: ColumnBuffer
        var slot: Int
        var element: ElementKind
        var backlinks: TableID?
        /// The table of owned elements, which are deleted with their position in the sequence.
        var owned: TableID?

        /// Whether each element must lead to an object: the elements of lists and sets of objects.
        var requiresTargets: Bool

        /// Whether elements that are links have backlinks.
        var isLinking: Bool { backlinks != nil || element == .any }
    }

    private func editor(_ id: CollectionID) -> Editor {
        if let editorBefore, editorBefore.id == id { swap(&lastEditor, &self.editorBefore) }
        if let lastEditor, lastEditor.id == id, lastEditor.generation == reader.pointee.generation {
            rowLog?.recordAssignment(id.table, id.key, id.column)
            if rowLog != nil { recordOwners(of: RowID(table: id.table, key: id.key)) }
            return lastEditor
        }
        let (buffer, slot) = writableColumn(id.table, id.key, id.column)
        buffer.markDirty(slot)
        if rowLog != nil { recordOwners(of: RowID(table: id.table, key: id.key)) }
        let column = catalog.tables[id.table].columns[id.column]
        let editor = Editor(
            id: id, generation: reader.pointee.generation, buffer: buffer, slot: slot,
            element: column.element!,
            backlinks: catalog.tables[id.table].backlinks[id.column],
            owned: column.isOwning ? column.target : nil,
            requiresTargets: column.requiresTargets && !keepsElementsWithoutTarget)
        (editorBefore, lastEditor) = (lastEditor?.id == id ? editorBefore : lastEditor, editor)
        if editor.element.isReference { editedReferences.insert(id) }
        return editor
    }

    /// Releases the strings and bytes that the transaction stored in collections, when it is cancelled.
    func releaseElements() {
        for id in editedReferences { sequence(id).releaseElements(storedBy: memory) }
    }

    /// Returns the current elements of a sequence.
    package func sequence(_ id: CollectionID) -> PersistentSequence {
        snapshot.table(id.table).sequence(
            id.key, id.column, catalog.tables[id.table].columns[id.column].element!)
    }

    private func edit(_ editor: Editor, _ body: (inout PersistentSequence) -> Void) {
        var sequence = editor.buffer.sequence(editor.slot, editor.element)
        body(&sequence)
        editor.buffer.setWord(editor.slot, sequence.word)
    }

    /// Records an operation for observers. Skipped if the owner was inserted in this transaction and thus has none.
    private func track(_ id: CollectionID, _ count: Int, _ body: (inout SequenceChange) -> Void) {
        if let last = trackers.last, last.id == id {
            body(&trackers[trackers.count - 1].change)
            return
        }
        if let ordinal = trackerOrdinals[id] {
            body(&trackers[ordinal].change)
            return
        }
        guard !isInserted(id.key, id.table) else { return }
        trackerOrdinals[id] = trackers.count
        var change = SequenceChange(oldCount: count)
        body(&change)
        trackers.append(SequenceTracker(id: id, change: change))
    }

    /// Returns whether an object was inserted by this transaction.
    package func isInserted(_ key: ObjectKey, _ table: TableID) -> Bool {
        guard let (leaf, slot) = snapshot.table(table).locate(key), memory.owns(leaf.base) else {
            return false
        }
        return leaf.inserted.contains(slot)
    }

    func removeTracker(_ id: CollectionID) {
        guard let ordinal = trackerOrdinals.removeValue(forKey: id) else { return }
        let last = trackers.removeLast()
        guard ordinal < trackers.count else { return }
        trackers[ordinal] = last
        trackerOrdinals[last.id] = ordinal
    }

    /// Inserts elements before a position. O(elements + log n), and O(log n) for each object that they refer to.
    package func insertElements(_ cells: some Swift.Collection<Cell>, at position: Int, into id: CollectionID)
    {
        let cells = Array(cells)
        insertElements(cells.count, at: position, into: id) { cells[$0] }
    }

    /// Inserts elements before a position. `cell` returns each by its index among them; see ``insertElements(_:at:into:)``.
    ///
    /// `cell` is called in order, and only once for each element if the sequence has no links. It must not write in this
    /// transaction.
    package func insertElements(
        _ number: Int, at position: Int, into id: CollectionID, _ cell: (Int) -> Cell
    ) {
        if number == 0 { return }
        let editor = editor(id)
        if editor.requiresTargets { for index in 0..<number { checkTarget(cell(index), editor) } }
        var before = 0
        edit(editor) { sequence in
            before = sequence.count
            sequence.insert(number, at: position, memory, cell)
        }
        track(id, before) { $0.insert(at: position, count: number) }
        if editor.isLinking {
            linkPositions.insert(number, at: position, in: id) { cell($0).linkKey }
            for index in 0..<number { add(target(cell(index), editor), editor) }
        }
    }

    /// Appends an element to a sequence without links, if that was edited just before and its last leaf has room. Otherwise
    /// returns false without an effect. O(log n) with a small constant, for bulk loading.
    package func appendElement(_ cell: Cell, to id: CollectionID) -> Bool {
        guard let editor = lastEditor, editor.id == id, editor.generation == reader.pointee.generation,
            !editor.isLinking, rowLog == nil
        else { return false }
        let sequence = editor.buffer.sequence(editor.slot, editor.element)
        guard let before = sequence.appendInPlace(cell, memory) else { return false }
        track(id, before) { $0.insert(at: before) }
        return true
    }

    /// Inserts one element before a position. O(log n).
    package func insertElement(_ cell: Cell, at position: Int, into id: CollectionID) {
        let editor = editor(id)
        if editor.requiresTargets { checkTarget(cell, editor) }
        var before = 0
        edit(editor) { sequence in
            before = sequence.count
            sequence.insert(cell, at: position, memory)
        }
        track(id, before) { $0.insert(at: position) }
        if editor.isLinking {
            linkPositions.insert(1, at: position, in: id) { _ in cell.linkKey }
            add(target(cell, editor), editor)
        }
    }

    /// Removes the element at a position. O(log n). Owned objects are deleted with it.
    package func removeElement(at position: Int, from id: CollectionID) {
        removeElement(at: position, from: id, isMaintainingBacklinks: true)
    }

    /// Removes the element at a position without deleting an owned object, which already has another position.
    package func releaseElement(at position: Int, from id: CollectionID) {
        removeElement(at: position, from: id, isMaintainingBacklinks: true, isDeletingOwned: false)
    }

    func removeElement(
        at position: Int, from id: CollectionID, isMaintainingBacklinks: Bool, isDeletingOwned: Bool = true
    ) {
        let editor = editor(id)
        var before = 0
        var gone: RowID?
        edit(editor) { sequence in
            before = sequence.count
            if editor.isLinking { gone = target(sequence.cell(at: position), editor) }
            sequence.remove(at: position, memory)
        }
        track(id, before) { $0.remove(at: position) }
        linkPositions.remove(position..<position + 1, in: id)
        if isMaintainingBacklinks, let gone { drop([gone], editor, isDeletingOwned: isDeletingOwned) }
    }

    /// Removes the elements in a range of positions. O(elements + log n), and O(log n) for each object that they refer to. Owned
    /// objects are deleted with them.
    package func removeElements(_ range: Range<Int>, from id: CollectionID) {
        removeElements(range, from: id, isMaintainingBacklinks: true)
    }

    func removeElements(_ range: Range<Int>, from id: CollectionID, isMaintainingBacklinks: Bool) {
        if range.isEmpty { return }
        let editor = editor(id)
        var before = 0
        var gone: [RowID] = []
        edit(editor) { sequence in
            before = sequence.count
            if isMaintainingBacklinks { gone = targets(sequence, range, editor) }
            sequence.remove(range, memory)
        }
        track(id, before) { $0.remove(at: range.lowerBound, count: range.count) }
        linkPositions.remove(range, in: id)
        drop(gone, editor)
    }

    /// Replaces the element at a position. O(log n).
    package func replaceElement(_ cell: Cell, at position: Int, in id: CollectionID) {
        replaceElement(cell, at: position, in: id, isMaintainingBacklinks: true)
    }

    func replaceElement(_ cell: Cell, at position: Int, in id: CollectionID, isMaintainingBacklinks: Bool) {
        let editor = editor(id)
        if editor.requiresTargets { checkTarget(cell, editor) }
        var before = 0
        var gone: RowID?
        edit(editor) { sequence in
            before = sequence.count
            if editor.isLinking { gone = target(sequence.cell(at: position), editor) }
            sequence.set(cell, at: position, memory)
        }
        track(id, before) { $0.replace(at: position) }
        linkPositions.replace(at: position, by: cell.linkKey, in: id)
        let new = editor.isLinking ? target(cell, editor) : nil
        if isMaintainingBacklinks, gone != new {
            add(new, editor)
            if let gone { drop([gone], editor) }
        }
    }

    /// Marks an element as changed although its value is the same.
    package func touchElement(at position: Int, in id: CollectionID) {
        _ = editor(id)
        track(id, sequence(id).count) { $0.replace(at: position) }
    }

    /// Moves an element so that it ends up at `target`. O(log n).
    package func moveElement(from source: Int, to target: Int, in id: CollectionID) {
        guard source != target else { return }
        var before = 0
        edit(editor(id)) { sequence in
            before = sequence.count
            sequence.move(from: source, to: target, memory)
        }
        track(id, before) { $0.move(from: source, to: target) }
        linkPositions.move(from: source, to: target, in: id)
    }

    /// Exchanges two elements. O(log n).
    package func swapElements(_ a: Int, _ b: Int, in id: CollectionID) {
        guard a != b else { return }
        var before = 0
        var links: (ObjectKey, ObjectKey) = (0, 0)
        edit(editor(id)) { sequence in
            before = sequence.count
            let (first, second) = (sequence.cell(at: a), sequence.cell(at: b))
            sequence.set(second, at: a, memory)
            sequence.set(first, at: b, memory)
            links = (first.linkKey, second.linkKey)
        }
        track(id, before) { $0.swapAt(a, b) }
        linkPositions.replace(at: a, by: links.1, in: id)
        linkPositions.replace(at: b, by: links.0, in: id)
    }

    /// Removes all elements. An empty sequence is not marked as written. O(n).
    package func removeAllElements(from id: CollectionID) {
        guard sequence(id).count > 0 else { return }
        let editor = editor(id)
        var before = 0
        var gone: [RowID] = []
        edit(editor) { sequence in
            before = sequence.count
            gone = targets(sequence, 0..<before, editor)
            sequence.removeAll(memory)
        }
        track(id, before) { $0.removeAll() }
        linkPositions.removeIndex(of: id)
        drop(gone, editor)
    }
}
