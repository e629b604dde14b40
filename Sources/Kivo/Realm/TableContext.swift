import KivoEngine

/// A class in one realm instance: what its accessors need to find their rows.
///
/// Owned by the realm instance, and confined with it; accessors refer to it without owning it.
final class TableContext {
    unowned(unsafe) let core: RealmCore
    let info: ClassInfo
    let table: TableID
    private var targets: [ObjectIdentifier: TableContext] = [:]

    init(_ core: RealmCore, _ info: ClassInfo, _ table: TableID) {
        self.core = core
        self.info = info
        self.table = table
    }

    /// The context of a class that this one links to.
    func target(_ type: ObjectBase.Type) -> TableContext {
        if core.isFrozen { return core.context(type) }
        let id = ObjectIdentifier(type)
        if let known = targets[id] { return known }
        let context = core.context(type)
        targets[id] = context
        return context
    }

    /// A new accessor of a row, which must exist.
    func accessor(_ key: ObjectKey) -> ObjectBase {
        guard let (leaf, slot) = core.table(table).locate(key) else {
            trap("There is no object of class '\(info.name)' with key \(key).")
        }
        return accessor(key, leaf, slot)
    }

    func accessor(_ key: ObjectKey, _ leaf: Leaf, _ slot: Int) -> ObjectBase {
        let object = info.type.init()
        object.attach(self, key: key, leaf: leaf, slot: slot)
        return object
    }
}
