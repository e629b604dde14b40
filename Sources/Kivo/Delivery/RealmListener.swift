/// A listener of a realm as a whole.
final class RealmListener: Listener {
    private let block: NotificationBlock
    private let end: () -> Void

    /// - Parameter end: A closure that is called when the realm is invalidated.
    init(_ block: @escaping NotificationBlock, end: @escaping () -> Void = {}) {
        self.block = block
        self.end = end
        super.init(hasInitial: false)
    }

    func tell(_ notification: Realm.Notification, _ realm: Realm) { block(notification, realm) }

    func realmEnds() { end() }
}
