import KivoEngine

/// The identity of an object: the row of a realm instance, which many objects can share, or the object itself. Retains neither.
struct SubjectIdentity: Hashable {
    private let id: ObjectIdentifier
    private let row: RowID?

    init(_ object: AnyObject) {
        if let object = object as? ObjectBase, object.isManaged, let instance = object.kivoInstance {
            id = ObjectIdentifier(instance)
            row = RowID(table: object.kivoContext.table, key: object.kivoRow.key)
        } else {
            id = ObjectIdentifier(object)
            row = nil
        }
    }
}
