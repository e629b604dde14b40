import KivoEngine

/// A listener of a projection: of the root, and there of what the projection shows.
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

    override var interest: Interest {
        // What shows nothing is told that its root goes, and of no change.
        if !isEmpty { return super.interest }
        return .row(RowID(table: object.kivoContext.table, key: object.kivoRow.key), columns: [])
    }

    override func changes(_ pending: PendingChanges) -> [PropertyChange] {
        watched.compactMap { property, filter in
            guard let filter, pending.walks.affects(object.kivoRow.key, filter.dependencies) else {
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

    /// The value before: read from an object that has the old values of the root. Of what is computed from linked objects, or
    /// from collections, read from the version that was seen last.
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
        let context = owner.instance.context(object.kivoContext.info.type)
        let key = object.kivoRow.key
        guard owner.instance.table(context.table).contains(key) else { return nil }
        let value = flatten(context.accessor(key)[keyPath: property.keyPath])
        // What was held before is handed out live, as far as it is still there.
        return value is any ThreadConfined || value is ObjectBase ? nil : value
    }
}

extension PendingChanges {
    /// The version that the listeners of an instance saw last, which is pinned, as a frozen realm.
    fileprivate func frozen(_ instance: RealmInstance) -> InstanceOwner {
        if let known = oldReader as? InstanceOwner { return known }
        let made = InstanceOwner(
            RealmInstance(instance.store, instance.configuration, .none, frozenAt: from))
        oldReader = made
        return made
    }
}
