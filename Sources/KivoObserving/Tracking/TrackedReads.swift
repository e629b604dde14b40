import Observation

/// The properties of one object, or of one row, that were read inside `withObservationTracking`.
///
/// Key-value observing brackets every change, and notifies the toolchain's registrar before and after it. The toolchain retains
/// the key path of a property as long as an observer waits for its change. Properties without such an observer are released.
/// Confined with the object, or for any thread if its observations are.
package final class TrackedReads: Observable, EndsWithObservations {
    private struct Property {
        let column: Int
        var keyPath: KeyPath<TrackedReads, Int>
        let observation: CallbackRegistration?
    }

    private let registrar = ObservationRegistrar()
    /// The properties. Access is confined with the object, or guarded by the lock.
    private var properties: [Property] = []
    private let lock = PlainLock()
    /// The observation of the row's end, by deletion or by invalidation of the instance. The end changes all of its properties.
    private var end: CallbackRegistration?
    /// The observations of the object, which hold this, or the observations that are made for the row.
    private unowned(unsafe) var observations: KeyValueObservations?
    private var ownObservations: KeyValueObservations?
    /// Called when no observer waits any more, to release this.
    private let whenUnread: (() -> Void)?

    /// Creates the reads of an object that stores its properties, which hold them.
    init(_ observations: KeyValueObservations) {
        self.observations = observations
        whenUnread = nil
    }

    /// Creates the reads of a row, through any of its accessors, with observations of its own.
    package init(_ make: (TrackedReads) -> KeyValueObservations, whenUnread: @escaping () -> Void) {
        self.whenUnread = whenUnread
        ownObservations = make(self)
        observations = ownObservations
        end = listen(ObservedKey.invalidated.column)
    }

    private var isShared: Bool { observations?.isShared ?? false }

    /// Runs `body` with the properties, which another thread may use if the object is shared.
    private func guarded<Result>(_ body: () -> Result) -> Result {
        isShared ? lock.withLock(body) : body()
    }

    /// A subscript whose key paths identify properties. It is never read.
    private subscript(column: Int) -> Int { column }

    /// Records that a property was read.
    package func note(_ column: Int) {
        let known = guarded { properties.first { $0.column == column }?.keyPath }
        registrar.access(self, keyPath: known ?? add(column))
    }

    private func add(_ column: Int) -> KeyPath<TrackedReads, Int> {
        let keyPath = \TrackedReads[column]
        let observation = column == ObservedKey.invalidated.column ? nil : listen(column)
        guarded {
            properties.append(Property(column: column, keyPath: keyPath, observation: observation))
        }
        return keyPath
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
            case .subjectEnded: break
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
        guarded {
            properties.filter { $0.column == column || column == ObservedKey.invalidated.column }
                .map(\.keyPath)
        }
    }

    // MARK: The end

    /// Drops the reference to the observations, which are released before this.
    package func observationsEnd() { observations = nil }

    /// Releases the properties for which no observer waits any more.
    package func releaseUnread() {
        let (unread, isEmpty) = guarded { removeUnread() }
        for property in unread {
            if let observation = property.observation { stopListening(observation, property.column) }
        }
        // The reads of a shared object stay: another thread may be in a callback.
        guard isEmpty, !isShared else { return }
        if let end { stopListening(end, ObservedKey.invalidated.column) }
        end = nil
        if let whenUnread { whenUnread() } else { observations?.trackedReads = nil }
    }

    private func removeUnread() -> ([Property], isEmpty: Bool) {
        var unread: [Property] = []
        for index in properties.indices.reversed()
        where isKnownUniquelyReferenced(&properties[index].keyPath) {
            unread.append(properties.remove(at: index))
        }
        return (unread, properties.isEmpty)
    }
}

extension KeyValueObservations {
    /// Returns the properties that were read inside `withObservationTracking`, made on first use.
    package func makeTrackedReads() -> TrackedReads {
        if let known = trackedReads as? TrackedReads { return known }
        let made = TrackedReads(self)
        trackedReads = made
        // Another thread may have been faster.
        return trackedReads as? TrackedReads ?? made
    }
}
