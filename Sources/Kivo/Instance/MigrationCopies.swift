import KivoEngine

/// The rows of the copies that a migration made of unmanaged objects: an object that is given to several objects of the migration
/// is copied once.
///
/// Objects are not retained: most are given once. Confined to the migration.
final class MigrationCopies {
    private struct Copy {
        weak var source: ObjectBase?
        let key: ObjectKey
    }

    /// The copies by the address of the source, which another object may have got meanwhile.
    private var copies: [ObjectIdentifier: Copy] = [:]

    /// The row of an unmanaged object's copy, which may have been deleted since; nil if there is no copy, and for managed objects.
    subscript(source: ObjectBase) -> ObjectKey? {
        get {
            guard let copy = copies[ObjectIdentifier(source)], copy.source === source else { return nil }
            return copy.key
        }
        set { copies[ObjectIdentifier(source)] = newValue.map { Copy(source: source, key: $0) } }
    }
}
