import KivoEngine
import KivoJournal

/// What a file holds, as its commits make it; of the last one also what it changed, if that is wanted.
struct CommitHistory: CommitReplayer {
    let heap = Heap()
    private var chain: VersionChain
    private(set) var catalog = Catalog()
    private let keepsChanges: Bool
    private var number: UInt64 = 0
    /// The file that nodes are brought in from, if it began with a checkpoint.
    private var file: Int?
    private var isDiscarded = false
    private(set) var last: LastCommit?

    /// The last commit: what was there before it, and what it changed.
    struct LastCommit {
        fileprivate var version: UInt64
        var before: Snapshot
        var changes: ChangeSet
    }

    init(keepsChanges: Bool = false) {
        chain = VersionChain(heap: heap)
        self.keepsChanges = keepsChanges
    }

    /// Frees everything. Has to be called, and nothing may be used afterwards.
    mutating func discard() {
        if isDiscarded { return }
        isDiscarded = true
        forgetLast()
        chain.destroy(catalog)
        if let file { PageFiles.remove(file) }
    }

    /// Begins with all that a file held when it was written anew.
    mutating func restore(_ roots: [TableRoot], of file: Int, _ catalog: Catalog) throws {
        chain.destroy(self.catalog)
        self.catalog = catalog
        self.file = file
        chain = VersionChain(heap: heap, restoring: roots, of: file, catalog)
    }

    var snapshot: Snapshot { chain.headSnapshot }

    mutating func defineTables(_ define: (inout Catalog) throws -> Void) throws { try define(&catalog) }

    func read<Result>(_ body: (Snapshot) throws -> Result) rethrows -> Result { try body(snapshot) }

    mutating func commit(_ body: (WriteTransaction) throws -> Void) throws { try commit(to: nil, body) }

    /// The same, after what the commit changes was appended to a log.
    mutating func commit(to log: StoreLog?, _ body: (WriteTransaction) throws -> Void) throws {
        forgetLast()
        number += 1
        let commit = try withUnsafeTemporaryAllocation(of: UInt64.self, capacity: ReaderState.wordCount) {
            words in
            words.initialize(repeating: 0)
            let transaction = WriteTransaction(
                id: 1 << 62 + number, base: chain.headSnapshot, catalog: catalog, heap: heap,
                reader: words.baseAddress!)
            do {
                try body(transaction)
                let changes = keepsChanges || log != nil ? transaction.changeSet() : ChangeSet()
                try log?.append(transaction, changes)
                return transaction.commit(changes)
            } catch {
                _ = transaction.cancel()
                throw error
            }
        }
        if keepsChanges {
            let version = chain.head
            last = LastCommit(version: version, before: chain.pin(version), changes: commit.changes)
        }
        _ = chain.append(commit)
    }

    /// Gives up what was there before the last commit.
    mutating func forgetLast() {
        if let last { chain.unpin(last.version) }
        last = nil
    }
}
