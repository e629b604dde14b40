import Foundation

/// A type whose values are stored, as themselves or as those of another type.
///
/// Generic code is constrained by the stored type: `where Value.PersistedType: MinMaxType` holds for numbers, for enums of
/// numbers, for types of your own that are mapped to numbers, and for the optionals of all these.
public protocol _HasPersistedType {
    /// The type of the stored values: the type itself, the raw type of an enum, or the stored type of a mapped type.
    associatedtype PersistedType: _HasPersistedType
    where PersistedType.PersistedType.PersistedType == PersistedType.PersistedType
}

/// A type whose values have a minimum and a maximum.
public protocol MinMaxType: _HasPersistedType where PersistedType: MinMaxType {}

/// A type whose values can be summed.
public protocol AddableType: _HasPersistedType where PersistedType: AddableType {}

/// A type whose values collections can be sorted by.
public protocol SortableType: _HasPersistedType where PersistedType: SortableType {}

/// The name of ``SortableType`` for sorting by key paths.
public typealias KeypathSortable = SortableType

/// Results for numbers can be requested as `NSNumber`: `let age: NSNumber? = dogs.max(ofProperty: "age")`.
extension NSNumber: _HasPersistedType, MinMaxType, AddableType {
    public typealias PersistedType = NSNumber
}

/// Minimum and maximum of dates can be requested as `NSDate`.
extension NSDate: _HasPersistedType, MinMaxType {
    public typealias PersistedType = NSDate
}
