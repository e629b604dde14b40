import Foundation

/// A change of one property of an observed object.
public struct PropertyChange {
    /// The name of the property; with key paths, the name of the first property on the path.
    public let name: String
    /// The old value, if the realm advanced to a newer version; nil for changes by this realm instance and for collections.
    public let oldValue: Any?
    /// The new value; nil for collections.
    public let newValue: Any?
}

/// A change that observers of an object receive.
public enum ObjectChange<T> {
    /// Never produced; it exists for exhaustive switches that name it.
    case error(NSError)
    /// Properties of the object changed. They are in the order of their declaration, each once.
    case change(T, [PropertyChange])
    /// The object was deleted. This is the last call.
    case deleted
}
