/// The key for which an observer of an object is registered, and to which a change of the object belongs.
struct ObservedKey: Hashable {
    /// The column, the number of an ignored property, or one of the negative numbers below.
    let column: Int
    /// The name of a key without a number.
    let name: String
    /// The computed property of a key without a name.
    let keyPath: AnyKeyPath?

    static var invalidated: ObservedKey { ObservedKey(column: -1, name: "isInvalidated", keyPath: nil) }

    static func column(_ column: Int, _ name: String) -> ObservedKey {
        ObservedKey(column: column, name: name, keyPath: nil)
    }
    static func named(_ name: String) -> ObservedKey { ObservedKey(column: -2, name: name, keyPath: nil) }
    static func computed(_ keyPath: AnyKeyPath) -> ObservedKey {
        ObservedKey(column: -3, name: "", keyPath: keyPath)
    }

    static func == (a: ObservedKey, b: ObservedKey) -> Bool {
        guard a.column == b.column else { return false }
        return a.column >= -1 || (a.name == b.name && a.keyPath == b.keyPath)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(column)
        if column >= -1 { return }
        hasher.combine(name)
        hasher.combine(keyPath)
    }
}

extension Observations {
    /// An observation that is notified of changes of a key.
    struct Recipient {
        let observation: KeyValueRegistration
        /// An unretained reference to the observation, for callers that know that it is held.
        let unretained: Unmanaged<KeyValueRegistration>
        /// The component of the observation's key path that watches the key; nil if the observation watches only this key.
        unowned(unsafe) let node: KeyPathNode?
        /// Whether a change of the key is a change of the observed value itself, so that its kind and positions are passed on.
        let passesKind: Bool

        init(observation: KeyValueRegistration, node: KeyPathNode?, passesKind: Bool) {
            self.observation = observation
            unretained = .passUnretained(observation)
            self.node = node
            self.passesKind = passesKind
        }
    }

    /// A key that is or was observed.
    struct Key {
        /// The notifications that a change of the key requires.
        enum Demand {
            case nothing
            /// All recipients observe the key itself, and are notified only after the change.
            case after
            /// All recipients observe the key itself, and some also have work before the change.
            case aroundChange
            /// Some recipients observe a key path, or a key that depends on other keys.
            case aroundPaths

            var isBefore: Bool { self == .aroundChange || self == .aroundPaths }
        }

        let key: ObservedKey
        /// Whether changes of the key are notified without an explicit announcement.
        var isAutomatic: Bool
        private(set) var recipients = OrderedEntries<Recipient>()
        private(set) var demand = Demand.nothing
        private var earlyCount = 0
        private var nodeCount = 0

        init(_ key: ObservedKey, isAutomatic: Bool) {
            self.key = key
            self.isAutomatic = isAutomatic
        }

        mutating func append(_ recipient: Recipient, number: Int) {
            recipients.append(recipient, number: number)
            count(recipient, 1)
        }

        /// Removes a recipient; returns false if there is no recipient with this number.
        mutating func remove(_ number: Int) -> Bool {
            guard let recipient = recipients.remove(number) else { return false }
            count(recipient, -1)
            return true
        }

        private mutating func count(_ recipient: Recipient, _ difference: Int) {
            if recipient.node != nil { nodeCount += difference }
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
}

extension OrderedEntries<Observations.Recipient> {
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
