import KivoEngine

extension Realm {
    /// The realms that the program has open, the versions that are kept, and the listeners. See ``Realm/report()``.
    public struct Report: Sendable {
        /// The realms, by name.
        public let realms: [OpenRealm]

        /// A realm file, or a realm in memory, that is open.
        public struct OpenRealm: Sendable {
            /// The path of the file, or the identifier of a realm in memory.
            public let name: String
            /// The number of the newest version.
            public let newestVersion: UInt64
            /// The number of the oldest version that is still read. What was replaced since then is in memory.
            public let oldestVersion: UInt64
            /// Where it is open, each once: `here`, `on the main thread`, `on an actor of type Kennel`.
            public let homes: [String]
            /// The listeners, in the order in which they began; only those that are called where the report was made.
            public let listeners: [Listener]
        }

        /// A listener that is registered.
        public struct Listener: Sendable {
            /// The listener itself.
            public let info: RealmEvent.ListenerInfo
            /// The time since it began.
            public let age: Duration
            /// The number of the version that it has seen.
            public let version: UInt64
            /// The treatment of changes.
            public let state: State
        }

        /// The treatment of the changes that concern a listener.
        public enum State: String, Sendable {
            /// It is called with them.
            case listening
            /// It is called with them later, at its pace. It keeps the version that it has seen.
            case holding
            /// It is called with them when its pause ends, or by hand. It keeps the version that it has seen.
            case paused
        }
    }

    /// Returns the realms that the program has open, and their listeners: for the search for listeners that nobody ended, and for versions
    /// that somebody keeps.
    ///
    ///     print(Realm.report())
    ///
    /// Listeners belong to a thread, a queue or an actor, and are not accessed elsewhere: the report has those of the code that calls this.
    /// For each realm it has all threads, queues and actors that have it open.
    ///
    /// - Complexity: O(n log n) for n listeners.
    public static func report() -> Report {
        let realms = StoreEntry.openStores.map { store in
            let listeners = store.instancesHere.flatMap { $0.instance.reportedListeners }
            let versions = store.dataVersions
            return Report.OpenRealm(
                name: store.name, newestVersion: versions.newest, oldestVersion: versions.oldest,
                homes: store.homes, listeners: listeners.sorted { $0.info.began < $1.info.began })
        }
        return Report(realms: realms.sorted { $0.name < $1.name })
    }
}

extension RealmInstance {
    /// The listeners of the realm, of its objects and of its collections, in no order.
    fileprivate var reportedListeners: [Realm.Report.Listener] {
        let now = ContinuousClock.now
        func report(
            _ registration: Registration, _ listener: Listener, _ state: Realm.Report.State, _ version: UInt64
        ) -> Realm.Report.Listener {
            let info = info(of: listener, registration)
            return Realm.Report.Listener(
                info: info, age: info.began.duration(to: now), version: dataVersion(of: version),
                state: state)
        }
        var all: [Realm.Report.Listener] = []
        for observation in listeners.paced.all.values {
            guard let listener = observation.listener else { continue }
            let version = listeners.searchedVersion(seenBy: listener)
            let state: Realm.Report.State =
                if observation.isPaused {
                    .paused
                } else if case .holding = observation.state {
                    .holding
                } else {
                    .listening
                }
            all.append(report(observation.access, listener, state, version))
        }
        for registration in listeners.index.all + observers.all {
            // The listener of a paced observation has another registration, too.
            guard let listener = registration.listener, !listener.isInternal, listener.consumer?.access == nil
            else { continue }
            let version = registration.interest == nil ? version : listeners.searchedVersion(seenBy: listener)
            all.append(report(registration, listener, .listening, version))
        }
        return all
    }
}

extension Realm.Report: CustomStringConvertible {
    /// The report as text.
    public var description: String {
        realms.isEmpty ? "No realm is open." : realms.map(\.description).joined(separator: "\n")
    }
}

extension Realm.Report.OpenRealm: CustomStringConvertible {
    /// The realm and its listeners, each on a line of its own.
    public var description: String {
        let versions = "newest version \(newestVersion), oldest in use \(oldestVersion)"
        let title = "Realm '\(name)': \(versions); open \(homes.joined(separator: ", "))"
        return ([title] + listeners.map { "  \($0)" }).joined(separator: "\n")
    }
}

extension Realm.Report.Listener: CustomStringConvertible {
    /// The listener on one line.
    public var description: String {
        "\(info): \(state.rawValue) on \(info.home) for \(age.components.seconds) s, has seen version \(version)"
    }
}
