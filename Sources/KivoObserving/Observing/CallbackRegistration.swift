/// A registration whose notifications a closure receives, without values: for observers that the library itself makes.
package final class CallbackRegistration: KeyValueRegistration {
    /// The moment at which the closure is called.
    package enum Moment {
        case will, did
        /// An unmanaged object on the key path became managed.
        case becameManaged
    }

    private let body: (Moment) -> Void
    private let isKept: Bool

    /// Creates a registration.
    ///
    /// - Parameters:
    ///   - isPrior: Whether the closure is called before changes, too.
    ///   - isCarried: Whether an unmanaged object keeps the registration when it is added to a realm.
    package init(
        _ path: WatchedKeyPath, isPrior: Bool = false, isCarried: Bool = false,
        _ body: @escaping (Moment) -> Void
    ) {
        self.body = body
        isKept = isCarried
        super.init(path, isPrior ? .prior : [])
    }

    package override var isCarried: Bool { isKept }

    override func willChange(_ subject: AnyObject, _ kind: CollectionChangeKind, _ ticket: Int) {
        body(.will)
    }
    override func didChange(_ subject: AnyObject, _ kind: CollectionChangeKind, _ ticket: Int) { body(.did) }

    override func subjectBecameManaged() {
        body(.becameManaged)
        super.subjectBecameManaged()
    }
}
