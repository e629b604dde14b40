import Foundation

/// A collection object in a property, without the type of its elements, that the proxies of key-value coding change in place.
package protocol EditableCollection: ObservedCollection {
    /// The form of the collection, or nil if the proxies do not change it.
    var form: CollectionForm? { get }
    /// Returns the member of a set that equals a value.
    func member(_ value: Any) -> Any?
    /// Makes an edit, as one change. Traps if the edit is for another kind of collection, or a value does not fit.
    func edit(_ edit: CollectionEdit)
}

package enum CollectionForm { case list, set }

/// An edit of a collection whose kind is known, but not the type of its elements.
package enum CollectionEdit {
    /// An insertion, removal or replacement of elements of a list at ascending positions.
    case elements(NSKeyValueChange, at: [Int], [Any])
    /// A replacement of all elements of a list.
    case allElements([Any])
    /// An operation of a set with other members.
    case members(NSKeyValueSetMutationKind, [Any])
}

/// Returns a value as a collection of a form, or nil if it is none.
func editable(_ value: Any?, _ form: CollectionForm) -> (any EditableCollection)? {
    guard let collection = value as? any EditableCollection, collection.form == form else { return nil }
    return collection
}
