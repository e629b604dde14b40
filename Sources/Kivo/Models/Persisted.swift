import KivoEngine

/// A property wrapper that makes a property of an ``Object`` or ``EmbeddedObject`` part of the model.
///
///     class Dog: Object {
///         @Persisted(primaryKey: true) var tag = 0
///         @Persisted var name = ""
///         @Persisted var age: Int?
///         @Persisted var friends: List<Dog>
///     }
///
/// Reading and writing an unmanaged object's property costs what a stored property costs. On a managed object, a
/// read is a load from the realm's snapshot and a write a store into the open write transaction.
///
/// Without a default a property is nil, 0, false, empty, the current time (`Date`) or a fresh random value (`UUID`,
/// ``ObjectId``).
///
/// - Note: Assigning to a managed object outside of a write transaction, or using it on another thread, traps. Release
///   builds leave out one check: see <doc:ThreadsAndVersions>.
@propertyWrapper
public struct Persisted<Value> {
    // All operations are for values that conform to `_Persistable`. The type itself accepts any value, so that
    // `Persisted+Refusals.swift` can name the alternative in the compiler's error.

    /// The value of an unmanaged object, or the cached collection of a managed one; nil until first used.
    @usableFromInline var stored: Value?
    /// The property's column once the object is bound to a class; before that, a pattern by which the registry finds the wrapper.
    @usableFromInline var column: UInt32

    /// Unavailable: persisted properties belong to classes derived from ``Object`` or ``EmbeddedObject``.
    @available(*, unavailable, message: "@Persisted is for properties of Object and EmbeddedObject classes")
    public var wrappedValue: Value {
        get { trap("unavailable") }
        set { trap("unavailable") }
    }

    /// Creates a property with the default value of its type.
    @inlinable
    public init() where Value: _Persistable {
        stored = Value._layout.type.isPlain ? Value._layout.type.makeDefault() : nil
        column = PersistedColumn.unbound
    }

    /// Creates a property with a default value.
    @inlinable
    public init(wrappedValue: Value) where Value: _Persistable {
        stored = wrappedValue
        column = PersistedColumn.unbound
    }

    /// Creates a property with declarations besides its type and default.
    @inlinable
    init(_ stored: Value?, isIndexed: Bool = false, isPrimaryKey: Bool = false) where Value: _Persistable {
        self.stored = stored
        column =
            PersistedColumn.unbound | (isIndexed ? PersistedColumn.indexed : 0)
            | (isPrimaryKey ? PersistedColumn.primary : 0)
    }

    /// Accesses the property in its object.
    ///
    /// Inlined into the property's accessors, where the key path of the storage is a constant and becomes a field access. It is never
    /// passed on: one that escapes would be created on every call, and would prevent the compiler from proving that the field's
    /// accesses do not overlap. The key path of the property itself is passed on in closures that capture nothing else, which
    /// create it when they are called.
    public static subscript<Owner: ObjectBase>(
        _enclosingInstance owner: Owner, wrapped wrapped: ReferenceWritableKeyPath<Owner, Value>,
        storage storage: ReferenceWritableKeyPath<Owner, Self>
    ) -> Value where Value: _Persistable {
        @inlinable @inline(__always)
        get {
            guard let columns = owner.kivoRow.columns else {
                if Value._layout.type.isPlain { return owner[keyPath: storage].stored.unsafelyUnwrapped }
                if let value = owner[keyPath: storage].stored { return value }
                let value = Value._layout.type.makeDefault()
                owner[keyPath: storage].stored = value
                return value
            }
            let column = PersistedColumn.index(owner[keyPath: storage].column)
            if Value._layout.type.isScalar {
                if owner.kivoRow.isCurrent {
                    owner.kivoCheckRead()
                    if !Value._layout.type.isTagged {
                        return Value._layout.type.load(columns[column], owner.kivoRow.slot)
                    }
                    if let value = Value._layout.type.loadTagged(columns[column], owner.kivoRow.slot) {
                        return value
                    }
                }
                return relocated(owner, column) { wrapped }
            }
            if Value._layout.type.isTagged,
                owner.kivoRow.isCurrent,
                let value = Value._layout.type.loadTagged(columns[column], owner.kivoRow.slot)
            {
                owner.kivoCheckRead()
                return value
            }
            if Value._layout.type.isCached, let cached = owner[keyPath: storage].stored {
                if owner.kivoState.contains(.tracked) { owner.kivoNoteRead(column: column) { wrapped } }
                return cached
            }
            let value = read(owner, column) { wrapped }
            if Value._layout.type.isCached, owner.isKeepingCollections {
                owner[keyPath: storage].stored = value
            }
            return value
        }
        @inlinable @inline(__always)
        set {
            if owner.kivoState.isEmpty {
                if !Value._layout.type.isScalar { owner.kivoHoldsObjects = true }
                owner[keyPath: storage].stored =
                    Value._layout.type.isCached
                    ? Value._layout.type.adopt(newValue, owner[keyPath: storage].stored) : newValue
                return
            }
            if assign(newValue, owner, owner[keyPath: storage].column) { return }
            if Value._layout.type.isCached,
                Value._layout.type.replace(newValue, owner[keyPath: storage].stored)
            {
                return
            }
            let isOpen = ObservedAssignment.begin(owner, owner[keyPath: storage].column)
            if !Value._layout.type.isScalar { owner.kivoHoldsObjects = true }
            owner[keyPath: storage].stored =
                Value._layout.type.isCached ? Value._layout.type.adopt(newValue, nil) : newValue
            ObservedAssignment.end(owner, owner[keyPath: storage].column, isOpen)
        }
    }
}

