import KivoEngine

/// What keeps versions for those who pinned them.
protocol VersionPins: AnyObject {
    /// Lets go of a version that was pinned once.
    func unpin(_ version: UInt64)
}

/// The steps of one realm instance from version to version that somebody has not been told of. The version before each
/// step is pinned, for those who compare with it.
struct StepLog: ~Copyable {
    /// A step of the instance from one version to another.
    struct Step {
        var from: UInt64
        var to: UInt64
        var changes: ChangeSet
        /// The version before, which is pinned.
        var old: Snapshot
        /// Whether it was a move to newer versions, and not a commit of this instance.
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

    /// The steps after a version at which one of them began.
    func since(_ version: UInt64) -> ArraySlice<Step> {
        steps[(steps.firstIndex { $0.from >= version } ?? steps.endIndex)...]
    }

    /// Forgets the steps up to a version, of which everybody has been told.
    mutating func drop(upTo version: UInt64) {
        let count = steps.firstIndex { $0.to > version } ?? steps.endIndex
        if count == 0 { return }
        for step in steps[..<count] { step.pins.unpin(step.from) }
        steps.removeFirst(count)
    }
}
