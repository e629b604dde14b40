import KivoEngine

/// A property wrapper for a property of an ``Object`` or ``EmbeddedObject`` that is not part of the model. The property can be
/// observed and coded by name.
///
///     class Dog: Object {
///         @Persisted var name = ""
///         @Ignored var isSelected = false
///     }
///
/// It is stored in the instance only: other accessors of a row neither have its value nor are notified of its changes. It can be
/// of any type. Reading and writing it costs as much as a stored property. Assigning to it needs no write transaction. A property
/// without a wrapper is ignored, too, but cannot be observed.
@propertyWrapper
public struct Ignored<Value> {
    @usableFromInline var stored: Value
    /// The property's number once the object is bound to a class; before that, a pattern by which the registry finds the wrapper.
    @usableFromInline var column: UInt32

    /// Creates a property with a default value.
    @inlinable
    public init(wrappedValue: Value) {
        stored = wrappedValue
        column = PersistedColumn.unbound
    }

    /// Unavailable: ignored properties belong to classes derived from ``Object`` or ``EmbeddedObject``.
    @available(*, unavailable, message: "@Ignored is for properties of Object and EmbeddedObject classes")
    public var wrappedValue: Value {
        get { trap("unavailable") }
        set { trap("unavailable") }
    }

    /// Accesses the property in its object.
    public static subscript<Owner: ObjectBase>(
        _enclosingInstance owner: Owner, wrapped wrapped: ReferenceWritableKeyPath<Owner, Value>,
        storage storage: ReferenceWritableKeyPath<Owner, Self>
    ) -> Value {
        @inlinable @inline(__always)
        get {
            if !owner.kivoState.isDisjoint(with: [.recording, .tracked]) {
                return record(owner, owner[keyPath: storage].column, owner[keyPath: storage].stored) {
                    wrapped
                }
            }
            return owner[keyPath: storage].stored
        }
        @inlinable @inline(__always)
        set {
            if !owner.kivoState.contains(.observed) {
                owner[keyPath: storage].stored = newValue
                return
            }
            let isOpen = ObservedAssignment.begin(owner, owner[keyPath: storage].column)
            owner[keyPath: storage].stored = newValue
            ObservedAssignment.end(owner, owner[keyPath: storage].column, isOpen)
        }
    }
}

extension Ignored {
    /// Records that the property was read by a key path, and returns the value through which the key path continues.
    @usableFromInline
    static func record(
        _ owner: ObjectBase, _ column: UInt32, _ value: Value, _ property: () -> AnyKeyPath?
    ) -> Value {
        guard owner.kivoState.contains(.recording) else {
            owner.kivoNoteRead(column: Int(column), property)
            return value
        }
        owner.kivoRecordIgnored(column)
        guard let target, let instance = owner.kivoRecorder?.instance(of: target) else { return value }
        if let optional = Value.self as? any AnyOptional.Type {
            return optional.wrapping(instance) as? Value ?? value
        }
        return instance as? Value ?? value
    }

    /// The class of the objects that the property refers to, if any.
    static var target: ObjectBase.Type? {
        if let optional = Value.self as? any AnyOptional.Type {
            return optional.wrappedType as? ObjectBase.Type
        }
        return Value.self as? ObjectBase.Type
    }
}

extension Ignored where Value: ExpressibleByNilLiteral {
    /// Creates a property that is nil.
    @inlinable
    public init() { self.init(wrappedValue: nil) }
}

// Declared with the type, so that linkers keep the conformance; see `WrapperLocator`.
extension Ignored: AnyIgnored {}
