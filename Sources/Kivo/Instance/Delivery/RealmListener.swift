/// A listener of a realm as a whole.
final class RealmListener: Listener {
    private let block: NotificationBlock

    init(_ block: @escaping NotificationBlock) {
        self.block = block
        super.init(hasInitial: false)
    }

    func tell(_ notification: Realm.Notification, _ realm: Realm) { block(notification, realm) }
}
