import KivoEngine

/// Declares a property of an ``Object`` or ``EmbeddedObject`` that is no part of the model, but can be observed and coded
/// by name.
///
///     class Dog: Object {
///         @Persisted var name = ""
///         @Ignored var isSelected = false
///     }
///
/// It is stored in the instance and nowhere else: other accessors of a row neither have its value nor hear of its changes.
/// Any type will do. Reading and writing it costs what a stored property costs. Assigning to it needs no write
/// transaction. A property without a wrapper is ignored too, and nothing is told of it.
@propertyWrapper
public struct Ignored<Value> {
    @usableFromInline var stored: Value
    /// The property's number once the object is bound to a class, else a pattern that the registry looks for.
    @usableFromInline var column: UInt32

    /// A property with a default value.
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

    /// The property, as its class sees it.
    public static subscript<Owner: ObjectBase>(
        _enclosingInstance owner: Owner, wrapped wrapped: ReferenceWritableKeyPath<Owner, Value>,
        storage storage: ReferenceWritableKeyPath<Owner, Self>
    ) -> Value {
        @inlinable @inline(__always)
        get {
            if owner.kivoRow.state & (RowReference.recording | RowReference.tracked) != 0 {
                return record(owner, owner[keyPath: storage].column, owner[keyPath: storage].stored)
            }
            return owner[keyPath: storage].stored
        }
        @inlinable @inline(__always)
        set {
            if owner.kivoRow.state & RowReference.observed == 0 {
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
    /// Notes that the property was read by a key path, and returns what the key path goes on with.
    @usableFromInline
    static func record(_ owner: ObjectBase, _ column: UInt32, _ value: Value) -> Value {
        guard owner.kivoRow.state & RowReference.recording != 0 else {
            owner.kivoNoteRead(column: Int(column))
            return value
        }
        owner.kivoRecordIgnored(column)
        guard let target, let instance = owner.kivoRecorder?.instance(of: target) else { return value }
        if let optional = Value.self as? any AnyOptional.Type {
            return optional.wrapping(instance) as? Value ?? value
        }
        return instance as? Value ?? value
    }

    /// The class of the objects that the property refers to, if it does.
    static var target: ObjectBase.Type? {
        if let optional = Value.self as? any AnyOptional.Type {
            return optional.wrappedType as? ObjectBase.Type
        }
        return Value.self as? ObjectBase.Type
    }
}

extension Ignored where Value: ExpressibleByNilLiteral {
    /// A property that is nil.
    @inlinable
    public init() { self.init(wrappedValue: nil) }
}
