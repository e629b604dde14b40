import KivoEngine
import KivoObserving
import Observation

/// The properties of one row, or of one object, that were read inside `withObservationTracking`.
///
/// Key-value observing brackets every change, and notifies the toolchain's registrar before and after it. The toolchain retains
/// the key path of a property as long as an observer waits for its change. Properties without such an observer are released.
/// Confined with the row's realm instance, or with the object.
final class TrackedReads: Observable, EndsWithObservations {
    private struct Property {
        let column: Int
        var keyPath: KeyPath<TrackedReads, Int>
        let observation: CallbackRegistration?
    }

    private let registrar = ObservationRegistrar()
    private var properties: [Property] = []
    /// The observation of the row's end, by deletion or by invalidation of the instance. The end changes all of its properties.
    private var end: CallbackRegistration?
    /// The observations of the object, which hold this, or the observations that are created for the row.
    private unowned(unsafe) var observations: KeyValueObservations?
    private var ownObservations: KeyValueObservations?
    private let row: RowID?
    /// The realm instance of the row, which holds this.
    private unowned(unsafe) let instance: RealmInstance?

    /// The reads of an unmanaged object, or of a managed object's properties that are no part of its row.
    init(_ observations: KeyValueObservations) {
        (row, instance) = (nil, nil)
        self.observations = observations
    }

    /// The reads of a row, through any of its accessors.
    init(_ row: RowID, _ instance: RealmInstance) {
        (self.row, self.instance) = (row, instance)
        ownObservations = KeyValueObservations(self, KeylessClass.row, host: RowHost(self, row, instance))
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

    private func listen(_ column: Int) -> CallbackRegistration? {
        guard let observations else { return nil }
        // The owner of the reads holds them, and each callback retains them while it runs.
        let reads = Unmanaged.passUnretained(self)
        let observation = CallbackRegistration(WatchedKeyPath("", []), isPrior: true) { moment in
            let reads = reads.takeUnretainedValue()
            switch moment {
            case .will: reads.willChange(column)
            case .did: reads.didChange(column)
            case .becameManaged:
                // Later reads are reads of the row.
                reads.willChange(column)
                reads.didChange(column)
            }
        }
        observation.register(observations, number: observations.nextNumber())
        observations.listen(
            Recipient(observation: observation, passesKind: true),
            TrackedReads.key(column), nil, number: observation.number)
        return observation
    }

    private func stopListening(_ observation: CallbackRegistration, _ column: Int) {
        observation.isRemoved = true
        observations?.unlisten(TrackedReads.key(column), observation.number)
    }

    private static func key(_ column: Int) -> ObservedKey {
        column == ObservedKey.invalidated.column ? .invalidated : .column(column, "")
    }

    private func willChange(_ column: Int) {
        for keyPath in keyPaths(column) { registrar.willSet(self, keyPath: keyPath) }
    }

    private func didChange(_ column: Int) {
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
            let property = properties.remove(at: index)
            if let observation = property.observation { stopListening(observation, property.column) }
        }
        guard properties.isEmpty else { return }
        if let end { stopListening(end, ObservedKey.invalidated.column) }
        end = nil
        if let row {
            instance?.keyValueRegistry.trackedRows.remove(row)
        } else {
            observations?.trackedReads = nil
        }
    }
}
