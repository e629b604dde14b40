import KivoEngine

extension MaintainedFold {
    /// Evaluates a fold of a result in the realm's current state.
    convenience init(_ query: QueryState, into fold: any ElementFold, _ dependencies: Dependencies) {
        let instance = query.instance
        self.init(query.query.unordered, into: fold, instance.snapshot, instance.catalog, dependencies)
    }

    /// Applies changes that listeners have not received.
    func update(_ pending: PendingChanges) { update(pending.traversals, old: pending.old) }

    /// Returns whether changes that listeners have not received may affect the result.
    func mayChange(_ pending: PendingChanges) -> Bool { mayChange(pending.traversals, old: pending.old) }
}

extension ElementFold {
    /// Folds the elements of a result in the realm's current state.
    func evaluate(_ query: QueryState) {
        evaluate(query.query.unordered, query.instance.snapshot, query.instance.catalog)
    }
}
