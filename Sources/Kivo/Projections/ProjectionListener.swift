import KivoEngine

/// A listener of a projection. It listens to the root, for the properties that the projection shows.
final class ProjectionListener: ObjectListener {
    private let watched: [(property: ProjectedProperty, filter: KeyPathFilter?)]
    private let isEmpty: Bool

    init(
        _ object: ObjectBase, _ watched: [(property: ProjectedProperty, paths: [String])],
        _ call: @escaping (ObjectBase, Event) -> Void
    ) {
        self.watched = watched.map { ($0.property, KeyPathFilter.make($0.paths, object.kivoContext)) }
        isEmpty = watched.isEmpty
        super.init(object, watched.flatMap(\.paths).uniqued(), call)
    }

    override var subject: String { "a projection of \(super.subject)" }

    override var interest: Interest {
        // A projection that shows no persisted property is notified only of the deletion of its root.
        if !isEmpty { return super.interest }
        return .row(RowID(table: object.kivoContext.table, key: object.kivoRow.key), columns: [])
    }

    override func changes(_ pending: PendingChanges) -> [PropertyChange] {
        watched.compactMap { property, filter in
            guard let filter, pending.traversals.affects(object.kivoRow.key, filter.dependencies) else {
                return nil
            }
            if property.isCollection {
                return PropertyChange(name: property.label, oldValue: nil, newValue: nil)
            }
            return PropertyChange(
                name: property.label, oldValue: oldValue(of: property, pending),
                newValue: flatten(object[keyPath: property.keyPath]))
        }
    }

    /// Returns the old value, read from a temporary object with the root's old values. A value computed from linked objects or
    /// collections is read from the version that was seen last.
    private func oldValue(of property: ProjectedProperty, _ pending: PendingChanges) -> Any? {
        guard property.readsOwnValues else { return pending.isAdvance ? oldRead(property, pending) : nil }
        let context = object.kivoContext
        let roots = property.paths.compactMap { context.info.property(named: $0[0]) }
        let olds = roots.map { oldValue(of: $0, pending) }
        if olds.allSatisfy({ $0 == nil }) { return nil }
        let scratch: ObjectBase = context.info.type.init()
        for (root, old) in zip(roots, olds) {
            scratch.kivoSetValue(root, old ?? object.kivoValue(root))
        }
        return flatten(scratch[keyPath: property.keyPath])
    }

    private func oldRead(_ property: ProjectedProperty, _ pending: PendingChanges) -> Any? {
        let owner = pending.frozen(object.kivoContext.instance)
        defer { withExtendedLifetime(owner) {} }
        let context = owner.instance.classes.context(of: object.kivoContext.info.type)
        let key = object.kivoRow.key
        guard owner.instance.table(context.table).contains(key) else { return nil }
        let value = flatten(context.accessor(key)[keyPath: property.keyPath])
        // Objects and collections of the frozen realm are not reported, because old values are live.
        return value is any ThreadConfined || value is ObjectBase ? nil : value
    }
}

extension PendingChanges {
    /// Returns the version that the instance's listeners saw last, which is pinned, as a frozen realm.
    fileprivate func frozen(_ instance: RealmInstance) -> InstanceOwner {
        if let known = oldReader as? InstanceOwner { return known }
        let made = InstanceOwner(
            RealmInstance(instance.store, instance.configuration, .none, frozenAt: from))
        oldReader = made
        return made
    }
}
