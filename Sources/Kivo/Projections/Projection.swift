import Foundation
import KivoEngine

/// A view of an object that shows some of its properties, under other names and in other forms.
///
///     class Person: Object {
///         @Persisted var firstName = ""
///         @Persisted var lastName = ""
///         @Persisted var address: Address?
///         @Persisted var friends: List<Person>
///     }
///
///     class PersonProjection: Projection<Person> {
///         @Projected(\Person.firstName) var firstName
///         @Projected(\Person.lastName.localizedUppercase) var lastNameCaps
///         @Projected(\Person.address?.city) var homeCity
///         @Projected(\Person.friends.projectTo.firstName) var firstFriendsName: ProjectedCollection<String>
///     }
///
/// A projection stores only its root object: reading reads the root, and assigning assigns to it. It is confined to the root's
/// thread or queue. `realm.objects(PersonProjection.self)` returns the objects of the root's class as projections. Predicates and
/// sort orders name properties of the root.
///
/// The class is inspected once, with a mirror over an instance. Projections that the app fetches are created by
/// ``init(projecting:)``.
///
/// From realm-swift's page "React to Changes", "React to Changes to a Class Projection".
nonisolated open class Projection<Root: ObjectBase>: ProjectionObservable, RealmFetchable {
    public typealias PersistedType = Root

    /// The object that the projection shows.
    public final let rootObject: Root

    /// Creates a projection of a managed or unmanaged object.
    ///
    /// - Complexity: O(projected properties).
    public required init(projecting object: Root) {
        rootObject = object
        ProjectionInfo.of(self).bind(self, to: object)
    }

    /// A textual description of the projected properties: the name, the root's key path and the value of each.
    open var description: String { ProjectionInfo.of(self).description(self) }

    /// Returns a Boolean value that indicates whether two projections show the same row of the same realm, or their roots are
    /// equal; see ``ObjectBase/==(_:_:)``.
    public static func == (a: Projection, b: Projection) -> Bool {
        a.rootObject == b.rootObject || a.rootObject.isSameRow(as: b.rootObject)
    }

    /// Hashes the identity of the root: its primary key, or its row.
    public final func hash(into hasher: inout Hasher) {
        if rootObject.kivoInfo.primaryKey == nil {
            hasher.combine(rootObject.kivoIdentity)
        } else {
            hasher.combine(rootObject)
        }
    }
}

extension Projection: CustomStringConvertible {}

extension Projection: ThreadConfined {
    /// The realm of the root, or nil while the root is unmanaged.
    public final var realm: Realm? { rootObject.realm }
    /// A Boolean value that indicates whether the root was deleted or its realm invalidated.
    public final var isInvalidated: Bool { rootObject.isInvalidated }
    /// A Boolean value that indicates whether the root belongs to a frozen realm.
    public final var isFrozen: Bool { rootObject.isFrozen }
    /// Returns a projection of the root's current state, for use on any thread; inside a write transaction, of its state before
    /// the transaction.
    ///
    /// - Precondition: The root is managed and valid, and was not created in the open transaction.
    public final func freeze() -> Self { Self(projecting: rootObject.freeze()) }
    /// Returns the projection of the live root in the realm of the current thread, or nil if the root no longer exists there.
    ///
    /// - Precondition: The root is managed.
    public final func thaw() -> Self? { rootObject.thaw().map { Self(projecting: $0) } }
}

/// Projections as elements of results.
extension Projection {
    /// The name of the root's class in a realm.
    public static func className() -> String { Root.className() }
    public static var _fetchedClass: ObjectBase.Type { Root.self }
    public final var _fetchedObject: ObjectBase { rootObject }
    public static var _observedKeyPaths: [String]? { ProjectionInfo.of(self).watchedPaths(nil) }

    public static func _of(_ accessor: AnyObject) -> Self {
        Self(projecting: unsafeDowncast(accessor, to: Root.self))
    }
    public static func _element(_ cell: _ElementCell, _ context: CollectionContext) -> Self {
        Self(projecting: Root._element(cell, context))
    }
    public static func _loadElement(_ address: UnsafeMutableRawPointer, _ context: CollectionContext) -> Self
    {
        Self(projecting: Root._loadElement(address, context))
    }
    public final func _elementCell(_ context: CollectionContext) -> _ElementCell {
        rootObject._elementCell(context)
    }
    public typealias _Base = Projection<Root>
    public static var _access: _Access<Projection<Root>> { _Access(self) }
}

