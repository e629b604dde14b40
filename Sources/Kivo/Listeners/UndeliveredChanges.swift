/// The changes that an observation has not delivered yet, for the failures of tests.
package struct UndeliveredChanges: Sendable, Equatable {
    /// Whether the first call was not made yet. It shows the version that the realm is at then, whatever was committed before.
    package var isFirstCallPending = false
    /// The number of commits that are newer than the last version with which the observer is up to date. The observer may not
    /// be affected by all of them.
    package var commits: UInt64 = 0
}

extension NotificationToken {
    /// The changes that were not delivered yet; nil if the observation has ended or does not belong here.
    package var undeliveredChanges: UndeliveredChanges? {
        guard let (instance, registration) = observation, let listener = registration.listener else {
            return nil
        }
        guard registration.interest != nil else {
            return UndeliveredChanges(commits: instance.commits(since: instance.observedVersion))
        }
        if let held = listener.consumer?.pinnedVersion {
            return UndeliveredChanges(commits: instance.commits(since: held))
        }
        switch listener.progress {
        case .awaitingFirstCall: return UndeliveredChanges(isFirstCallPending: true)
        case .upToDate:
            return UndeliveredChanges(
                commits: instance.commits(since: min(instance.listeners.seen, instance.version)))
        case .outdated(let since): return UndeliveredChanges(commits: instance.commits(since: since))
        case .ended: return nil
        }
    }

    /// The newest version of the data, and the version that the observing instance shows; nil if the observation has ended or
    /// does not belong here.
    package var versions: (newest: UInt64, shown: UInt64)? {
        observation.map { ($0.instance.newestVersion, $0.instance.version) }
    }

    /// The observing instance and the registration there, if this code runs where they belong.
    private var observation: (instance: RealmInstance, registration: Registration)? {
        guard let registration, let instance = (owner as? InstanceOwner)?.instance,
            instance.confinement.isCurrent
        else {
            return nil
        }
        return (instance, registration)
    }
}

extension Realm {
    /// The number of commits that this instance has not advanced to, for the failures of tests.
    package var undeliveredCommits: UInt64 { instance.commits(since: instance.version) }
}

extension RealmInstance {
    /// The newest version that this instance could show: a commit of its own may become durable later.
    fileprivate var newestVersion: UInt64 { max(store.head, version) }

    /// The newest version of which the realm's observers were notified, as far as it is known.
    fileprivate var observedVersion: UInt64 {
        switch observers.progress {
        case .unread(let since): since
        case .notified: version
        // The instance moved silently, by one commit or more.
        case .pending: max(version, 1) - 1
        }
    }

    /// Returns the number of commits after a version; 0 if no version was read.
    fileprivate func commits(since version: UInt64) -> UInt64 {
        version == 0 ? 0 : newestVersion - min(version, newestVersion)
    }
}
