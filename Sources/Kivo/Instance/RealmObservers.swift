/// A closure that is called with each notification of a realm.
public typealias NotificationBlock = (_ notification: Realm.Notification, _ realm: Realm) -> Void

extension Realm {
    /// A notification that a realm's observers receive.
    public enum Notification: String, Sendable {
        /// This instance moved to another version, by a commit of its own or by a refresh.
        case didChange = "RealmDidChangeNotification"
        /// Another instance committed, and this one does not refresh automatically.
        case refreshRequired = "RealmRefreshRequiredNotification"
    }
}

/// The observers of a realm instance as a whole, and whether they were notified of its version. Confined with the instance.
struct RealmObservers {
    /// An observer. It is registered like the listeners of collections and objects, but no change is searched for it.
    private final class Observer: Listener {
        let block: NotificationBlock
        let end: () -> Void

        init(_ block: @escaping NotificationBlock, _ end: @escaping () -> Void) {
            (self.block, self.end) = (block, end)
            super.init(hasInitial: false)
        }
    }

    private var registrations = OrderedEntries<Registration>()
    private var lastNumber = 0
    private(set) var progress: RealmProgress

    /// - Parameter head: The newest version when the instance was created.
    init(head: UInt64) { progress = .unread(since: head) }

    var isEmpty: Bool { registrations.isEmpty }
    var count: Int { registrations.count }
    var all: [Registration] { registrations.all }

    /// Applies an event to the progress.
    mutating func take(_ event: RealmProgress.Event) { progress.take(event) }

    /// Adds an observer. `end` is called when the realm is invalidated. The first observer is notified of changes after `head`,
    /// the newest version.
    mutating func add(
        head: UInt64, end: @escaping () -> Void, _ block: @escaping NotificationBlock
    ) -> Registration {
        if isEmpty { progress.take(.firstObserver(head: head)) }
        lastNumber += 1
        let registration = Registration(lastNumber, Observer(block, end))
        registrations.append(registration)
        return registration
    }

    /// Removes an observer that was cancelled.
    mutating func remove(_ registration: Registration) { _ = registrations.remove(registration) }

    /// Calls the observers. Call this on a copy, which costs nothing: observers may end others and add new ones.
    func notify(_ notification: Realm.Notification, _ realm: Realm, skipping skipped: [Registration]) {
        registrations.forEach { registration in
            if skipped.contains(where: { $0 === registration }) { return }
            guard let observer = registration.listener as? Observer else { return }
            realm.instance.recording(observer, registration, since: realm.instance.version) {
                if notification == .didChange { observer.noteCall(ListenerCall.Size()) }
                observer.block(notification, realm)
            }
        }
    }

    /// Notifies the observers that the realm was invalidated. Call this on a copy.
    func notifyOfEnd() { registrations.forEach { ($0.listener as? Observer)?.end() } }
}

/// Whether the realm's observers were notified of the version that their instance is at.
enum RealmProgress {
    enum Event {
        /// The instance, which read no version before, reads one.
        case didRead(UInt64)
        /// The instance moved to another version without notifying observers, because a write began.
        case movedSilently
        case didNotify
        /// The first observer is added. It is notified of changes after the newest version.
        case firstObserver(head: UInt64)
        /// The instance unpinned a version.
        case didInvalidate(UInt64)
    }

    /// No version is read. Observers are notified of any version but `since`.
    case unread(since: UInt64)
    case notified
    case pending

    /// Whether observers have to be notified of the version that is read.
    var isPending: Bool {
        switch self {
        case .notified: false
        case .pending: true
        case .unread(let since): since == 0
        }
    }

    /// Applies an event. The state changes nowhere else.
    mutating func take(_ event: Event) {
        switch (event, self) {
        case (.didRead(let version), .unread(let since)): self = version == since ? .notified : .pending
        case (.didRead, _): break
        case (.movedSilently, _): self = .pending
        case (.didNotify, _): self = .notified
        case (.firstObserver(let head), .unread): self = .unread(since: head)
        case (.firstObserver, _): self = .notified
        // No version has the number 0. After a missed notification, observers are notified of any version that is read next.
        case (.didInvalidate, .pending): self = .unread(since: 0)
        case (.didInvalidate(let version), .notified): self = .unread(since: version)
        case (.didInvalidate, .unread): break
        }
    }
}
