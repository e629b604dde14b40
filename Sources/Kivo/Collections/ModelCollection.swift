/// A collection that is a property of a model, seen without the type of its elements: a ``List``, a ``MutableSet`` or a
/// ``Map``.
protocol ModelCollection: ChangesByItself {
    static var _kind: CollectionKind { get }
    /// Where the collection is, if it is managed; of a map, where its keys are.
    var reference: CollectionReference? { get }
    var isInvalidated: Bool { get }
    var elementCount: Int { get }
    /// The first elements, those of a map with their keys, ascending.
    func beginning(_ limit: Int) -> [(label: String?, element: Any?)]
    /// Makes an unmanaged collection that of an object that was added; false if it is managed already.
    func become(managed owner: ObjectBase, _ property: PropertyInfo) -> Bool
    /// The elements as they are now, as an array or a dictionary.
    var snapshotValue: Any { get }
    /// The elements at some positions; none of a map, which has no positions.
    func elements(at indices: [Int]) -> [Any]
    /// The member of a set that equals a value.
    func member(_ value: Any) -> Any?
    /// Carries out an edit, as one change. Traps if it is one of another kind of collection, or a value does not fit.
    func edit(_ edit: CollectionEdit)
}

/// What is done to a collection of which only the kind is known.
enum CollectionEdit {
    /// Inserts, removes or replaces elements of a list at ascending positions.
    case elements(NSKeyValueChange, at: [Int], [Any])
    /// Replaces all elements of a list.
    case allElements([Any])
    /// Carries out an operation of a set with other members.
    case members(NSKeyValueSetMutationKind, [Any])
}

extension ModelCollection {
    var kind: CollectionKind { Self._kind }

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

/// A value as a collection of a kind, if it is one.
func modelCollection(_ value: Any?, _ kind: CollectionKind) -> (any ModelCollection)? {
    guard let collection = value as? any ModelCollection, collection.kind == kind else { return nil }
    return collection
}

extension List: _EqualityMethods {}
extension MutableSet: _EqualityMethods {}
extension Map: _EqualityMethods {}
