import KivoJournal

extension Realm {
    /// Runs a block in a write transaction, and commits it with a label and an author, which are stored in the file with the time
    /// of the commit.
    ///
    /// `kivo log` and the studio show them. They say to people what a commit was for; observers are not notified of them. A commit
    /// that changes nothing is not stored, and neither is its label.
    ///
    /// - Parameters:
    ///   - label: A short description of the change, for example "Import of the price list".
    ///   - author: The part of the program, or the person, that makes the change.
    ///   - tokens: Tokens of this instance whose observers are not notified of this write.
    ///   - block: The changes.
    /// - Throws: The errors of ``write(withoutNotifying:_:)``.
    @discardableResult
    public func write<Result>(
        label: String, author: String? = nil, withoutNotifying tokens: [NotificationToken] = [],
        _ block: () throws -> Result
    ) throws -> Result {
        try write(withoutNotifying: tokens) {
            labelWrite(label, author: author)
            return try block()
        }
    }

    /// Labels the open write transaction, however it was opened. The last call counts.
    ///
    /// Asynchronous writes that become durable together are one commit, which has all their labels. A file of an earlier format
    /// takes a label once no program of that format has it open; until then labels are not stored. O(1).
    ///
    /// - Parameters:
    ///   - label: A short description of the change; nil for none.
    ///   - author: The part of the program, or the person, that makes the change; nil for none.
    /// - Precondition: A write transaction is open, other than that of a migration.
    public func labelWrite(_ label: String?, author: String? = nil) {
        let instance = instance
        instance.checkConfinement()
        guard instance.isInWriteTransaction, instance.migration == nil else {
            trap("'labelWrite' labels an open write transaction: call it in the block of a write.")
        }
        instance.writeLabel = CommitLabel(label, author: author)
    }
}
