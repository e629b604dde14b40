extension WriteTransaction {
    /// Carries out a transaction that no accessor of a row takes part in, as when a log is replayed.
    ///
    /// - Parameter body: Makes the changes, and returns what of them the commit is to say. If it throws, the transaction is
    ///   cancelled.
    public static func perform(
        id: UInt64, on base: Snapshot, _ catalog: Catalog, _ heap: Heap,
        _ body: (WriteTransaction) throws -> ChangeSet
    ) throws -> Commit {
        try withUnsafeTemporaryAllocation(of: UInt64.self, capacity: ReaderState.wordCount) { words in
            words.initialize(repeating: 0)
            let transaction = WriteTransaction(
                id: id, base: base, catalog: catalog, heap: heap, reader: words.baseAddress!)
            do {
                return transaction.commit(try body(transaction))
            } catch {
                _ = transaction.cancel()
                throw error
            }
        }
    }
}
