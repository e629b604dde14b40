import KivoEngine
import KivoObserving

/// A class whose objects have the identity of their rows, as lists in user interfaces require.
///
///     class Dog: Object, ObjectKeyIdentifiable { … }
public protocol ObjectKeyIdentifiable: Identifiable {
    /// The number that identifies the object in its realm.
    var id: UInt64 { get }
}

extension ObjectKeyIdentifiable where Self: ObjectBase {
    /// A number that identifies the object's row: equal for all accessors of the row, live and frozen, in all versions, and even
    /// after its deletion. An unmanaged object's number identifies the instance. Other objects of the realm have different
    /// numbers.
    ///
    /// - Complexity: O(1).
    public var id: UInt64 { kivoIdentity }
}

extension ObjectBase {
    /// The number that identifies the object's row in the realm.
    final var kivoIdentity: UInt64 {
        if isManaged { return UInt64(kivoContext.table) << 48 &+ UInt64(bitPattern: kivoRow.key) }
        // No table has so high a number.
        return UInt64(UInt(bitPattern: ObjectIdentifier(self))) | 1 << 63
    }
}

extension SubjectIdentity {
    /// Creates the identity of an object: its row, if it is managed.
    init(_ object: ObjectBase) {
        if object.isManaged, let instance = object.kivoInstance {
            let table = object.kivoContext.table
            self.init(ObjectIdentifier(instance), table: table, row: object.kivoRow.key)
        } else {
            self.init(instance: object)
        }
    }
}

extension ObjectBase: ThreadConfined {}

extension ThreadConfined where Self: ObjectBase {
    public var _handover: (Realm) -> Self? {
        let (info, key) = (kivoContext.info, kivoRow.key)
        return { realm in
            let context = realm.instance.classes.context(of: info)
            guard let (leaf, slot) = realm.instance.table(context.table).locate(key) else { return nil }
            return unsafeDowncast(context.accessor(key, leaf, slot), to: Self.self)
        }
    }
}
