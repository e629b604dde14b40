import KivoEngine

/// A view of an object that shows some of its properties, under names and in forms of its own.
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
/// A projection holds its root object and nothing of its own: reading reads the root, assigning assigns to it. It belongs to
/// the root's thread or queue. `realm.objects(PersonProjection.self)` are the objects of the root's class as projections;
/// predicates and sort orders name properties of the root.
///
/// The class is looked at once, with a mirror over an instance; projections that a program fetches are made by
/// ``init(projecting:)``.
///
/// From the reference page "React to Changes", "React to Changes to a Class Projection".
open class Projection<Root: ObjectBase>: ProjectionObservable, RealmFetchable {
    public typealias PersistedType = Root

    /// The object that the projection shows.
    public final let rootObject: Root

    /// A projection of an object, managed or not. O(projected properties).
    public required init(projecting object: Root) {
        rootObject = object
        ProjectionInfo.of(self).bind(self, to: object)
    }

    /// The projected properties in words: what each is a projection of, and its value.
    open var description: String { ProjectionInfo.of(self).description(self) }

    /// Whether two projections are of the same row of the same realm, or their roots are equal; see ``ObjectBase/==(_:_:)``.
    public static func == (a: Projection, b: Projection) -> Bool {
        a.rootObject == b.rootObject || a.rootObject.isSameRow(as: b.rootObject)
    }

    /// Hashes what tells the root apart: its primary key, or its row.
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
    /// The realm of the root; nil while that is unmanaged.
    public final var realm: Realm? { rootObject.realm }
    /// Whether the root was deleted or its realm invalidated.
    public final var isInvalidated: Bool { rootObject.isInvalidated }
    /// Whether the root is of a frozen realm.
    public final var isFrozen: Bool { rootObject.isFrozen }
    /// The projection of the root as it is now, for use on any thread; inside of a write transaction, as it was before it.
    /// Traps if the root is unmanaged, invalid, or was created in the open transaction.
    public final func freeze() -> Self { Self(projecting: rootObject.freeze()) }
    /// The projection of the live root of the current thread, or nil if that is gone there. Traps if the root is unmanaged.
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
    public static var _elementKind: ElementKind { .link }
    public static func _element(_ cell: Cell, _ context: CollectionContext) -> Self {
        Self(projecting: Root._element(cell, context))
    }
    public static func _loadElement(_ address: UnsafeMutableRawPointer, _ context: CollectionContext) -> Self
    {
        Self(projecting: Root._loadElement(address, context))
    }
    public final func _elementCell(_ context: CollectionContext) -> Cell { rootObject._elementCell(context) }
    public static func _describeElement(_ type: inout DeclaredType) {
        trap(
            "A persisted collection cannot hold projections ('\(Self.self)'): let it hold objects of class '\(className())'."
        )
    }
    public static func _elementFromAny(_ any: Any?, _ context: CollectionContext) -> Self? {
        flatten(any) as? Self
    }
}
