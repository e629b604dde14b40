import KivoEngine

/// A value that can be observed together with others.
protocol JointlyObservable {
    var jointRealm: Realm? { get }
    /// What the value has in common with its copies, and with no other one.
    var jointIdentity: AnyHashable { get }
    /// Adds a listener that passes on each change.
    func observeJointly(_ keyPaths: [String]?, _ record: @escaping (Any) -> Void) -> NotificationToken
    /// Returns the value in a frozen instance at the version that a listener of the value shows.
    func frozen(in instanceOwner: InstanceOwner, _ listener: Listener) -> Any?
}

extension JointlyObservable where Self: ThreadConfined {
    var jointRealm: Realm? { realm }

    func frozen(in instanceOwner: InstanceOwner, _ listener: Listener) -> Any? {
        _handover(Realm(instanceOwner))
    }
}

extension JointlyObservable where Self: RealmCollection {
    func observeJointly(_ keyPaths: [String]?, _ record: @escaping (Any) -> Void)
        -> NotificationToken
    {
        _observe(keyPaths, on: nil) { (change: RealmCollectionChange<Self>) in record(change.frozen) }
    }
}

extension Results: JointlyObservable {
    var jointIdentity: AnyHashable { ObjectIdentifier(state) }

    func frozen(in instanceOwner: InstanceOwner, _ listener: Listener) -> Any? {
        Results(state.moved(to: instanceOwner.instance, (listener as? ResultsListener)?.viewProgress.view))
    }
}

extension List: JointlyObservable {
    var jointIdentity: AnyHashable { AnyHashable(reference?.id) }
}

extension MutableSet: JointlyObservable {
    var jointIdentity: AnyHashable { AnyHashable(reference?.id) }
}

extension LinkingObjects: JointlyObservable {
    var jointIdentity: AnyHashable {
        AnyHashable(target.map { RowID(table: $0.backlinks, key: $0.key) })
    }
}

extension AnyRealmCollection: JointlyObservable {
    /// Another one than that of the wrapped collection, whose changes are of another type.
    var jointIdentity: AnyHashable { [(base as? any JointlyObservable)?.jointIdentity] }

    func frozen(in instanceOwner: InstanceOwner, _ listener: Listener) -> Any? {
        let frozen = (base as? any JointlyObservable)?.frozen(in: instanceOwner, listener)
        return (frozen as? any RealmCollection<Element>).map { AnyRealmCollection($0) }
    }
}

extension Map: JointlyObservable {
    var jointIdentity: AnyHashable { AnyHashable(reference?.id) }

    func observeJointly(_ keyPaths: [String]?, _ record: @escaping (Any) -> Void)
        -> NotificationToken
    {
        _observe(keyPaths, on: nil) { (change: RealmMapChange<Map>) in record(change.frozen) }
    }
}

extension SectionedResults: JointlyObservable {
    var jointIdentity: AnyHashable { ObjectIdentifier(state) }

    func observeJointly(_ keyPaths: [String]?, _ record: @escaping (Any) -> Void)
        -> NotificationToken
    {
        _observe(keyPaths, on: nil) { (change: SectionedResultsChange<SectionedResults>) in
            record(change.frozen)
        }
    }

    func frozen(in instanceOwner: InstanceOwner, _ listener: Listener) -> Any? {
        SectionedResults(state.moved(to: instanceOwner))
    }
}

extension ObjectBase: JointlyObservable {
    var jointIdentity: AnyHashable { RowID(table: kivoContext.table, key: kivoRow.key) }

    func observeJointly(_ keyPaths: [String]?, _ record: @escaping (Any) -> Void)
        -> NotificationToken
    {
        _observe(keyPaths, on: nil) { (change: ObjectChange<ObjectBase>) in record(change) }
    }
}
