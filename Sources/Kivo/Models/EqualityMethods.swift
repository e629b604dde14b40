/// Equality as a method and a property, like in classes of Cocoa. They are equivalent to `==` and `hash(into:)`.
///
/// They are members of a protocol, so that a class can have a property `hash` of its own.
public protocol _EqualityMethods: AnyObject {}

extension _EqualityMethods where Self: Equatable {
    /// Returns whether another object is of this type and equals this one.
    public func isEqual(_ object: Any?) -> Bool { (flatten(object) as? Self).map { self == $0 } ?? false }
}

extension _EqualityMethods where Self: Hashable {
    /// A hash that is consistent with ``isEqual(_:)``.
    public var hash: Int { hashValue }
}

extension ObjectBase: _EqualityMethods {}
