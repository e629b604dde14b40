/// Equality as a method and a property, as classes of Cocoa have it. What they do is what `==` and `hash(into:)` do.
///
/// These are members of a protocol, so that a class can have a property `hash` of its own.
public protocol _EqualityMethods: AnyObject {}

extension _EqualityMethods where Self: Equatable {
    /// Whether another object is of this type and equals this one.
    public func isEqual(_ object: Any?) -> Bool { (flatten(object) as? Self).map { self == $0 } ?? false }
}

extension _EqualityMethods where Self: Hashable {
    /// The hash of what ``isEqual(_:)`` compares.
    public var hash: Int { hashValue }
}

extension ObjectBase: _EqualityMethods {}
