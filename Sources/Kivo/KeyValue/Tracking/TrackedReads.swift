import KivoEngine
import Observation

/// The properties of one row, or of one object, that were read inside of `withObservationTracking`.
///
/// Their changes are heard of by key-value observing, which brackets every change: the toolchain's registrar is told before
/// and after. What the toolchain no longer waits for is let go of: it holds the key path of a property as long as somebody
/// waits for the property. Confined with the row's realm instance, or with the object.
final class TrackedReads: Observable {
    private struct Property {
        let column: Int
        var keyPath: KeyPath<TrackedReads, Int>
        let observation: TrackedRead?
    }

    private let registrar = ObservationRegistrar()
    private var properties: [Property] = []
    /// Hears of the end of the row, or of this instance of it: all of its properties end with it.
    private var end: TrackedRead?
    /// Those of the object, which hold this, or those that are made for the row.
    private unowned(unsafe) var observations: Observations?
    private var ownObservations: Observations?
    private let row: RowID?
    /// The realm of a row, which holds this.
    private unowned(unsafe) let instance: RealmInstance?

    /// What was read of an unmanaged object, or of an object's properties that are no part of its row.
    init(_ observations: Observations) {
        (row, instance) = (nil, nil)
        self.observations = observations
    }

    /// What was read of a row, through whichever of its accessors.
    init(_ row: RowID, _ instance: RealmInstance) {
        (self.row, self.instance) = (row, instance)
        ownObservations = Observations(self, nil, instance, row)
        observations = ownObservations
        end = listen(ObservedKey.invalidated.column)
    }

    /// Key paths of this tell properties apart. Nobody reads it.
    private subscript(column: Int) -> Int { column }

    /// Notes that a property was read.
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

    /// The key paths of what changes with a property.
    private func keyPaths(_ column: Int) -> [KeyPath<TrackedReads, Int>] {
        properties.filter { $0.column == column || column == ObservedKey.invalidated.column }.map(\.keyPath)
    }

    // MARK: The end

    /// Forgets what it listens to, which goes before this does.
    func observationsEnd() { observations = nil }

    /// Lets go of properties that nobody waits for.
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

/// What tells of the changes of one property that was read.
final class TrackedRead: KeyValueRegistration {
    /// Held by whoever holds this, and here while it is called.
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

    /// What is read from now on is read of the row.
    override func subjectBecameManaged() {
        let reads = reads
        withExtendedLifetime(reads) {
            reads.willChange(column)
            reads.didChange(column)
        }
    }
}
