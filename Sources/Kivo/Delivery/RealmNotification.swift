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
