import KivoEngine

extension CollectionReference {
    /// Inserts elements before a position of a list. Unmanaged objects are added to the realm. O(elements + log n).
    func insert<Element: RealmCollectionValue>(
        _ elements: [Element], at index: Int, _ transaction: WriteTransaction
    ) {
        let context = context
        if element.isLinking {
            // Adding an object writes in the transaction, and so it comes before the list is edited.
            return transaction.insertElements(
                elements.map { $0._elementCell(context) }, at: index, into: id)
        }
        transaction.insertElements(elements.count, at: index, into: id) {
            elements[$0]._elementCell(context)
        }
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
