#if !os(Windows) && !os(WASI) && !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)

import KivoEngine
import KivoJournal

/// The log of a file and a table of numbers, as one of several processes has them. Several can use one file in one process.
final class LogProcess {
    let journal: JournalLog
    let log: StoreLog
    var store = Replay(Heap())

    init(
        _ path: String, _ policy: CheckpointPolicy = CheckpointPolicy(), readOnly: Bool = false,
        calls: FileCalls = .system
    ) throws {
        journal = JournalLog(
            try FileDevice.open(path: path, readOnly: readOnly, isShared: true, calls: calls),
            readOnly: readOnly, policy: policy)
        log = StoreLog(journal, readOnly: readOnly)
        try log.load(into: &store)
    }

    var snapshot: Snapshot { store.chain.headSnapshot }

    /// Makes a checkpoint if the file needs one. Returns whether it did.
    func checkpoint() throws -> Bool {
        try log.catchUp(into: &store)
        guard let due = log.beginCheckpoint(isClosing: false) else { return false }
        try due.make(snapshot, store.catalog)
        return true
    }

    /// Commits a row with a number, built on what others have written.
    func commit(_ value: UInt64, label: CommitLabel = CommitLabel()) throws {
        try log.beginExclusive(into: &store)
        defer { log.endExclusive() }
        try store.defineTables { catalog in
            if catalog.table(named: "Number") != nil { return }
            let table = catalog.declare("Number", isEmbedded: false)
            catalog.define(table, columns: [ColumnSpec(name: "value", kind: .word)])
        }
        let table = store.catalog.table(named: "Number")!
        try store.commit { transaction in
            let key = transaction.insert(into: table)
            transaction.set(.word(value), table, key, 0)
            try log.append(transaction, transaction.changeSet(), label: label)
        }
    }

    /// The numbers of all rows, in the order of the commits.
    var numbers: [UInt64] {
        guard let table = store.catalog.table(named: "Number") else { return [] }
        var numbers: [UInt64] = []
        snapshot.table(table).forEachKey {
            if case .word(let value) = snapshot.table(table).cell($0, 0, .word) { numbers.append(value) }
        }
        return numbers
    }

    /// Returns the number of commits that the log reads after a version.
    func commitCount(after version: UInt64) throws -> Int {
        var count = 0
        try journal.commits(after: version) { _ in count += 1 }
        return count
    }

    /// Closes the file.
    func end() {
        log.close()
        store.discard()
    }
}

#endif
