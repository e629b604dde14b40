import KivoEngine

/// A store that is being brought to the last state of its log.
struct Replay: CommitReplayer {
    var chain: VersionChain
    var catalog: Catalog
    let heap: Heap
    private var number: UInt64 = 0
    private var isDiscarded = false

    init(_ heap: Heap) {
        chain = VersionChain(heap: heap)
        catalog = Catalog()
        self.heap = heap
    }

    /// Begins with a checkpoint, whose tables keep the numbers that they have in it.
    mutating func restore(_ roots: [TableRoot], of file: Int, _ catalog: Catalog) throws {
        chain.destroy(self.catalog)
        self.catalog = catalog
        chain = VersionChain(heap: heap, restoring: roots, of: file, catalog)
    }

    mutating func discard() {
        if isDiscarded { return }
        isDiscarded = true
        chain.destroy(catalog)
    }

    mutating func defineTables(_ define: (inout Catalog) throws -> Void) throws { try define(&catalog) }

    mutating func commit(_ body: (WriteTransaction) throws -> Void) throws {
        number += 1
        let commit = try withUnsafeTemporaryAllocation(of: UInt64.self, capacity: ReaderState.wordCount) {
            words in
            words.initialize(repeating: 0)
            let reader = words.baseAddress!
            let transaction = WriteTransaction(
                id: 1 << 62 + number, base: chain.headSnapshot, catalog: catalog, heap: heap,
                reader: reader)
            do {
                try body(transaction)
            } catch {
                _ = transaction.cancel()
                throw error
            }
            return transaction.commit(ChangeSet())
        }
        _ = chain.append(commit)
    }
}
