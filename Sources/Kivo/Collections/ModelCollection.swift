import KivoObserving

/// A type-erased collection in a property of a model: a ``List``, a ``MutableSet`` or a ``Map``.
protocol ModelCollection: ChangesByItself, EditableCollection, ObservedSubject {
    static var kind: CollectionKind { get }
    /// The location of the collection, if it is managed; for a map, that of its keys.
    var reference: CollectionReference? { get }
    var isInvalidated: Bool { get }
    /// Returns the first elements, those of a map with their keys, ascending.
    func beginning(_ limit: Int) -> [(label: String?, element: Any?)]
    /// Makes an unmanaged collection a property of an object that was added; returns false if it is managed already.
    func become(managed owner: ObjectBase, _ property: PropertyInfo) -> Bool
}

extension ModelCollection {
    var kind: CollectionKind { Self.kind }

    package var form: CollectionForm? {
        switch kind {
        case .list: .list
        case .set: .set
        case .none, .map, .linkingObjects: nil
        }
    }

    /// The elements of a collection of objects, with the keys of a map, ascending.
    var objects: [(label: String?, object: ObjectBase?)] {
        beginning(elementCount).map { entry in
            (entry.label, flatten(entry.element).flatMap { persisted($0) as? ObjectBase })
        }
    }

    func trapWrongKind() -> Never { trap("A \(kind) is not edited in this way.") }
}

extension ObservedCollection where Self: RealmCollection {
    package var elementCount: Int { count }
    package var snapshotValue: Any { Array(self) }
    package func elements(at indices: [Int]) -> [Any] { indices.map { self[$0] } }
}

extension ModelCollection where Self: RealmCollection {
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

/// Lookup of collections in other instances of their realm, by the object to which they belong.
extension List {
    public var _handover: (Realm) -> List? {
        let handover = managed("pass on").handover
        return { realm in
            let reference = handover(realm.instance)
            return reference.isInvalidated ? nil : List(reference)
        }
    }
}

extension MutableSet {
    public var _handover: (Realm) -> MutableSet? {
        let handover = managed("pass on").handover
        return { realm in
            let reference = handover(realm.instance)
            return reference.isInvalidated ? nil : MutableSet(reference)
        }
    }
}

extension Map {
    public var _handover: (Realm) -> Map? {
        let references = managed("pass on")
        let (keys, values) = (references.keys.handover, references.values.handover)
        return { realm in
            let map = Map(keys: keys(realm.instance), values: values(realm.instance))
            return map.isInvalidated ? nil : map
        }
    }
}

extension LinkingObjects {
    public var _handover: (Realm) -> LinkingObjects? {
        let handover = LinkTarget.handover(managed("pass on"))
        return { realm in
            let target = handover(realm.instance)
            return target.isInvalidated ? nil : LinkingObjects(target)
        }
    }
}
