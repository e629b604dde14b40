import Foundation
import KivoEngine

/// Declares a property of a ``Projection`` that shows the value of a key path of the root object.
///
///     class PersonProjection: Projection<Person> {
///         @Projected(\Person.firstName) var firstName
///     }
///
/// Reading reads the key path. It is a load from the realm's snapshot if the key path names one number, string or date of a
/// managed root. Assigning assigns through the key path. The key path may lead through links, embedded objects and computed
/// properties. Observers of the projection observe the properties of the root that it reads.
///
/// - Note: Assigning traps if the key path cannot be assigned to, and outside of a write transaction if the root is managed.
@propertyWrapper
public struct Projected<T: ObjectBase, Value> {
    @usableFromInline let keyPath: KeyPath<T, Value>
    /// The root's column, if the value can be loaded from there. Otherwise an invalid number, or the marker by which the
    /// projection's class locates the wrapper.
    @usableFromInline var column: UInt32

    /// Creates a property that shows the value of a key path of the root.
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

    /// The value of the property in its enclosing class.
    ///
    /// Inlined into the property's accessors like that of ``Persisted``, and for the same reasons.
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

    /// Reads the value through the key path. Not inlined, so that the property's accessors stay small.
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

/// A type-erased ``Projected`` wrapper.
protocol AnyProjected: LocatedWrapper {
    static var valueType: Any.Type { get }
    var projectedKeyPath: AnyKeyPath { get }
}

extension Projected {
    /// Returns the value of a column of the root's row. Returns nil if the row's address is stale, if there is no row, or if
    /// values of the type cannot be loaded directly.
    ///
    /// Reading through a key path costs ten times as much as a load, even for a single property. `Value` is compared with the
    /// types that can be loaded. Where it is known, as in the accessors of a property, the compiler reduces the comparisons to
    /// the load.
    @inlinable @inline(__always)
    static func load(_ root: T, _ column: Int) -> Value? {
        guard let columns = root.kivoRow.columns,
            root.kivoRow.isCurrent
        else { return nil }
        root.kivoCheckRead()
        let (data, slot) = (columns[column], root.kivoRow.slot)
        if Value.self == Int.self { return cast(Int.load(data, slot)) }
        if Value.self == String.self { return cast(String.load(data, slot)) }
        if Value.self == Double.self { return cast(Double.load(data, slot)) }
        if Value.self == Bool.self { return cast(Bool.load(data, slot)) }
        if Value.self == Date.self { return cast(Date.load(data, slot)) }
        if Value.self == Int64.self { return cast(Int64.load(data, slot)) }
        if Value.self == Int32.self { return cast(Int32.load(data, slot)) }
        if Value.self == UUID.self { return cast(UUID.load(data, slot)) }
        if Value.self == Int?.self { return cast(Int?.load(data, slot)) }
        if Value.self == String?.self { return cast(String?.load(data, slot)) }
        if Value.self == Double?.self { return cast(Double?.load(data, slot)) }
        if Value.self == Bool?.self { return cast(Bool?.load(data, slot)) }
        if Value.self == Date?.self { return cast(Date?.load(data, slot)) }
        return nil
    }

    /// Casts a value whose type has been found to be `Value`.
    @inlinable @inline(__always)
    static func cast<Loaded>(_ value: Loaded) -> Value { unsafeBitCast(value, to: Value.self) }
}

/// One projected property of a ``Projection`` class.
struct ProjectedProperty {
    let label: String
    let keyPath: AnyKeyPath
    /// The persisted paths that the key path reads, as names from the root on; empty if it reads no persisted property.
    let paths: [[String]]
    /// Whether the value is a collection. Observers are notified of its changes, but receive no values.
    let isCollection: Bool
    /// The offset of the wrapper's column number in the projection, in bytes.
    let offset: Int
    /// The root's column, if the value can be loaded from there.
    let column: UInt32?

    /// The key paths of the root, by name.
    var rootPaths: [String] { paths.map { $0.joined(separator: ".") } }

    /// Whether only properties of the root itself are read, and none of them is a collection.
    let readsOwnValues: Bool

    init(_ label: String, _ wrapper: any AnyProjected, at offset: Int, _ root: ClassInfo) {
        self.label = label
        self.offset = offset
        keyPath = wrapper.projectedKeyPath
        let type = Swift.type(of: wrapper).valueType
        isCollection =
            type is any ModelCollection.Type || type is any RealmCollectionBase.Type
            || type is any AnyProjectedCollection.Type
        let recorder = KeyPathRecorder.record(keyPath, root: root.type)
        paths = (recorder?.paths ?? []).map { root.persisted($0) }.filter { !$0.isEmpty }.uniqued()
        readsOwnValues = paths.allSatisfy {
            $0.count == 1 && root.property(named: $0[0])?.type.collection == .some(.none)
        }
        if paths.count == 1, paths[0].count == 1, let property = root.property(named: paths[0][0]),
            property.type.collection == .none, recorder?.isProperty(keyPath, of: root.type) == true
        {
            column = UInt32(property.column)
        } else {
            column = nil
        }
    }

    /// Returns the root's key paths to watch for a name that an observer gave, or nil if no path begins with that name.
    func watched(_ name: String) -> [String]? {
        let matches = rootPaths.filter { $0 == name || $0.hasPrefix(name + ".") }
        return matches.isEmpty ? nil : [name]
    }
}

extension ClassInfo {
    /// Returns the longest prefix of a path that leads through persisted properties.
    fileprivate func persisted(_ path: [String]) -> [String] {
        var names: [String] = []
        var info: ClassInfo? = self
        for name in path {
            guard let property = info?.property(named: name) else { break }
            names.append(name)
            info = property.type.target.map { Registry.info($0) }
        }
        return names
    }
}

extension Array where Element: Hashable {
    /// Returns the elements without repetitions, in order of their first occurrence.
    func uniqued() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
