/// Equality of collections as a method and a property, like in classes of Cocoa. They are equivalent to `==` and `hash(into:)`.
public protocol _EqualityMethods: AnyObject {}

extension _EqualityMethods where Self: Equatable {
    /// Returns whether another object is of this type and equals this one.
    public func isEqual(_ object: Any?) -> Bool { (flatten(object) as? Self).map { self == $0 } ?? false }
}

extension _EqualityMethods where Self: Hashable {
    /// A hash that is consistent with ``isEqual(_:)``.
    public var hash: Int { hashValue }
}
