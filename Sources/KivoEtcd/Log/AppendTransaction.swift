import KivoLog

/// The transaction that appends a commit: if the log is this one, there is no commit of this version, that of the version before is
/// there, and no other store has the right to write, then the commit. Else what is there, which says why not.
package struct AppendTransaction {
    private let keys: EtcdKeys
    private let log: UInt64
    private let commit: EncodedCommit
    private let before: UInt64
    private let lease: LogLease?
    private let known: String?
    private let partCount: Int

    /// Creates a transaction.
    ///
    /// - Parameters:
    ///   - keys: The keys of the realm.
    ///   - log: The number of the log.
    ///   - commit: The commit.
    ///   - before: The version that it follows.
    ///   - lease: The right to write; nil if there must be none.
    ///   - known: The note of the commit before; nil if it is not known, and not compared.
    ///   - partCount: The number of parts that hold the commit; 0 if it is stored as a whole.
    package init(
        keys: EtcdKeys, log: UInt64, commit: EncodedCommit, after before: UInt64, lease: LogLease?,
        known: String?, partCount: Int = 0
    ) {
        (self.keys, self.log, self.commit, self.before) = (keys, log, commit, before)
        (self.lease, self.known, self.partCount) = (lease, known, partCount)
    }

    /// The request.
    package var body: String {
        let identity = commit.identity
        let value = partCount == 0 ? commit.bytes : CommitValue.bytes(of: identity, count: partCount)
        return EtcdJSON.transaction(
            if: conditions,
            then: [
                ("request_put", EtcdJSON.put(keys.commit(before + 1), value)),
                ("request_put", EtcdJSON.put(keys.head, HeadNote.text(before + 1, identity).utf8)),
            ],
            else: [
                ("request_range", EtcdJSON.range(keys.log)),
                ("request_range", EtcdJSON.range(keys.commit(before + 1))),
                ("request_range", keys.newestCommit),
                ("request_range", EtcdJSON.range(keys.writer)),
                ("request_range", EtcdJSON.range(keys.checkpoint)),
                ("request_range", EtcdJSON.range(keys.head)),
            ])
    }

    private var conditions: [String] {
        var conditions = [
            EtcdJSON.has(keys.log, "\(log)".utf8), EtcdJSON.exists(keys.commit(before + 1), false),
        ]
        // Without this, a store that slept long could append where a checkpoint has removed commits. That of the checkpoint's
        // version is kept.
        conditions.append(
            before == 0
                ? EtcdJSON.exists(keys.checkpoint, false) : EtcdJSON.exists(keys.commit(before), true))
        conditions.append(
            lease.map { EtcdJSON.has(keys.writer, "\($0.token)".utf8) }
                ?? EtcdJSON.exists(keys.writer, false))
        if let known { conditions.append(EtcdJSON.has(keys.head, known.utf8)) }
        for number in 0..<partCount {
            conditions.append(
                EtcdJSON.exists(keys.parts(of: commit.identity) + EtcdKeys.padded(UInt64(number)), true))
        }
        return conditions
    }
}
