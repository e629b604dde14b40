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
    private final class Property {
        let column: Int
        var keyPath: KeyPath<TrackedReads, Int>
        let observation: CallbackRegistration?
        /// The key path in the program; nil if it is not known, or if the declaring class is not `Observable`.
        var declared: (any AnyTrackedKeyPath)?
        /// Whether there was a read without the program's key path.
        var isReadByName = false

        init(_ column: Int, _ observation: CallbackRegistration?) {
            self.column = column
            self.observation = observation
            keyPath = \TrackedReads[column]
        }
    }

    private let registrar = ObservationRegistrar()
    /// The properties. Access to them and to what they store is confined with the object, or guarded by the lock.
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
    private func guarded(_ body: () -> Void) {
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
        let (property, keyPath) = known(column) ?? add(column)
        registrar.access(self, keyPath: keyPath)
        if let declared = declared(property, makeKeyPath), let subject {
            declared.pass(to: .access, registrar, subject)
        } else {
            registrar.access(self, keyPath: \TrackedReads[byName: column])
            guarded { property.isReadByName = true }
        }
    }

    /// Returns the key path of a property in the program, which the property stores from now on.
    private func declared(_ property: Property, _ makeKeyPath: () -> AnyKeyPath?) -> (any AnyTrackedKeyPath)?
    {
        var declared: (any AnyTrackedKeyPath)?
        guarded { declared = property.declared }
        if declared != nil { return declared }
        let made =
            if let rowClass { rowClass.keyPath(property.column, makeKeyPath) } else { makeKeyPath()?.tracked }
        guarded {
            // Another thread may have been faster, or may read by name.
            if property.declared == nil { property.declared = made }
        }
        return made
    }

    /// Returns a property that was read, with its key path: as long as the caller holds that, no other thread releases the property.
    private func known(_ column: Int) -> (Property, KeyPath<TrackedReads, Int>)? {
        var known: (Property, KeyPath<TrackedReads, Int>)?
        guarded { known = properties.first { $0.column == column }.map { ($0, $0.keyPath) } }
        return known
    }

    private func add(_ column: Int) -> (Property, KeyPath<TrackedReads, Int>) {
        let observation = column == ObservedKey.invalidated.column ? nil : listen(column)
        let property = Property(column, observation)
        let keyPath = property.keyPath
        guarded { properties.append(property) }
        return (property, keyPath)
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

    private func willChange(_ column: Int) { pass(column, to: .willSet) }

    private func didChange(_ column: Int) {
        pass(column, to: .didSet)
        releaseUnread()
    }

    /// Passes the properties that change with a column to the registrar: with the program's key path, without one those that were read
    /// by name. An object that became managed has the same values, so that all its properties are changed without a name.
    private func pass(_ column: Int, to call: RegistrarCall) {
        var all: [(Property, KeyPath<TrackedReads, Int>)] = []
        guarded { all = properties.map { ($0, $0.keyPath) } }
        for (property, keyPath) in all
        where property.column == column || column == ObservedKey.invalidated.column {
            var (declared, isReadByName): ((any AnyTrackedKeyPath)?, Bool) = (nil, false)
            guarded { (declared, isReadByName) = (property.declared, property.isReadByName) }
            let subject = subject
            if let subject { declared?.pass(to: call, registrar, subject) }
            if isReadByName { call(registrar, self, \TrackedReads[byName: property.column]) }
            if subject == nil { call(registrar, self, keyPath) }
        }
    }

    // MARK: The end

    /// Drops the reference to the observations, which are released before this.
    package func observationsEnd() { observations = nil }

    /// Releases the properties for which no observer waits any more.
    package func releaseUnread() {
        // All are kept where the toolchain does not say for which of them an observer waits.
        guard ReadProbe.isReliable else { return }
        var (unread, isRead): ([Property], Bool) = ([], false)
        guarded {
            properties.removeAll { property in
                let isUnread = isKnownUniquelyReferenced(&property.keyPath)
                if isUnread { unread.append(property) }
                return isUnread
            }
            isRead = !properties.isEmpty
        }
        for property in unread {
            if let observation = property.observation { stopListening(observation, property.column) }
        }
        // The reads of a shared object stay: another thread may be in a callback.
        guard !isRead, !isShared else { return }
        if let end { stopListening(end, ObservedKey.invalidated.column) }
        end = nil
        if let whenUnread { whenUnread() } else { observations?.trackedReads = nil }
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
