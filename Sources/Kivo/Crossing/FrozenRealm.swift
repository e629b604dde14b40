/// A version of a realm that any thread, task or actor can use: its type is `Sendable`.
///
///     let version = realm.frozenSnapshot()
///     Task.detached { print(version.objects(Dog.self).where { $0.age > 5 }.count) }
///
/// It keeps the version in memory as long as it, or any value that was read from it, exists.
public struct FrozenRealm: @unchecked Sendable {
    // Proof of `Sendable`: the realm is frozen, which is safe to read on many threads at once.
    private let held: Realm

    fileprivate init(_ realm: Realm) { held = realm.freeze() }

    /// The frozen realm itself. Do not pass it on to other threads.
    public var base: Realm { held }

    /// Returns the live instance of the current thread, queue or actor.
    public func thaw() -> Realm { held.thaw() }

    /// The configuration that the realm was opened with.
    public var configuration: Realm.Configuration { held.configuration }

    /// A Boolean value that indicates whether the realm holds no objects.
    ///
    /// - Complexity: O(classes).
    public var isEmpty: Bool { held.isEmpty }

    /// Returns all objects of a class.
    ///
    /// - Complexity: O(1).
    public func objects<Element: Object>(
        _ type: Element.Type
    ) -> FrozenCollection<Results<Element>, Frozen<Element>> {
        held.objects(type).frozenSnapshot()
    }

    /// Returns the object with a primary key, or nil if there is none.
    ///
    /// - Complexity: O(log n).
    /// - Precondition: The class has a primary key, and `key` is of its type.
    public func object<Element: Object, Key>(
        ofType type: Element.Type, forPrimaryKey key: Key
    ) -> Frozen<Element>? {
        held.object(ofType: type, forPrimaryKey: key).map { Frozen(freezing: $0) }
    }
}

extension Realm {
    /// Returns the version that this instance shows as a value that can be sent to any thread, task or actor; inside a write
    /// transaction, the version before it.
    ///
    /// - Complexity: O(1).
    public func frozenSnapshot() -> FrozenRealm { FrozenRealm(self) }
}
