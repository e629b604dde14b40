import KivoEngine

extension CollectionReference {
    /// Inserts elements before a position of a list. Unmanaged objects are added to the realm. O(elements + log n).
    func insert<Element: RealmCollectionValue>(
        _ elements: [Element], at index: Int, _ transaction: WriteTransaction
    ) {
        let context = context
        if element.isLinking || Element.isConvertedElement || isWidened {
            // Adding an object writes in the transaction, and code of the app may have any side effect: both happen before the
            // list is edited.
            return transaction.insertElements(cells(elements, transaction), at: index, into: id)
        }
        transaction.insertElements(elements.count, at: index, into: id) {
            elements[$0].cell(in: context)
        }
    }

    /// Returns the cells of elements. Adds unmanaged objects to the realm, which can run code of the app. Traps with an
    /// explanation if that code ended the write, deleted the owner, or changed the collection.
    func cells<Element: RealmCollectionValue>(
        _ elements: [Element], _ transaction: WriteTransaction
    ) -> [Cell] {
        let cells = keepingUnchanged(transaction) { elements.map { $0.cell(in: context) } }
        cells.forEach(checkWidth)
        return cells
    }

    /// Returns the cell of one element; see ``cells(_:_:)``.
    func cell<Element: RealmCollectionValue>(_ element: Element, _ transaction: WriteTransaction) -> Cell {
        if storesDirectly(Element.self) { return element.cell(in: context) }
        let cell = keepingUnchanged(transaction) { element.cell(in: context) }
        checkWidth(cell)
        return cell
    }

    /// Calls `body`, which can run code of the app. Traps if that code changed the collection.
    private func keepingUnchanged<Result>(_ transaction: WriteTransaction, _ body: () -> Result) -> Result {
        let count = transaction.sequence(id).count
        let result = body()
        checkOwner(transaction)
        if transaction.sequence(id).count != count {
            trap("Collection '\(name)' was changed by code that converts one of its elements.")
        }
        return result
    }

    /// Returns the cells of elements that code of the app converts; nil if there is no such code. Traps outside of a write.
    func convertedCells<Element: RealmCollectionValue>(_ elements: [Element]) -> [Cell]? {
        guard Element.isConvertedElement else { return nil }
        _ = requireTransaction()
        return elements.map { $0.cell(in: context) }
    }

    /// Traps unless the transaction is open and the owner exists, after code of the app ran.
    func checkOwner(_ transaction: WriteTransaction) {
        instance.checkOpen(transaction, RowID(table: id.table, key: id.key))
    }

    /// Returns the current elements. Code of the app runs after all cells are read.
    func elements<Element: RealmCollectionValue>(_ type: Element.Type = Element.self) -> [Element] {
        let (sequence, context) = (sequence, context)
        guard Element.isConvertedElement else {
            return Element.gathered { elements in
                elements.reserveCapacity(sequence.count)
                let access = Element._access.type
                sequence.forEachRun { run, range in
                    access.appendElements(run, range.count, context, to: &elements)
                    return true
                }
            }
        }
        var cells: [Cell] = []
        cells.reserveCapacity(sequence.count)
        sequence.forEach { cells.append($0) }
        return cells.map { Element.element(of: $0, context) }
    }

    /// Removes the elements at some positions of a list. O(elements + log n) for a range.
    func remove(_ positions: Positions, _ transaction: WriteTransaction) {
        switch positions {
        case .range(let range): transaction.removeElements(range, from: id)
        case .scattered(let positions):
            for position in positions.reversed() { transaction.removeElement(at: position, from: id) }
        }
    }
}
