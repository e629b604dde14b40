/// The key for which an observer of an object is registered, and to which a change of the object belongs.
package struct ObservedKey: Hashable {
    /// The number by which the object's class knows a stored property, or one of the negative numbers below.
    package let column: Int
    /// The name of a key without a number.
    package let name: String
    /// The computed property of a key without a name.
    package let keyPath: AnyKeyPath?

    package static var invalidated: ObservedKey {
        ObservedKey(column: -1, name: "isInvalidated", keyPath: nil)
    }

    package static func column(_ column: Int, _ name: String) -> ObservedKey {
        ObservedKey(column: column, name: name, keyPath: nil)
    }
    package static func named(_ name: String) -> ObservedKey {
        ObservedKey(column: -2, name: name, keyPath: nil)
    }
    package static func computed(_ keyPath: AnyKeyPath) -> ObservedKey {
        ObservedKey(column: -3, name: "", keyPath: keyPath)
    }

    /// Whether two keys are the same. Keys with a number of their own are compared by it alone.
    package static func == (a: ObservedKey, b: ObservedKey) -> Bool {
        guard a.column == b.column else { return false }
        return a.column >= -1 || (a.name == b.name && a.keyPath == b.keyPath)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(column)
        if column >= -1 { return }
        hasher.combine(name)
        hasher.combine(keyPath)
    }
}

/// An observation that is notified of changes of a key.
@usableFromInline
package struct Recipient {
    package let observation: KeyValueRegistration
    /// An unretained reference to the observation, for callers that know that it is held.
    package let unretained: Unmanaged<KeyValueRegistration>
    /// Whether the observation watches the key because its key path leads through it, or because a key depends on it; false if the
    /// observation watches only this key.
    package let isOnPath: Bool
    /// Whether a change of the key can lead the rest of the path to other objects.
    package let canReroute: Bool
    /// Whether a change of the key is a change of the observed value itself, so that its kind and positions are passed on.
    package let passesKind: Bool

    package init(
        observation: KeyValueRegistration, isOnPath: Bool = false, canReroute: Bool = false, passesKind: Bool
    ) {
        self.observation = observation
        unretained = .passUnretained(observation)
        self.isOnPath = isOnPath
        self.canReroute = canReroute
        self.passesKind = passesKind
    }
}

/// A key that is or was observed, with its recipients.
package struct ObservedKeyState {
    /// The notifications that a change of the key requires.
    package enum Demand {
        case nothing
        /// All recipients observe the key itself, and are notified only after the change.
        case after
        /// All recipients observe the key itself, and some also have work before the change.
        case aroundChange
        /// Some recipients observe a key path, or a key that depends on other keys.
        case aroundPaths

        package var isBefore: Bool { self == .aroundChange || self == .aroundPaths }
    }

    package let key: ObservedKey
    package private(set) var recipients = OrderedEntries<Recipient>()
    private var earlyCount: Int32 = 0
    private var nodeCount: Int32 = 0
    private var takerCount: Int32 = 0
    /// Whether changes of the key are notified without an explicit announcement.
    package internal(set) var isAutomatic: Bool
    package private(set) var demand = Demand.nothing

    /// Whether all recipients take the values of assignments, and have no work before these.
    var takesValues: Bool { Int(takerCount) == recipients.count }

    init(_ key: ObservedKey, isAutomatic: Bool) {
        self.key = key
        self.isAutomatic = isAutomatic
    }

    mutating func append(_ recipient: Recipient, number: Int) {
        recipients.append(recipient, number: number)
        count(recipient, 1)
    }

    /// Removes and returns the recipient with a number; returns nil if there is none.
    mutating func remove(_ number: Int) -> Recipient? {
        guard let recipient = recipients.remove(number) else { return nil }
        count(recipient, -1)
        return recipient
    }

    private mutating func count(_ recipient: Recipient, _ difference: Int32) {
        if recipient.isOnPath {
            nodeCount += difference
        } else if recipient.observation.takesValues(ofColumn: key.column) {
            takerCount += difference
        }
        if recipient.observation.needsWill { earlyCount += difference }
        if recipients.isEmpty {
            demand = .nothing
        } else if nodeCount > 0 {
            demand = .aroundPaths
        } else {
            demand = earlyCount > 0 ? .aroundChange : .after
        }
    }
}

extension OrderedEntries<Recipient> {
    /// Calls `body` with the observation of each recipient in order. Changes that `body` makes to these entries take effect in
    /// the next call only.
    @inline(__always)
    func forEachObservation(_ body: (KeyValueRegistration) -> Void) {
        if let observation = first?.observation { body(observation) }
        if others.isEmpty { return }
        others.withUnsafeBufferPointer { entries in
            for index in entries.indices {
                // The entries retain the observations, and are themselves retained here. Reference counting would cost as much as
                // the call.
                entries[index].element?.unretained._withUnsafeGuaranteedRef(body)
            }
        }
    }
}
