import Foundation

/// The contents of a value that is given for a collection.
enum GivenElements {
    /// Returns the elements of any sequence. Returns nil for other values and for sequences that are no collections of elements:
    /// text, bytes, and dictionaries.
    static func elements(_ value: Any) -> [Any]? {
        if let array = value as? [Any] { return array }
        if value is String || value is Data || modelCollection(value, .map) != nil { return nil }
        if Mirror(reflecting: value).displayStyle == .dictionary { return nil }
        if cast(value, as: NSDictionary.self) != nil { return nil }
        if let elements = KeyValueCoding.elements(of: value) { return elements }
        func elements(_ sequence: some Swift.Sequence) -> [Any] { sequence.map { $0 as Any } }
        return (value as? any Swift.Sequence).map { elements($0) }
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
