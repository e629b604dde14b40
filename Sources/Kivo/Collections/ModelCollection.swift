/// A type-erased collection in a property of a model: a ``List``, a ``MutableSet`` or a ``Map``.
protocol ModelCollection: ChangesByItself {
    static var kind: CollectionKind { get }
    /// The location of the collection, if it is managed; for a map, that of its keys.
    var reference: CollectionReference? { get }
    var isInvalidated: Bool { get }
    var elementCount: Int { get }
    /// Returns the first elements, those of a map with their keys, ascending.
    func beginning(_ limit: Int) -> [(label: String?, element: Any?)]
    /// Makes an unmanaged collection a property of an object that was added; returns false if it is managed already.
    func become(managed owner: ObjectBase, _ property: PropertyInfo) -> Bool
    /// The current elements, as an array or a dictionary.
    var snapshotValue: Any { get }
    /// Returns the elements at some positions; none for a map, which has no positions.
    func elements(at indices: [Int]) -> [Any]
    /// Returns the member of a set that equals a value.
    func member(_ value: Any) -> Any?
    /// Makes an edit, as one change. Traps if the edit is for another kind of collection, or a value does not fit.
    func edit(_ edit: CollectionEdit)
}

/// An edit of a collection whose kind is known, but not the type of its elements.
enum CollectionEdit {
    /// An insertion, removal or replacement of elements of a list at ascending positions.
    case elements(NSKeyValueChange, at: [Int], [Any])
    /// A replacement of all elements of a list.
    case allElements([Any])
    /// An operation of a set with other members.
    case members(NSKeyValueSetMutationKind, [Any])
}

extension ModelCollection {
    var kind: CollectionKind { Self.kind }

    /// The elements of a collection of objects, with the keys of a map, ascending.
    var objects: [(label: String?, object: ObjectBase?)] {
        beginning(elementCount).map { entry in
            (entry.label, flatten(entry.element).flatMap { persisted($0) as? ObjectBase })
        }
    }

    func trapWrongKind() -> Never { trap("A \(kind) is not edited in this way.") }
}

extension ModelCollection where Self: RealmCollection {
    var elementCount: Int { count }
    var snapshotValue: Any { Array(self) }
    func elements(at indices: [Int]) -> [Any] { indices.map { self[$0] } }

    func beginning(_ limit: Int) -> [(label: String?, element: Any?)] {
        if limit >= count { return map { (nil, $0) } }
        return (0..<limit).map { (nil, self[$0]) }
    }
}

/// Returns a value as a collection of a kind, or nil if it is none.
func modelCollection(_ value: Any?, _ kind: CollectionKind) -> (any ModelCollection)? {
    guard let collection = value as? any ModelCollection, collection.kind == kind else { return nil }
    return collection
}

extension List: _EqualityMethods {}
extension MutableSet: _EqualityMethods {}
extension Map: _EqualityMethods {}
