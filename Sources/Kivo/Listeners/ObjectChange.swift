import Foundation

/// What happened to one property of an observed object.
public struct PropertyChange {
    /// The name of the property; with key paths, of the first one on the path.
    public let name: String
    /// The value before, if the change came by moving to a newer version; nil for changes of this realm instance and for
    /// collections.
    public let oldValue: Any?
    /// The value now; nil for collections.
    public let newValue: Any?
}

/// What an object's observers are told.
public enum ObjectChange<T> {
    /// Never produced; there for the sake of exhaustive switches.
    case error(NSError)
    /// Properties of the object changed: in the order of their declaration, each once.
    case change(T, [PropertyChange])
    /// The object was deleted. This is the last call.
    case deleted
}
