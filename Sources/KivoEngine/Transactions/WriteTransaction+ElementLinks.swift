/// Backlinks and ownership of the links among the elements of a sequence during edits.
extension WriteTransaction {
    /// Returns the row of an element that is a link, as its removal requires, or nil. Links of any values contain their table;
    /// for others the table is only set if the sequence owns them.
    func target(_ cell: Cell, _ editor: Editor) -> RowID? {
        if editor.element == .any { return cell.target }
        let key = cell.linkKey
        return key == 0 ? nil : RowID(table: editor.owned ?? 0, key: key)
    }

    /// Traps if an element of a list or set of objects has no target: readers reject files with such elements.
    @inline(__always)
    func checkTarget(_ cell: Cell, _ editor: Editor) {
        if cell.linkKey == 0 { trapWithoutTarget(editor.id) }
    }

    @inline(never)
    private func trapWithoutTarget(_ id: CollectionID) -> Never {
        let table = catalog.tables[id.table]
        fatalError(
            "nil is no element of '\(table.name).\(table.columns[id.column].name)', which holds objects")
    }

    /// Returns the targets of the links among elements that are about to be removed.
    func targets(_ sequence: PersistentSequence, _ range: Range<Int>, _ editor: Editor) -> [RowID] {
        if editor.element == .any { return sequence.anyLinks(in: range) }
        if editor.backlinks == nil { return [] }
        return sequence.links(in: range).compactMap {
            $0 == 0 ? nil : RowID(table: editor.owned ?? 0, key: $0)
        }
    }

    func add(_ target: RowID?, _ editor: Editor) {
        guard let target else { return }
        if let backlinks = editor.backlinks {
            addBacklink(backlinks, target.key, origin: editor.id.key)
        } else {
            addAnyBacklink(editor.id.table, editor.id.column, target, origin: editor.id.key)
        }
    }

    /// Removes the backlinks of removed elements, and deletes the objects that they owned.
    func drop(_ targets: [RowID], _ editor: Editor, isDeletingOwned: Bool = true) {
        if targets.isEmpty { return }
        for target in targets {
            if let backlinks = editor.backlinks {
                removeBacklink(backlinks, target.key, origin: editor.id.key)
            } else {
                removeAnyBacklink(editor.id.table, editor.id.column, target, origin: editor.id.key)
            }
        }
        guard isDeletingOwned else { return }
        if let owned = editor.owned { return delete(targets.map { $0.key }, from: owned) }
        if editor.element != .any { return }
        for target in targets where catalog.tables[target.table].isEmbedded {
            delete([target.key], from: target.table)
        }
    }
}
