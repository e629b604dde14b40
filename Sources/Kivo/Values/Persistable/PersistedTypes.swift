import Foundation

/// A type whose values are stored, as themselves or as those of another type.
///
/// Generic code is constrained by the stored type: `where Value.PersistedType: MinMaxType` holds for numbers, for enums of
/// numbers, for types of your own that are mapped to numbers, and for the optionals of all these.
public protocol _HasPersistedType {
    /// The type of the stored values: the type itself, the raw type of an enum, or the stored type of a mapped type.
    associatedtype PersistedType: _HasPersistedType
    where PersistedType.PersistedType.PersistedType == PersistedType.PersistedType
    /// Whether the app's code converts between values and stored values. That code may have any side effect: it runs before
    /// addresses are looked up and before collections are edited, never in between.
    static var _isConverted: Bool { get }
}

extension _HasPersistedType {
    @inlinable public static var _isConverted: Bool { false }
}

/// A type of properties and of elements of collections, as described in a schema.
public protocol _RealmSchemaDiscoverable {
    /// The type in the schema; for collections, the type of their elements.
    static var _rlmType: PropertyType { get }
    /// Whether values, or elements, can be nil.
    static var _rlmOptional: Bool { get }
}

extension _RealmSchemaDiscoverable {
    public static var _rlmType: PropertyType { PropertyType(_declared) }
    public static var _rlmOptional: Bool { _declared.isOptional }

    private static var _declared: DeclaredType {
        var type = DeclaredType()
        if let property = self as? any _Persistable.Type {
            property._describe(&type)
        } else if let element = self as? any RealmCollectionValue.Type {
            element._describeElement(&type)
        }
        return type
    }
}

/// The name of the types that an optional element of a collection can have.
public typealias _RealmCollectionValueInsideOptional = _OptionalPersistable

/// The name of the types that an optional property can have.
public typealias _PersistableInsideOptional = _OptionalPersistable

/// Results for numbers can be requested as `NSNumber`: `let age: NSNumber? = dogs.max(ofProperty: "age")`.
extension NSNumber: _HasPersistedType, MinMaxType, AddableType {
    public typealias PersistedType = NSNumber
}

/// Minimum and maximum of dates can be requested as `NSDate`.
extension NSDate: _HasPersistedType, MinMaxType {
    public typealias PersistedType = NSDate
}
