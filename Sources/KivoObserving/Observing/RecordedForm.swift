import Foundation

/// How the values of a property appear in change dictionaries.
///
/// What that requires follows from the property's type, and casts that find it out cost more than a notification. An observation
/// finds it out once.
enum RecordedForm {
    case unknown
    /// The value itself, because values of the type need no conversion.
    case plain
    /// The unwrapped value, or the null marker. The wrapped values need no conversion.
    case optional(any AnyOptional.Type)
    /// The result of ``converted(_:)``.
    case general

    /// Returns the form of values of a type, one of which is known; `unknown` if it is nil.
    init(of type: Any.Type, _ value: Any) {
        // The values of an existential type have other types, which can differ.
        if let type = type as? any AnyOptional.Type {
            guard let unwrapped = (value as? any AnyOptional)?.unwrapped else {
                self = .unknown
                return
            }
            self = Self.isPlain(unwrapped, type.wrappedType) ? .optional(type) : .general
        } else {
            self = Self.isPlain(value, type) ? .plain : .general
        }
    }

    private static func isPlain(_ value: Any, _ type: Any.Type) -> Bool {
        Swift.type(of: value) == type && !(type is AnyClass) && !(value is any AnyOptional)
            && !(value is any ObservedCollection) && !isBoxed(type)
    }

    /// Returns the entry of a change dictionary for a value at an address, which `load` returns as it is.
    @inline(__always)
    func value(at address: UnsafeRawPointer, _ load: (UnsafeRawPointer) -> Any) -> Any {
        switch self {
        case .plain: load(address)
        case .optional(let type): type.unwrapped(at: address) ?? NSNull()
        case .unknown, .general: Self.converted(load(address))
        }
    }

    /// Returns a value as it is stored in a change dictionary: nil as the null marker, the content of a collection as an array or a
    /// dictionary.
    static func converted(_ value: Any?) -> Any {
        guard let value = flatten(value) else { return NSNull() }
        if isOfFrequentType(value) { return value }
        return cast(value, as: (any ObservedCollection).self)?.snapshotValue ?? boxed(value)
    }
}
