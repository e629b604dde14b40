import KivoEngine

/// Declares a property of a ``Projection`` as what a key path of the root object leads to.
///
///     class PersonProjection: Projection<Person> {
///         @Projected(\Person.firstName) var firstName
///     }
///
/// Reading reads the key path, and is a load from the realm's snapshot where it names one number, string or date of a
/// managed root. Assigning assigns through the key path. The key path may lead through links, embedded objects and computed
/// properties; what it reads of the root is what observers of the projection listen to.
///
/// - Note: Assigning traps if the key path cannot be assigned to, and outside of a write transaction if the root is managed.
@propertyWrapper
public struct Projected<T: ObjectBase, Value> {
    @usableFromInline let keyPath: KeyPath<T, Value>
    /// The root's column, if the value can be loaded from there. Else a number that is none, or the pattern which the
    /// projection's class looks for.
    @usableFromInline var column: UInt32

    /// A property that shows what a key path of the root leads to.
    public init(_ projectedKeyPath: KeyPath<T, Value>) {
        keyPath = projectedKeyPath
        column = PersistedColumn.unbound
    }

    /// Unavailable: projected properties belong to classes derived from ``Projection``.
    @available(*, unavailable, message: "@Projected is for properties of Projection classes")
    public var wrappedValue: Value {
        get { trap("unavailable") }
        set { trap("unavailable") }
    }

    /// The property, as its class sees it.
    ///
    /// Inlined into the property's accessors, as that of ``Persisted`` is, and for the same reasons.
    public static subscript<Owner: Projection<T>>(
        _enclosingInstance owner: Owner, wrapped wrapped: ReferenceWritableKeyPath<Owner, Value>,
        storage storage: ReferenceWritableKeyPath<Owner, Self>
    ) -> Value {
        @inlinable @inline(__always)
        get {
            let column = owner[keyPath: storage].column
            if PersistedColumn.isDirect(column), let value = load(owner.rootObject, Int(column)) {
                return value
            }
            return read(owner.rootObject, owner[keyPath: storage].keyPath)
        }
        @inlinable @inline(__always)
        set { assign(newValue, owner, owner[keyPath: storage].keyPath) }
    }

    /// The value by the key path. Not inlined, so that the property's accessors stay small.
    @inline(never) @usableFromInline
    static func read(_ root: T, _ keyPath: KeyPath<T, Value>) -> Value { root[keyPath: keyPath] }

    @inline(never) @usableFromInline
    static func assign(_ value: Value, _ projection: Projection<T>, _ keyPath: KeyPath<T, Value>) {
        guard let writable = keyPath as? ReferenceWritableKeyPath<T, Value> else {
            let info = ProjectionInfo.of(projection)
            trap(
                """
                Property '\(info.name).\(info.label(of: keyPath))' cannot be assigned: it projects a key path of class \
                '\(T.className())' that can only be read.
                """)
        }
        projection.rootObject[keyPath: writable] = value
    }
}

extension Projected: AnyProjected {
    static var columnOffset: Int { MemoryLayout<Self>.offset(of: \.column)! }
    static var valueType: Any.Type { Value.self }
    var projectedKeyPath: AnyKeyPath { keyPath }
}

/// A ``Projected`` wrapper, seen without its types.
protocol AnyProjected: LocatedWrapper {
    static var valueType: Any.Type { get }
    var projectedKeyPath: AnyKeyPath { get }
}