extension Persisted where Value: _Persistable {
    /// Writes a property, unless it is one of an unobserved unmanaged object. Returns false if the caller has to write it.
    /// Specialised with the class, but not inlined, so that the property's accessors stay small enough to be inlined.
    @inlinable @inline(never)
    static func assign(_ value: Value, _ owner: ObjectBase, _ column: UInt32) -> Bool {
        if Value._layout.type.isConverted { return Value._layout.type.assign(value, owner, column) }
        if Value._layout.type.isScalar, let columns = owner.kivoRow.columns, PersistedColumn.isDirect(column)
        {
            let reader = owner.kivoRow.reader.unsafelyUnwrapped
            owner.kivoCheckThread()
            if owner.kivoRow.generation == reader.pointee.generation {
                let data = columns[PersistedColumn.index(column)]
                if ColumnBits.owner(data) == owner.kivoRow.writer,
                    Value._layout.type.store(value, data, owner.kivoRow.slot)
                {
                    reader.pointee.mutations &+= 1
                    return true
                }
                if owner.kivoState == [.managed, .observed],
                    ColumnBits.owner(data) == reader.pointee.writer, ObservedAssignment.isAlone(owner),
                    Value._layout.type.store(value, data, owner.kivoRow.slot)
                {
                    reader.pointee.mutations &+= 1
                    ObservedAssignment.end(owner, column, false)
                    return true
                }
            }
        }
        return write(value, owner, PersistedColumn.index(column))
    }

    /// Calls ``read(_:_:_:)``. Specialised with the class: a value in a register costs the fast path no stack frame.
    @inlinable @inline(never)
    static func relocated(_ owner: ObjectBase, _ column: Int, _ property: () -> AnyKeyPath?) -> Value {
        read(owner, column, property)
    }

    /// Reads a managed property if that takes more than a load.
    @inline(never) @usableFromInline
    static func read(_ owner: ObjectBase, _ column: Int, _ property: () -> AnyKeyPath?) -> Value {
        if !owner.kivoState.isDisjoint(with: [.recording, .tracked]) {
            if owner.kivoState.contains(.recording) {
                if let property = property() { owner.kivoRecorder?.note(property) }
                return Value._access.type.record(owner, column)
            }
            owner.kivoNoteRead(column: column, property)
            if !owner.isManaged { return unmanaged(owner, column) }
        }
        if owner.kivoRow.generation != owner.kivoRow.reader?.pointee.generation {
            owner.kivoInstance?.evictIfDue()
        }
        owner.locateOrTrap()
        return Value._access.type.get(owner, column)
    }

    /// Returns the value of an unmanaged object whose reads are recorded.
    private static func unmanaged(_ owner: ObjectBase, _ column: Int) -> Value {
        let address = Registry.info(type(of: owner)).property(column: column).address(in: owner)
        let stored = address.assumingMemoryBound(to: Value?.self)
        // The value is the wrapper's first field.
        if let value = stored.pointee { return value }
        let value = Value._layout.type.makeDefault()
        stored.pointee = value
        return value
    }

    /// Writes a property if that takes more than a store: it is managed, observed or indexed, or the write is misuse. Returns
    /// false for an observed unmanaged object, which the caller has to write.
    @inline(never) @usableFromInline
    static func write(_ value: Value, _ owner: ObjectBase, _ column: Int) -> Bool {
        if owner.isManaged {
            Value._access.type.set(value, owner, column)
            return true
        }
        return owner.kivoState.contains(.recording)
    }
}

extension Persisted where Value: _Persistable & _Indexable {
    /// Creates a property whose values are indexed, so that queries for equality do not scan.
    @inlinable
    public init(indexed: Bool) {
        self.init(Value._layout.type.isPlain ? Value._layout.type.makeDefault() : nil, isIndexed: indexed)
    }

