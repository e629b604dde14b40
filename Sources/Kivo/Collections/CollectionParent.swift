import KivoEngine

/// The key-value observing side of a collection: the object that an unmanaged one is a property of, once that property
/// is observed, and observations of the collection itself.
///
/// Confined with the collection.
final class CollectionParent {
    private weak var object: ObjectBase?
    private var name = ""
    /// The observations of the collection itself.
    var listObservations: Observations?

    func set(_ object: ObjectBase, _ name: String) {
        self.object = object
        self.name = name
    }

    /// Carries out a change, telling key-value observers of the parent.
    func changing(_ kind: CollectionChangeKind, _ body: () -> Void) {
        guard let observations = object?.kivoObservations else { return body() }
        observations.changing(name, kind, body)
    }
}

/// A collection that can take the elements of another.
protocol AnyAssignableCollection: AnyObject {
    var parent: CollectionParent { get }
    /// Replaces the elements by those of a collection of the same type, or of an array.
    func assignAny(_ other: Any?)
    /// The elements as an array (a set's or map's too), as key-value observers see them.
    var snapshotValue: Any { get }
    /// Some elements, as key-value observers see them.
    func elements(at indices: [Int]) -> [Any]
}

/// A linking-objects collection, seen without its element type.
protocol AnyLinkingObjects {
    var originProperty: String { get }
}
