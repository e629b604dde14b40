import KivoEngine

/// A class whose objects have the identity of their rows, as lists in user interfaces ask for it.
///
///     class Dog: Object, ObjectKeyIdentifiable { … }
public protocol ObjectKeyIdentifiable: Identifiable {
    /// What tells the value apart from others of its realm.
    var id: UInt64 { get }
}

extension ObjectKeyIdentifiable where Self: ObjectBase {
    /// A number that is the same for all accessors of a row, live and frozen, in all versions, also once it is deleted; of an
    /// unmanaged object, that of the instance. Other objects of the realm have others. O(1).
    public var id: UInt64 { kivoIdentity }
}

extension ObjectBase {
    /// What tells the object's row apart from others of the realm.
    final var kivoIdentity: UInt64 {
        if isManaged { return UInt64(kivoContext.table) << 48 &+ UInt64(bitPattern: kivoRow.key) }
        // No table has a number as high as this.
        return UInt64(UInt(bitPattern: ObjectIdentifier(self))) | 1 << 63
    }
}
