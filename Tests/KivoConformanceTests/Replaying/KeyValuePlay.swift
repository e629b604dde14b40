import Kivo

/// One replay of a scenario with key-value observers.
struct KeyValuePlay {
    private let chosen: [ObservedObject]
    private let transactions: [[Operation]]
    private let schema: ConformanceSchema
    private let stage: ScenarioStage

    init(_ scenario: Scenario, _ schema: ConformanceSchema, _ stage: ScenarioStage) {
        chosen = scenario.observeObjects ?? []
        transactions = scenario.transactions ?? []
        self.schema = schema
        self.stage = stage
    }

    /// Since when a transaction that is taken back is observed.
    ///
    /// Either way only the way back counts. An object that the transaction deletes has no properties any more
    /// at its end, so that observers of these can only have come before.
    enum Start {
        case beforeTheOperations
        case afterTheOperations
    }

    /// Lets the other connection commit, and advances over all commits in one step.
    func refresh() throws -> [ObjectStory] {
        let watches = try chosen.map { object in
            guard let subject = try subject(object) else { throw missing(object) }
            return ObjectWatch(subject)
        }
        try stage.other.commit(transactions)
        guard watches.allSatisfy(\.isSilent) else { throw ConformanceError("told before the refresh") }
        stage.realm.refresh()
        return end(watches)
    }

    /// Carries everything out in one write transaction of the observing connection, and takes it back.
    func takeBack(observedFrom start: Start) throws -> [ObjectStory] {
        let present = try chosen.map(subject)
        let early = start == .beforeTheOperations ? present.map { $0.map(ObjectWatch.init) } : []
        stage.realm.beginWrite()
        defer { if stage.realm.isInWriteTransaction { stage.realm.cancelWrite() } }
        for operation in transactions.joined() { try stage.models.perform(operation, in: stage.realm) }
        let watches = try chosen.indices.map { index in
            if start == .beforeTheOperations, let watch = early[index] {
                watch.startOver()
                return watch
            }
            // An object that is not there at the start is one that the transaction creates.
            guard let subject = try present[index] ?? subject(chosen[index]) else {
                throw missing(chosen[index])
            }
            return ObjectWatch(subject)
        }
        stage.realm.cancelWrite()
        return end(watches)
    }

    private func end(_ watches: [ObjectWatch]) -> [ObjectStory] {
        // All changes were delivered: a second refresh must not notify any observer.
        stage.realm.refresh()
        return watches.map { $0.end() }
    }

    private func subject(_ object: ObservedObject) throws -> KeyValueSubject? {
        let visible = Set(schema[object.class, default: [:]].keys)
        return try stage.models.adapter(object.class)
            .keyValueSubject(id: object.id, visible: visible, in: stage.realm)
    }

    private func missing(_ object: ObservedObject) -> ConformanceError {
        ConformanceError("there is no \(object.class) with id \(object.id) to observe")
    }
}