extension Projection: NoPropertyAccess, NoOptionalAccess {
    typealias Accessed = Projection<Root>

    static var elementKind: ElementKind { .link }
    static func element(_ cell: Cell, _ context: CollectionContext) -> Projection {
        _element(_ElementCell(cell), context)
    }
    static func loadElement(_ address: UnsafeMutableRawPointer, _ context: CollectionContext) -> Projection {
        _loadElement(address, context)
    }
    static func elementCell(_ element: Projection, _ context: CollectionContext) -> Cell {
        element.rootObject.cell(in: context)
    }
    static func describeElement(_ type: inout DeclaredType) {
        trap(
            "A persisted collection cannot hold projections ('\(Self.self)'): let it hold objects of class '\(className())'."
        )
    }
    static func elementFromAny(_ any: Any?) -> Projection? { flatten(any) as? Self }
}

/// Finding a projection in another instance of its realm, by its root.
extension ThreadConfined where Self: ProjectionObservable {
    public var _handover: (Realm) -> Self? {
        let (root, make) = (rootObject._handover, type(of: self))
        return { realm in root(realm).map { make.init(projecting: $0) } }
    }
}

extension ObjectKeyIdentifiable where Self: ProjectionObservable {
    /// The number of the root. It is equal for all projections and accessors of a row, live and frozen, in all versions.
    public var id: UInt64 { rootObject.kivoIdentity }
}

extension Projection {
    /// Registers a key-value observer with the root, for the key path that a projected property shows. Notifications name the
    /// root and its key path.
    ///
    /// - Parameters:
    ///   - observer: the observer to notify; held weakly.
    ///   - keyPath: the name of a projected property, or a path that begins with one.
    ///   - options: the values and the calls that the observer wants.
    ///   - context: passed with each notification; it also distinguishes registrations.
    ///
    /// See ``KeyValueObservable/addObserver(_:forKeyPath:options:context:)``.
    ///
    /// - Precondition: There is a property of that name, and it shows one property of the root. If it shows several, observe
    ///   those of the root itself.
    public final func addObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String,
        options: NSKeyValueObservingOptions = [], context: UnsafeMutableRawPointer?
    ) {
        rootObject.addObserver(observer, forKeyPath: rootKeyPath(keyPath), options: options, context: context)
    }

    /// Registers a key-value observer like ``addObserver(_:forKeyPath:options:context:)``, without a context.
    public final func addObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = []
    ) { rootObject.addObserver(observer, forKeyPath: rootKeyPath(keyPath), options: options) }

    /// Removes the last registration of an observer for a projected property, with any context.
    ///
    /// - Precondition: There is a registration of the observer.
    public final func removeObserver(_ observer: any KeyValueObserver, forKeyPath keyPath: String) {
        rootObject.removeObserver(observer, forKeyPath: rootKeyPath(keyPath))
    }

    /// Removes a registration of an observer for a projected property with a context.
    ///
    /// - Precondition: There is a registration of the observer.
    public final func removeObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?
    ) {
        rootObject.removeObserver(observer, forKeyPath: rootKeyPath(keyPath), context: context)
    }

    /// Returns the root's key path that a projected property shows, followed by the rest of the given key path.
    private func rootKeyPath(_ keyPath: String) -> String {
        let info = ProjectionInfo.of(self)
        let parts = keyPath.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
        guard let property = info.property(labelled: parts[0]), property.paths.count == 1 else {
            trap(
                """
                Projection '\(info.name)' has no property '\(parts[0])' that shows one key path of class \
                '\(Root.className())', so it cannot be observed by name.
                """)
        }
        // Key-value observing leads to collections, but not into them.
        let path = property.isCollection ? property.paths[0][0] : property.rootPaths[0]
        return ([path] + parts.dropFirst()).joined(separator: ".")
    }
}
