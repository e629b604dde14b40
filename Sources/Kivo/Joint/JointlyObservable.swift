import KivoEngine

/// A value that can be observed together with others.
protocol JointlyObservable {
    /// The identity that the value shares with its copies, and with no other value; nil if it is unmanaged.
    var jointIdentity: JointIdentity? { get }
    /// Adds a listener that passes on each change.
    func observeJointly(_ keyPaths: [String]?, _ record: @escaping (Any) -> Void) -> NotificationToken
    /// Returns the value in a frozen instance of the realm.
    ///
    /// - Parameter order: the elements of results there, if they are known.
    func frozen(in instanceOwner: InstanceOwner, _ order: FrozenOrder?) -> Any?
}

/// The identity of a value that is observed together with others.
struct JointIdentity: Hashable {
    private let type: ObjectIdentifier
    private let store: ObjectIdentifier
    private let value: AnyHashable

    /// Returns nil for an unmanaged value.
    init?(_ type: Any.Type, _ instance: RealmInstance?, _ value: AnyHashable) {
        guard let instance else { return nil }
        (self.type, store, self.value) = (ObjectIdentifier(type), ObjectIdentifier(instance.store), value)
    }
}

extension JointlyObservable where Self: ThreadConfined {
    func frozen(in instanceOwner: InstanceOwner, _ order: FrozenOrder?) -> Any? {
        _handover(Realm(instanceOwner))
    }
}

extension JointlyObservable where Self: RealmCollection {
    func observeJointly(_ keyPaths: [String]?, _ record: @escaping (Any) -> Void) -> NotificationToken {
        _observe(keyPaths, on: nil) { (change: RealmCollectionChange<Self>) in record(change) }
    }
}

extension Results: JointlyObservable {
    var jointIdentity: JointIdentity? { JointIdentity(Self.self, state.instance, ObjectIdentifier(state)) }

    func frozen(in instanceOwner: InstanceOwner, _ order: FrozenOrder?) -> Any? {
        Results(state.moved(to: instanceOwner.instance, order))
    }
}

extension List: JointlyObservable {
    var jointIdentity: JointIdentity? {
        reference.flatMap { JointIdentity(Self.self, $0.instance, $0.id) }
    }
}

extension MutableSet: JointlyObservable {
    var jointIdentity: JointIdentity? {
        reference.flatMap { JointIdentity(Self.self, $0.instance, $0.id) }
    }
}

extension LinkingObjects: JointlyObservable {
    var jointIdentity: JointIdentity? {
        target.flatMap { JointIdentity(Self.self, $0.instance, RowID(table: $0.backlinks, key: $0.key)) }
    }
}

extension AnyRealmCollection: JointlyObservable {
    var jointIdentity: JointIdentity? {
        JointIdentity(Self.self, realm?.instance, (base as? any JointlyObservable)?.jointIdentity)
    }

    func frozen(in instanceOwner: InstanceOwner, _ order: FrozenOrder?) -> Any? {
        let frozen = (base as? any JointlyObservable)?.frozen(in: instanceOwner, order)
        return (frozen as? any RealmCollection<Element>).map { AnyRealmCollection($0) }
    }
}

extension Map: JointlyObservable {
    var jointIdentity: JointIdentity? {
        reference.flatMap { JointIdentity(Self.self, $0.instance, $0.id) }
    }

    func observeJointly(_ keyPaths: [String]?, _ record: @escaping (Any) -> Void) -> NotificationToken {
        _observe(keyPaths, on: nil) { (change: RealmMapChange<Map>) in record(change) }
    }
}

extension SectionedResults: JointlyObservable {
    var jointIdentity: JointIdentity? { JointIdentity(Self.self, state.instance, ObjectIdentifier(state)) }

    func observeJointly(_ keyPaths: [String]?, _ record: @escaping (Any) -> Void) -> NotificationToken {
        _observe(keyPaths, on: nil) { (change: SectionedResultsChange<SectionedResults>) in record(change) }
    }

    func frozen(in instanceOwner: InstanceOwner, _ order: FrozenOrder?) -> Any? {
        SectionedResults(state.moved(to: instanceOwner))
    }
}

extension ObjectBase: JointlyObservable {
    var jointIdentity: JointIdentity? {
        guard isManaged, let instance = kivoInstance else { return nil }
        return JointIdentity(type(of: self), instance, RowID(table: kivoContext.table, key: kivoRow.key))
    }

    func observeJointly(_ keyPaths: [String]?, _ record: @escaping (Any) -> Void) -> NotificationToken {
        _observe(keyPaths, on: nil) { (change: ObjectChange<ObjectBase>) in record(change) }
    }
}
