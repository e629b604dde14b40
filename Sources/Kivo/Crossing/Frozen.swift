/// A frozen object that any thread, task or actor can use: its type is `Sendable`.
///
///     let dog = dog.frozenSnapshot()
///     Task.detached { print(dog.name, dog.owner?.name ?? "no owner", dog.friends.count) }
///
/// It reads like the object. Properties return their values, links return frozen objects, and collections return
/// ``FrozenCollection`` and ``FrozenMap``, all of one fixed version. No property can be assigned. Computed properties of the
/// class can be read if their type is `Sendable`; they run where they are read. Properties that are neither `Sendable` nor
/// objects or collections are not members. Reading a property costs as much as on the object, if the compiler knows the property.
///
/// It keeps its version of the data in memory as long as it, or any value that was read from it, exists.
@dynamicMemberLookup
public struct Frozen<Base: ThreadConfined>: @unchecked Sendable {
    // Proof of `Sendable`: `held` is frozen, which is safe to read on many threads at once, unless its class stores more in an
    // instance than its persisted properties. In that case each use gets an instance of its own.
    private let held: Base
    private let isShared: Bool

    /// Freezes a value. Traps in the same cases as its `freeze()`.
    init(freezing value: Base) {
        held = value.freeze()
        isShared = (held as? ObjectBase)?.kivoContext.info.isRecyclable ?? true
    }

    /// The frozen object itself. Do not pass it on to other threads.
    public var base: Base { isShared ? held : another }

    @inline(never)
    private var another: Base {
        guard let realm = held.realm, let value = held._handover(realm) else {
            trap("A frozen '\(Base.self)' is in its realm for good.")
        }
        return value
    }

    /// Returns the live object of the current thread, queue or actor, or nil if it no longer exists there. See
    /// ``ThreadConfined/thaw()``.
    public func thaw() -> Base? { base.thaw() }
}

extension Frozen where Base: ObjectBase {
    /// The value of a property.
    @_disfavoredOverload
    public subscript<Value: Sendable>(dynamicMember keyPath: KeyPath<Base, Value>) -> Value {
        base[keyPath: keyPath]
    }

    /// The object that a property links to, or nil.
    public subscript<Target: ObjectBase>(dynamicMember keyPath: KeyPath<Base, Target?>) -> Frozen<Target>? {
        base[keyPath: keyPath].map { Frozen<Target>(freezing: $0) }
    }

    /// The object of a computed property.
    public subscript<Target: ObjectBase>(dynamicMember keyPath: KeyPath<Base, Target>) -> Frozen<Target> {
        Frozen<Target>(freezing: base[keyPath: keyPath])
    }

    /// A collection of objects.
    public subscript<Collection: RealmCollection>(
        dynamicMember keyPath: KeyPath<Base, Collection>
    ) -> FrozenCollection<Collection, Frozen<Collection.Element>> where Collection.Element: ObjectBase {
        base[keyPath: keyPath].frozenSnapshot()
    }

    /// A collection of plain values.
    @_disfavoredOverload
    public subscript<Collection: RealmCollection>(
        dynamicMember keyPath: KeyPath<Base, Collection>
    ) -> FrozenCollection<Collection, Collection.Element> where Collection.Element: Sendable {
        base[keyPath: keyPath].frozenSnapshot()
    }

    /// A map of objects.
    public subscript<Target: ObjectBase>(
        dynamicMember keyPath: KeyPath<Base, Map<String, Target?>>
    ) -> FrozenMap<Target?, Frozen<Target>?> {
        base[keyPath: keyPath].frozenSnapshot()
    }

    /// A map of plain values.
    @_disfavoredOverload
    public subscript<Value: Sendable>(
        dynamicMember keyPath: KeyPath<Base, Map<String, Value>>
    ) -> FrozenMap<Value, Value> {
        base[keyPath: keyPath].frozenSnapshot()
    }
}

extension ThreadConfined where Self: ObjectBase {
    /// Returns the object's current state as a value that can be sent to any thread, task or actor; inside a write transaction,
    /// its state before the transaction.
    ///
    /// - Complexity: O(1).
    /// - Precondition: That of ``ThreadConfined/freeze()``.
    public func frozenSnapshot() -> Frozen<Self> { Frozen(freezing: self) }
}

extension Frozen: Equatable where Base: Equatable {
    /// Returns a Boolean value that indicates whether two values are the same object in the same version.
    public static func == (a: Frozen, b: Frozen) -> Bool { a.held == b.held }
}

extension Frozen: Hashable where Base: Hashable {
    /// Hashes the values that ``==(_:_:)`` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(held) }
}

extension Frozen: Identifiable where Base: ObjectKeyIdentifiable {
    /// The identity of the object among those of its realm.
    public var id: UInt64 { held.id }
}

extension Frozen: CustomStringConvertible {
    /// A textual description of the object.
    public var description: String { String(describing: base) }
}

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
