/// A version of a realm, as a value that every thread, task and actor may have: `Sendable` by its type.
///
///     let version = realm.frozenSnapshot()
///     Task.detached { print(version.objects(Dog.self).where { $0.age > 5 }.count) }
///
/// It keeps the version in memory as long as it, or anything that was read of it, is there.
public struct FrozenRealm: @unchecked Sendable {
    // Proof of `Sendable`: the realm is frozen, which is safe to read on many threads at once.
    private let held: Realm

    fileprivate init(_ realm: Realm) { held = realm.freeze() }

    /// The frozen realm itself: what it is passed to must not pass it on to other threads.
    public var base: Realm { held }

    /// The live instance of the current thread, queue or actor.
    public func thaw() -> Realm { held.thaw() }

    /// The configuration that the realm was opened with.
    public var configuration: Realm.Configuration { held.configuration }

    /// Whether the realm holds no object at all. O(classes).
    public var isEmpty: Bool { held.isEmpty }

    /// All objects of a class. O(1).
    public func objects<Element: Object>(
        _ type: Element.Type
    ) -> FrozenCollection<Results<Element>, Frozen<Element>> {
        held.objects(type).frozenSnapshot()
    }

    /// The object of a primary key, or nil. O(log n). Traps if the class has no primary key or the key is of another type.
    public func object<Element: Object, Key>(
        ofType type: Element.Type, forPrimaryKey key: Key
    ) -> Frozen<Element>? {
        held.object(ofType: type, forPrimaryKey: key).map { Frozen(freezing: $0) }
    }
}

extension Realm {
    /// The version that this instance sees, as a value that can be sent to every thread, task and actor; inside of a write
    /// transaction, the version before it. O(1).
    public func frozenSnapshot() -> FrozenRealm { FrozenRealm(self) }
}
