import KivoEngine

extension JournalLog {
    /// Where a store is in a file, and what the file says of its tables.
    struct Arrival {
        var position: LogPosition
        var numbers: TableNumbers
        var schemaVersion: UInt64
    }

    /// Brings a store to the newest version in a file that no longer has the commits which the store has not seen: a process that
    /// was stopped while others compacted the file more than once. What they changed together is found by comparing the
    /// versions, and carried out as one commit.
    ///
    /// - Parameters:
    ///   - size: Up to where the file is read.
    ///   - known: The numbers that the store's tables have in the file.
    /// - Throws: ``JournalError`` if the file was migrated to other classes; the store is as it was then.
    static func catchUp(
        with device: any JournalDevice, size: Int, numbers known: TableNumbers,
        into store: inout some CommitReplayer
    ) throws -> Arrival {
        var newest = Replay(Heap())
        var pages: JournalPages?
        defer {
            newest.discard()
            if let pages { PageFiles.remove(pages.number) }
        }
        var decoder = CommitDecoder()
        var arrival = Arrival(position: LogPosition(), numbers: known, schemaVersion: 0)
        let found = try Journal.recover(
            device, size: size, usingCheckpoints: true,
            restoring: { checkpoint, journal in
                let catalog = try Catalog(restoring: checkpoint.tables)
                let made = JournalPages.make(device, journal: journal, newest.heap, catalog)
                pages = made
                decoder = CommitDecoder(restoring: checkpoint.numbers, catalog)
                try newest.restore(checkpoint.roots, of: made.number, catalog)
                (arrival.position.commits, arrival.schemaVersion) = (
                    checkpoint.commits, checkpoint.schemaVersion
                )
            },
            { kind, payload in
                switch RecordKind(rawValue: kind) {
                case .commit: try decoder.replay(payload, into: &newest)
                case .schemaVersion: arrival.schemaVersion = try JournalLog.version(payload)
                case .migration: arrival.schemaVersion = try decoder.migrate(payload, into: &newest)
                default: return
                }
                arrival.position.commits += 1
            })
        arrival.position.end = found.end
        arrival.position.sequence = found.sequence
        arrival.position.dataSequence = found.sequence
        arrival.position.journal = found.id
        let payload = try difference(to: newest, numbers: decoder.numbers, from: store, numbers: known)
        if let payload {
            var foreign = CommitDecoder(restoring: known, store.catalog, isForeign: true)
            try payload.withUnsafeBytes { try foreign.replay($0, into: &store) }
            arrival.numbers = foreign.numbers
        }
        return arrival
    }

    /// The commit that leads from what a store has to what another one has; nil if that is the same.
    private static func difference(
        to newest: Replay, numbers: TableNumbers, from store: some CommitReplayer, numbers known: TableNumbers
    ) throws -> [UInt8]? {
        let own = Dictionary(uniqueKeysWithValues: known.byTable.map { ($1, $0) })
        var origins: [TableID: TableID] = [:]
        var added: [(number: Int, table: TableID)] = []
        for (table, number) in numbers.byTable {
            if let before = own[number] {
                origins[table] = before
            } else {
                added.append((number, table))
            }
        }
        added.sort { $0.number < $1.number }
        // A table that was redefined has got another number, and one that was dropped has none.
        let areSame =
            origins.count == own.count
            && added.map(\.number) == Array(known.next..<max(known.next, numbers.next))
            && origins.allSatisfy { table, before in
                newest.catalog.tables[table].columns.map(\.shape)
                    == store.catalog.tables[before].columns.map(\.shape)
            }
        guard areSame else { throw JournalError.migratedElsewhere }
        return store.read { snapshot in
            var changes = SnapshotDifference.changes(
                from: snapshot, to: newest.chain.headSnapshot, newest.catalog, numberedBefore: origins)
            // A table that no commit has named has no rows, whatever keys it gave out.
            changes.tables.removeAll { numbers[$0.table] == nil }
            if changes.tables.isEmpty, changes.sequences.isEmpty, added.isEmpty { return nil }
            var encoder = CommitEncoder(
                newest.chain.headSnapshot, newest.catalog, numbers: numbers,
                describing: added.map(\.table))
            return encoder.encode(changes)
        }
    }
}

extension ColumnSpec {
    /// What the values of a column of this name are, by which equal values have equal forms.
    fileprivate var shape: [String] {
        [name, "\(kind)", element.map { "\($0)" } ?? "", "\(order)", "\(isOptional)", "\(typeCode)"]
    }
}

extension JournalError {
    /// What a process is told that has a file open which another one migrates.
    static var migratedElsewhere: JournalError {
        .senseless(
            "another process has migrated the file to other classes: close the realm and open it again")
    }
}
