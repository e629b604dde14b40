/// Called with each notification of a realm.
public typealias NotificationBlock = (_ notification: Realm.Notification, _ realm: Realm) -> Void

extension Realm {
    /// What a realm's observers are told.
    public enum Notification: String, Sendable {
        /// This instance moved to another version, by a commit of its own or by a refresh.
        case didChange = "RealmDidChangeNotification"
        /// Another instance committed and this one does not refresh by itself.
        case refreshRequired = "RealmRefreshRequiredNotification"
    }
}
