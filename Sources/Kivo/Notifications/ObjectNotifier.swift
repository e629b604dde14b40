import KivoEngine

/// An observer of one object.
final class ObjectNotifier: Notifier {
    enum Event {
        case change([PropertyChange])
        case deleted
    }

    private let object: ObjectBase
    private let filter: KeyPathFilter?
    private let call: (ObjectBase, Event) -> Void
    private var isDead = false

    init(_ object: ObjectBase, _ keyPaths: [String]?, _ call: @escaping (ObjectBase, Event) -> Void) {
        self.object = object
        filter = KeyPathFilter.make(keyPaths, object.kivoContext)
        self.call = call
        super.init(object.kivoCore!, hasInitial: false)
    }

    override func deliver(_ pending: PendingChanges) {
        guard !isDead else { return }
        let table = object.kivoContext.table
        let key = object.kivoRow.key
        let change = pending.changes.table(table)
        if change?.state(of: key) == .deleted {
            isDead = true
            call(object, .deleted)
            return
        }
        let info = object.kivoContext.info
        let properties: [PropertyInfo]
        if let filter {
            let affected = AffectedRows(pending.core, pending.changes)
            var names: Set<String> = []
            for path in filter.paths where affected.rows(table, path).contains(key) {
                names.insert(path.name)
            }
            properties = info.properties.filter { names.contains($0.name) }
        } else {
            guard let columns = change?.modifiedColumns(of: key), !columns.isEmpty else { return }
            let names = Self.names(of: columns, info)
            properties = info.properties.filter { names.contains($0.name) }
        }
        guard !properties.isEmpty else { return }
        call(object, .change(properties.map { self.change(of: $0, pending) }))
    }

    private static func names(of columns: [Int], _ info: ClassInfo) -> Set<String> {
        Set(columns.map { info.property(column: $0).name })
    }

    private func change(of property: PropertyInfo, _ pending: PendingChanges) -> PropertyChange {
        guard property.type.collection == .none else {
            return PropertyChange(name: property.name, oldValue: nil, newValue: nil)
        }
        return PropertyChange(
            name: property.name, oldValue: oldValue(of: property, pending),
            newValue: object.kivoValue(property))
    }

    /// The value before the first move that changed it.
    private func oldValue(of property: PropertyInfo, _ pending: PendingChanges) -> Any? {
        let table = object.kivoContext.table
        let key = object.kivoRow.key
        for (old, changes) in pending.advances
        where changes.table(table)?.modifiedColumns(of: key).contains(property.column) == true {
            let cell = old.table(table).cell(key, property.column, property.columnKind)
            return property.value(of: cell, object)
        }
        return nil
    }
}

extension PropertyInfo {
    /// The value that a cell of this property means; nil for a link to an object that is gone.
    func value(of cell: Cell, _ owner: ObjectBase) -> Any? {
        let context = CollectionContext(
            core: owner.kivoCore, elements: type.target.map { owner.kivoContext.target($0) })
        if let elements = context.elements, !elements.core.table(elements.table).contains(cell.linkKey) {
            return nil
        }
        return wrapper.value(of: cell, context)
    }
}
