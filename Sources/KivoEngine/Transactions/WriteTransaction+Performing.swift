extension WriteTransaction {
    /// Carries out a transaction without accessors of rows, for example when a log is replayed.
    ///
    /// - Parameter body: makes the changes, and returns the changes that the commit reports. If it throws, the transaction is
    ///   cancelled.
    public static func perform<Failure: Error>(
        id: UInt64, on base: Snapshot, _ catalog: Catalog, _ heap: Heap,
        _ body: (WriteTransaction) throws(Failure) -> ChangeSet
    ) throws(Failure) -> Commit {
        try ReaderState.withWords { words throws(Failure) in
            let transaction = WriteTransaction(
                id: id, base: base, catalog: catalog, heap: heap, reader: words)
            do throws(Failure) {
                return transaction.commit(try body(transaction))
            } catch {
                _ = transaction.cancel()
                throw error
            }
        }
    }
}
