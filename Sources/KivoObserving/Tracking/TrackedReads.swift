import Observation

/// The properties of one object, or of one row, that were read inside `withObservationTracking`.
///
/// Key-value observing brackets every change, and notifies the toolchain's registrar before and after it.
///
/// Each read is recorded with two key paths. One is passed to observers with a change: that of the program, `\Dog.name`, or one of its
/// own if the program's is unknown, because the property is read by name. The other belongs to the property here: the toolchain retains
/// it as long as an observer waits for the change, and a property whose key path nothing retains is released.
///
/// Confined with the object, or for any thread if its observations are.
package final class TrackedReads: Observable, EndsWithObservations {
    private struct Property {
        let column: Int
        var keyPath: KeyPath<TrackedReads, Int>
        let observation: CallbackRegistration?
        /// The key path in the program; nil if it is not known, or if the declaring class is not `Observable`.
        var declared: (any AnyTrackedKeyPath)?
        /// Whether there was a read without the program's key path.
        var isReadByName = false
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
    /// The class of the row; nil for an object that stores its properties.
    private let rowClass: TrackedClass?

    /// Creates the reads of an object that stores its properties, which hold them.
    init(_ observations: KeyValueObservations) {
        self.observations = observations
        (whenUnread, rowClass) = (nil, nil)
    }

    /// Creates the reads of a row, through any of its accessors, with observations of its own.
    package init(
        _ rowClass: TrackedClass, _ make: (TrackedReads) -> KeyValueObservations,
        whenUnread: @escaping () -> Void
    ) {
        (self.whenUnread, self.rowClass) = (whenUnread, rowClass)
        ownObservations = make(self)
        observations = ownObservations
        end = listen(ObservedKey.invalidated.column)
    }

    private var isShared: Bool { observations?.isShared ?? false }

    /// Runs `body` with the properties, which another thread may use if the object is shared.
    private func guarded<Result>(_ body: () -> Result) -> Result {
        isShared ? lock.withLock(body) : body()
    }

    /// Subscripts whose key paths identify properties, and those that are read by name. They are never read.
    private subscript(column: Int) -> Int { column }
    private subscript(byName column: Int) -> Int { column }

    /// The object with which the registrar is called. It is used while the object exists.
    private var subject: AnyObject? { rowClass?.standIn ?? observations?.subject }

    /// Records that a property was read.
    ///
    /// - Parameter makeKeyPath: returns the key path of the property in the program, or nil if it is read by name.
    package func note(_ column: Int, _ makeKeyPath: () -> AnyKeyPath?) {
        let known = guarded { properties.first { $0.column == column } }
        let property = known ?? add(column)
        registrar.access(self, keyPath: property.keyPath)
        if let declared = declared(property, makeKeyPath), let subject {
            declared.access(registrar, subject)
        } else {
            registrar.access(self, keyPath: \TrackedReads[byName: column])
            if !property.isReadByName { change(property) { $0.isReadByName = true } }
        }
    }

    /// Returns the key path of a property in the program, which the property stores from now on.
    private func declared(_ property: Property, _ makeKeyPath: () -> AnyKeyPath?) -> (any AnyTrackedKeyPath)?
    {
        if let known = property.declared { return known }
        let made =
            if let rowClass { rowClass.keyPath(property.column, makeKeyPath) } else { makeKeyPath()?.tracked }
        if let made { change(property) { $0.declared = made } }
        return made
    }

    private func change(_ property: Property, _ body: (inout Property) -> Void) {
        guarded {
            guard let index = properties.firstIndex(where: { $0.keyPath === property.keyPath }) else {
                return
            }
            body(&properties[index])
        }
    }

    private func add(_ column: Int) -> Property {
        let observation = column == ObservedKey.invalidated.column ? nil : listen(column)
        let property = Property(column: column, keyPath: \TrackedReads[column], observation: observation)
        guarded { properties.append(property) }
        return property
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
        forEachChanged(column) { declared, subject in
            declared.willSet(registrar, subject)
        } unnamed: { keyPath in
            registrar.willSet(self, keyPath: keyPath)
        }
    }

    private func didChange(_ column: Int) {
        forEachChanged(column) { declared, subject in
            declared.didSet(registrar, subject)
        } unnamed: { keyPath in
            registrar.didSet(self, keyPath: keyPath)
        }
        releaseUnread()
    }

    /// Calls `named` with the program's key path of each property that changes with a column, and `unnamed` with those of properties that
    /// were read by name. An object that became managed has the same values, so that all its properties are changed without a name.
    private func forEachChanged(
        _ column: Int, named: (any AnyTrackedKeyPath, AnyObject) -> Void,
        unnamed: (KeyPath<TrackedReads, Int>) -> Void
    ) {
        let changed = guarded {
            properties.filter { $0.column == column || column == ObservedKey.invalidated.column }
        }
        for property in changed {
            if let declared = property.declared, let subject { named(declared, subject) }
            if property.isReadByName { unnamed(\TrackedReads[byName: property.column]) }
            if subject == nil { unnamed(property.keyPath) }
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
        // All are kept where the toolchain does not say for which of them an observer waits.
        if !ReadProbe.isReliable { return ([], false) }
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
