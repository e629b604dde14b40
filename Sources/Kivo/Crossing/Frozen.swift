/// A frozen object, as a value that every thread, task and actor may have: `Sendable` by its type.
///
///     let dog = dog.frozenSnapshot()
///     Task.detached { print(dog.name, dog.owner?.name ?? "no owner", dog.friends.count) }
///
/// It reads like the object: properties give their values, links frozen objects, collections ``FrozenCollection`` and
/// ``FrozenMap``, all of one version, for good. Nothing of it can be assigned. Computed properties of the class can be read if
/// their type is `Sendable`; they run where they are read. What is neither `Sendable` nor an object or a collection is not a
/// member. Reading a property costs what it costs on the object, if the compiler knows the property.
///
/// It keeps its version of the data in memory as long as it, or anything that was read of it, is there.
@dynamicMemberLookup
public struct Frozen<Base: ThreadConfined>: @unchecked Sendable {
    // Proof of `Sendable`: `held` is frozen, which is safe to read on many threads at once, unless its class stores more in
    // an instance than its persisted properties. What `read` returns then is an instance of its own for each use.
    private let held: Base
    private let isShared: Bool

    /// The form of a value, which is frozen. Traps as its `freeze()` does.
    init(freezing value: Base) {
        held = value.freeze()
        isShared = (held as? ObjectBase)?.kivoContext.info.isRecyclable ?? true
    }

    /// The frozen object itself: what it is passed to must not pass it on to other threads.
    public var base: Base { isShared ? held : another }

    @inline(never)
    private var another: Base {
        guard let realm = held.realm, let value = held._handover(realm) else {
            trap("A frozen '\(Base.self)' is in its realm for good.")
        }
        return value
    }

    /// The live object of the current thread, queue or actor, or nil if it is gone there. See ``ThreadConfined/thaw()``.
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
    /// The object as it is now, as a value that can be sent to every thread, task and actor; inside of a write transaction, as
    /// it was before it. Traps as ``ThreadConfined/freeze()`` does. O(1).
    public func frozenSnapshot() -> Frozen<Self> { Frozen(freezing: self) }
}

extension Frozen: Equatable where Base: Equatable {
    /// Whether two values are the same object in the same version.
    public static func == (a: Frozen, b: Frozen) -> Bool { a.held == b.held }
}

extension Frozen: Hashable where Base: Hashable {
    /// Hashes what ``==(_:_:)`` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(held) }
}

extension Frozen: Identifiable where Base: ObjectKeyIdentifiable {
    /// What tells the object apart from others of its realm.
    public var id: UInt64 { held.id }
}

extension Frozen: CustomStringConvertible {
    /// The object in words.
    public var description: String { String(describing: base) }
}