    /// Creates a property with a default value whose values are indexed, so that queries for equality do not scan.
    @inlinable
    public init(wrappedValue: Value, indexed: Bool) {
        self.init(wrappedValue, isIndexed: indexed)
    }
}

extension Persisted where Value: _Persistable & _PrimaryKey {
    /// Creates the primary key of the class, whose value identifies an object in a realm.
    @inlinable
    public init(primaryKey: Bool) {
        self.init(
            Value._layout.type.isPlain ? Value._layout.type.makeDefault() : nil, isPrimaryKey: primaryKey)
    }

    /// Creates the primary key of the class, with a default value. Its value identifies an object in a realm.
    @inlinable
    public init(wrappedValue: Value, primaryKey: Bool) {
        self.init(wrappedValue, isPrimaryKey: primaryKey)
    }
}

extension Persisted where Value: PersistableEnum, Value.RawValue: _Indexable {
    /// Creates a property of an enum whose values are indexed, so that queries for equality do not scan.
    public init(indexed: Bool) {
        self.init(nil, isIndexed: indexed)
    }

    /// Creates a property of an enum with a default value whose values are indexed, so that queries for equality do not scan.
    public init(wrappedValue: Value, indexed: Bool) {
        self.init(wrappedValue, isIndexed: indexed)
    }
}

extension Persisted where Value: PersistableEnum, Value.RawValue: _PrimaryKey {
    /// Creates the primary key of the class, of an enum type. Its value identifies an object in a realm.
    public init(primaryKey: Bool) {
        self.init(nil, isPrimaryKey: primaryKey)
    }

    /// Creates the primary key of the class, of an enum type and with a default value. Its value identifies an object in a realm.
    public init(wrappedValue: Value, primaryKey: Bool) {
        self.init(wrappedValue, isPrimaryKey: primaryKey)
    }
}

extension Persisted where Value: _Persistable {
    /// Creates a property of an optional enum whose values are indexed, so that queries for equality do not scan.
    public init<Wrapped: PersistableEnum>(wrappedValue: Value = nil, indexed: Bool)
    where Value == Wrapped?, Wrapped.RawValue: _Indexable {
        self.init(wrappedValue, isIndexed: indexed)
    }

    /// Creates the primary key of the class, of an optional enum type. Its value identifies an object in a realm.
    public init<Wrapped: PersistableEnum>(wrappedValue: Value = nil, primaryKey: Bool)
    where Value == Wrapped?, Wrapped.RawValue: _PrimaryKey {
        self.init(wrappedValue, isPrimaryKey: primaryKey)
    }
}

// Declared with the type, so that linkers keep the conformance; see `WrapperLocator`.
extension Persisted: LocatedWrapper, AnyPersisted where Value: _Persistable {}

/// Indexes and primary keys of mapped types follow the stored type.
extension Persisted where Value: _CustomPersistable, Value.PersistedType: _Indexable {
    /// Creates a property of a mapped type whose stored values are indexed, so that queries for equality do not scan.
    public init(indexed: Bool) {
        self.init(nil, isIndexed: indexed)
    }

    /// Creates a property of a mapped type with a default value whose stored values are indexed, so that queries for equality do
    /// not scan.
    public init(wrappedValue: Value, indexed: Bool) {
        self.init(wrappedValue, isIndexed: indexed)
    }
}

extension Persisted where Value: _CustomPersistable, Value.PersistedType: _PrimaryKey {
    /// Creates the primary key of the class, of a mapped type. Its stored value identifies an object in a realm.
    public init(primaryKey: Bool) {
        self.init(nil, isPrimaryKey: primaryKey)
    }

    /// Creates the primary key of the class, of a mapped type and with a default value. Its stored value identifies an object in
    /// a realm.
    public init(wrappedValue: Value, primaryKey: Bool) {
        self.init(wrappedValue, isPrimaryKey: primaryKey)
    }
}

extension Persisted where Value: _Persistable {
    /// Creates a property of an optional mapped type whose stored values are indexed, so that queries for equality do not scan.
    public init<Wrapped: _CustomPersistable>(wrappedValue: Value = nil, indexed: Bool)
    where Value == Wrapped?, Wrapped.PersistedType: _Indexable {
        self.init(wrappedValue, isIndexed: indexed)
    }

    /// Creates the primary key of the class, of an optional mapped type. Its stored value identifies an object in a realm.
    public init<Wrapped: _CustomPersistable>(wrappedValue: Value = nil, primaryKey: Bool)
    where Value == Wrapped?, Wrapped.PersistedType: _PrimaryKey {
        self.init(wrappedValue, isPrimaryKey: primaryKey)
    }
}
