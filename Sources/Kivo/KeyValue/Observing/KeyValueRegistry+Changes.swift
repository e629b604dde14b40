import KivoEngine

/// Changes that this instance makes itself, notified immediately.
extension KeyValueRegistry {
    /// Performs an assignment to a property of an object, and notifies the row's observers.
    @inline(__always)
    func assigning(_ object: ObjectBase, _ column: Int, _ change: () -> Void) {
        guard let observers = observers(object.kivoContext.table, object.kivoRow.key) else { return change() }
        // The assigning accessor is nearly always the only one that is observed, and it is alive here.
        if let observations = observers.single, observations === object.kivoAttachment {
            return observations.changing(column, .wholesale, change)
        }
        changing(observers, column, .wholesale, change)
    }

    /// Performs a change of a property, and notifies the row's observers.
    func changingProperty(_ row: RowID, _ column: Int, _ kind: CollectionChangeKind, _ change: () -> Void) {
        guard let observers = observers(row.table, row.key) else { return change() }
        changing(observers, column, kind, change)
    }

    private func changing(
        _ observers: RowObservers, _ column: Int, _ kind: CollectionChangeKind, _ change: () -> Void
    ) {
        if let observations = observers.single {
            guard let subject = observations.liveSubject else { return change() }
            return withExtendedLifetime(subject) { observations.changing(column, kind, change) }
        }
        var bracket = ChangeBracket()
        open(&bracket, observers, column: column, kind)
        change()
        bracket.close()
    }

    /// Opens a change of a column, for every observed accessor of a row.
    func open(
        _ bracket: inout ChangeBracket, _ row: RowID, column: Int, _ kind: CollectionChangeKind = .wholesale
    ) {
        guard let observers = observers(row.table, row.key) else { return }
        open(&bracket, observers, column: column, kind)
    }

    /// Opens a change of a column, for each of the given accessors.
    func open(
        _ bracket: inout ChangeBracket, _ observers: RowObservers, column: Int, _ kind: CollectionChangeKind
    ) {
        observers.forEach { observations in
            guard observations.place(column: column) != nil, let subject = observations.liveSubject else {
                return
            }
            bracket.open(observations, subject, column: column, kind)
        }
    }

    /// Opens the end of a row, by deletion or by invalidation of the instance.
    func openEnd(_ bracket: inout ChangeBracket, _ row: RowID) {
        open(&bracket, row, column: ObservedKey.invalidated.column)
    }

    /// Runs a change that invalidates every accessor, and notifies their observers.
    func endingAll(_ change: () -> Void) {
        if isEmpty { return change() }
        var bracket = ChangeBracket()
        for row in rows { openEnd(&bracket, row) }
        change()
        bracket.close()
    }
}
