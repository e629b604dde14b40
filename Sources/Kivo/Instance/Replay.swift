import KivoEngine

/// A store that is being brought to the last state of its log.
struct Replay: CommitReplayer {
    var chain: VersionChain
    var catalog: Catalog
    let heap: Heap
    private var number: UInt64 = 0
    /// The classes of the program that are known by now.
    private let known: [ClassInfo]
    private var isDiscarded = false

    init(_ heap: Heap, known: [ClassInfo] = []) throws {
        chain = VersionChain(heap: heap)
        catalog = Catalog()
        self.heap = heap
        self.known = known
        for info in known { try catalog.register(info) }
    }

    /// Begins with a checkpoint. Its tables keep the numbers that they have in it; the program's classes come to them.
    mutating func restore(_ roots: [TableRoot], of file: Int, _ catalog: Catalog) throws {
        chain.destroy(self.catalog)
        self.catalog = catalog
        chain = VersionChain(heap: heap, restoring: roots, of: file, catalog)
        for info in known { try self.catalog.register(info) }
    }

    mutating func discard() {
        if isDiscarded { return }
        isDiscarded = true
        chain.destroy(catalog)
    }

    /// Adds the program's classes that the file names, so that what differs is found now and not when a class is first
    /// used. Classes whose names lead nowhere are those of other programs, or neither used yet nor at the top level of
    /// a module.
    mutating func registerClassesOfTheFile() throws(SchemaMismatch) {
        for table in catalog.tables {
            guard let type = Registry.type(named: table.typeName), type.className() == table.name else {
                continue
            }
            try catalog.register(Registry.info(type))
        }
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
