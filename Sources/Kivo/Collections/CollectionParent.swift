import Foundation
import KivoObserving

/// An object in a property that changes without an assignment to the property.
protocol ChangesByItself: AnyObject {
    /// The observers that are notified of its changes.
    var parent: CollectionParent { get }
}

/// The observer of a collection: of an unmanaged collection's changes, or of the collection itself.
protocol CollectionObserver: AnyObject {
    /// Performs a change of the collection that is the value of a column, and notifies the observers of the column.
    func changing(_ column: Int, _ kind: CollectionChangeKind, _ change: () -> Void)

    /// Ends the observer of a collection that is being torn down, on any thread.
    ///
    /// - Parameter reference: the collection's reference to the observer, of this type, which the callee releases.
    static func endWithSubject(_ reference: Unmanaged<AnyObject>)
}

/// The observers of a collection: for an unmanaged collection, that of the object whose property it is, once that property is
/// observed; and that of the collection itself.
///
/// Confined with the collection.
@usableFromInline
final class CollectionParent: EndsWithObservations {
    /// The observer of the object, which resets this reference when it ends. Not a weak reference, because that slows down
    /// reference counting of the object.
    @exclusivity(unchecked) private unowned(unsafe) var observer: (any CollectionObserver)?
    private var column = 0
    /// The observer of the collection itself.
    var ownObserver: (any CollectionObserver)?
    /// The recorder, if the collection was returned by a recording instance.
    var recorder: KeyPathRecorder?

    deinit { if let (type, own) = takeOwnObserver() { type.endWithSubject(own) } }

    /// Transfers ownership of the collection's own observer to the caller.
    private func takeOwnObserver() -> (any CollectionObserver.Type, Unmanaged<AnyObject>)? {
        guard let own = ownObserver.take() else { return nil }
        return (type(of: own), .passRetained(own))
    }

    /// Begins to report changes as changes of a column; nil ends that.
    func set(_ observer: (any CollectionObserver)?, _ column: Int) {
        self.observer = observer
        self.column = column
    }

    func observationsEnd() { set(nil, 0) }

    /// Makes a change and notifies key-value observers of the parent.
    @usableFromInline
    func changing(_ kind: CollectionChangeKind, _ body: () -> Void) {
        guard let observer else { return body() }
        observer.changing(column, kind, body)
    }
}

/// The contents of values of any type that represent collections.
extension CollectionContents {
    /// Returns the elements of any sequence. Returns nil for other values and for sequences that are no collections of elements:
    /// text, bytes, and dictionaries.
    static func elements(ofSequence value: Any) -> [Any]? {
        if let array = value as? [Any] { return array }
        if value is String || value is Data || modelCollection(value, .map) != nil { return nil }
        if Mirror(reflecting: value).displayStyle == .dictionary { return nil }
        if cast(value, as: NSDictionary.self) != nil { return nil }
        if let elements = elements(of: value) { return elements }
        func all(_ sequence: some Swift.Sequence) -> [Any] { sequence.map { $0 as Any } }
        return (value as? any Swift.Sequence).map { all($0) }
    }

    /// Returns the entries of a dictionary or a map, in ascending order of their keys; nil for other values.
    static func entries(_ value: Any) -> [(key: String, value: Any?)]? {
        let entries: [(key: String, value: Any?)]
        if let map = modelCollection(value, .map) {
            entries = map.beginning(map.elementCount).map { ($0.label!, $0.element) }
        } else if let dictionary = value as? [String: Any] {
            entries = dictionary.map { ($0, $1) }
        } else if let dictionary = value as? [String: Any?] {
            entries = dictionary.map { ($0, $1) }
        } else {
            return nil
        }
        return entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }
}

/// Returns a value in the form of Foundation's collections: the stored form, the contents of a value of any type, and the null
/// marker for nil.
package func bridgedForm(_ any: Any) -> Any {
    var value = flatten(any).map(storedForm)
    if let mixed = value as? AnyRealmValue { value = AnyRealmValue.toAny(mixed) }
    return value ?? NSNull()
}
