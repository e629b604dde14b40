import Foundation

/// A collection without the type of its elements.
protocol UntypedElements {
    /// The elements; the values of a map.
    var codedElements: [Any] { get }
}

/// The contents of values of any type that represent collections.
enum CollectionContents {
    /// Returns the elements of an array, a set or a collection; returns nil for other values.
    static func elements(of value: Any?) -> [Any]? {
        switch flatten(value) {
        // Includes the proxies of key-value coding, which would be empty if they were cast to a Swift set.
        case let collection as any UntypedElements: collection.codedElements
        case let array as [Any]: array
        case let set as Set<AnyHashable>: set.map(\.base)
        case let set as NSSet: set.allObjects
        default: nil
        }
    }

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
