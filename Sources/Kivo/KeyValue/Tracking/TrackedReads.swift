import KivoEngine
import Observation

/// The properties of one row, or of one object, that were read inside `withObservationTracking`.
///
/// Key-value observing brackets every change, and notifies the toolchain's registrar before and after it. The toolchain retains
/// the key path of a property as long as an observer waits for its change. Properties without such an observer are released.
/// Confined with the row's realm instance, or with the object.
final class TrackedReads: Observable {
    private struct Property {
        let column: Int
        var keyPath: KeyPath<TrackedReads, Int>
        let observation: TrackedRead?
    }

    private let registrar = ObservationRegistrar()
    private var properties: [Property] = []
    /// The observation of the row's end, by deletion or by invalidation of the instance. The end changes all of its properties.
    private var end: TrackedRead?
    /// The observations of the object, which hold this, or the observations that are created for the row.
    private unowned(unsafe) var observations: Observations?
    private var ownObservations: Observations?
    private let row: RowID?
    /// The realm instance of the row, which holds this.
    private unowned(unsafe) let instance: RealmInstance?

    /// The reads of an unmanaged object, or of a managed object's properties that are no part of its row.
    init(_ observations: Observations) {
        (row, instance) = (nil, nil)
        self.observations = observations
    }

    /// The reads of a row, through any of its accessors.
    init(_ row: RowID, _ instance: RealmInstance) {
        (self.row, self.instance) = (row, instance)
        ownObservations = Observations(self, nil, instance, row)
        observations = ownObservations
        end = listen(ObservedKey.invalidated.column)
    }

    /// A subscript whose key paths identify properties. It is never read.
    private subscript(column: Int) -> Int { column }

    /// Records that a property was read.
    func note(_ column: Int) {
        let index = properties.firstIndex { $0.column == column } ?? add(column)
        registrar.access(self, keyPath: properties[index].keyPath)
    }

    private func add(_ column: Int) -> Int {
        let isEnd = column == ObservedKey.invalidated.column
        properties.append(
            Property(
                column: column, keyPath: \TrackedReads[column], observation: isEnd ? nil : listen(column)))
        return properties.count - 1
    }

    // MARK: Changes

    private func listen(_ column: Int) -> TrackedRead? {
        guard let observations else { return nil }
        let observation = TrackedRead(self, column)
        observation.register(observations, number: observations.nextNumber())
        observations.listen(
            Observations.Recipient(observation: observation, node: nil, passesKind: true),
            TrackedReads.key(column), nil, number: observation.number)
        return observation
    }

    private func stopListening(_ observation: TrackedRead) {
        observation.isRemoved = true
        observations?.unlisten(TrackedReads.key(observation.column), observation.number)
    }

    private static func key(_ column: Int) -> ObservedKey {
        column == ObservedKey.invalidated.column ? .invalidated : .column(column, "")
    }

    fileprivate func willChange(_ column: Int) {
        for keyPath in keyPaths(column) { registrar.willSet(self, keyPath: keyPath) }
    }

    fileprivate func didChange(_ column: Int) {
        for keyPath in keyPaths(column) { registrar.didSet(self, keyPath: keyPath) }
        releaseUnread()
    }

    /// Returns the key paths of the properties that change with a column.
    private func keyPaths(_ column: Int) -> [KeyPath<TrackedReads, Int>] {
        properties.filter { $0.column == column || column == ObservedKey.invalidated.column }.map(\.keyPath)
    }

    // MARK: The end

    /// Drops the reference to the observations, which are released before this.
    func observationsEnd() { observations = nil }

    /// Releases the properties for which no observer waits any more.
    func releaseUnread() {
        for index in properties.indices.reversed() {
            guard isKnownUniquelyReferenced(&properties[index].keyPath) else { continue }
            if let observation = properties.remove(at: index).observation { stopListening(observation) }
        }
        guard properties.isEmpty else { return }
        if let end { stopListening(end) }
        end = nil
        if let row {
            instance?.keyValueRegistry.trackedRows.remove(row)
        } else {
            observations?.trackedReads = nil
        }
    }
}

/// The observation of one property that was read. Notifies the tracked reads of its changes.
final class TrackedRead: KeyValueRegistration {
    /// The tracked reads. Their owner holds them, and each callback retains them while it runs.
    private unowned(unsafe) let reads: TrackedReads
    let column: Int

    fileprivate init(_ reads: TrackedReads, _ column: Int) {
        self.reads = reads
        self.column = column
        super.init(WatchedKeyPath("", []), [.prior])
    }

    override func willChange(_ subject: AnyObject, _ kind: CollectionChangeKind, _ ticket: Int) {
        let reads = reads
        withExtendedLifetime(reads) { reads.willChange(column) }
    }

    override func didChange(_ subject: AnyObject, _ kind: CollectionChangeKind, _ ticket: Int) {
        let reads = reads
        withExtendedLifetime(reads) { reads.didChange(column) }
    }

    /// Notifies a change of the property, since later reads are reads of the row.
    override func subjectBecameManaged() {
        let reads = reads
        withExtendedLifetime(reads) {
            reads.willChange(column)
            reads.didChange(column)
        }
    }
}
