import KivoEngine

/// The steps of one realm instance from version to version that were not delivered to all listeners yet. The version before each
/// step is pinned, for listeners that compare with it.
struct StepLog: ~Copyable {
    /// A step of the instance from one version to another.
    struct Step {
        var from: UInt64
        var to: UInt64
        var changes: ChangeSet
        /// The snapshot before the step, which is pinned.
        var old: Snapshot
        /// Whether the step advanced to newer versions, and is not a commit of this instance.
        var isAdvance: Bool
        fileprivate var pins: any VersionPins

        init(
            from: UInt64, to: UInt64, _ changes: ChangeSet, pinned old: Snapshot, isAdvance: Bool,
            _ pins: any VersionPins
        ) {
            (self.from, self.to, self.changes, self.old) = (from, to, changes, old)
            (self.isAdvance, self.pins) = (isAdvance, pins)
        }
    }

    private var steps: [Step] = []

    deinit { for step in steps { step.pins.unpin(step.from) } }

    mutating func append(_ step: Step) { steps.append(step) }

    /// Returns the steps from a version on. A step begins at that version.
    func since(_ version: UInt64) -> ArraySlice<Step> {
        steps[(steps.firstIndex { $0.from >= version } ?? steps.endIndex)...]
    }

    /// Drops the steps up to a version, which were delivered to all listeners.
    mutating func drop(upTo version: UInt64) {
        let count = steps.firstIndex { $0.to > version } ?? steps.endIndex
        if count == 0 { return }
        for step in steps[..<count] { step.pins.unpin(step.from) }
        steps.removeFirst(count)
    }
}
