import KivoEngine

/// The older form of a property of a type that Objective-C has no word for, before there was ``Persisted``.
///
/// `@Persisted var age: Int?` says the same and is used without `.value`; `swift package kivo-adopt` rewrites it.
@available(
    *, deprecated,
    message:
        "declare '@Persisted var name: Type' instead of 'let name = RealmProperty<Type>()', and leave out '.value'; 'swift package kivo-adopt' does so"
)
public typealias RealmProperty<Value: RealmPropertyType> = _BareValue<Value>

/// The older form of a property that can be nil, before there was ``Persisted``.
///
/// `@Persisted var age: Int?` says the same and is used without `.value`; `swift package kivo-adopt` rewrites it.
@available(
    *, deprecated,
    message:
        "declare '@Persisted var name: Type?' instead of 'let name = RealmOptional<Type>()', and leave out '.value'; 'swift package kivo-adopt' does so"
)
public typealias RealmOptional<Value: RealmOptionalType> = _BareValue<Value?>

extension AnyRealmValue: RealmPropertyType {}

/// What `RealmProperty` and `RealmOptional` are: the value of a property of an ``Object``, which holds this in a `let`.
///
///     let age = RealmProperty<Int?>()
///     dog.age.value = 3
///
/// The value is part of the model like that of a ``Persisted`` property; by name (in predicates, key-value coding and
/// observing, dictionaries) the property is the value. It belongs to the thread or queue of its object, and outlives it.
public final class _BareValue<Value: RealmPropertyType> {
    private var stored: Value
    /// The row of a managed object.
    private var row: _BareRow?
    private var column = 0
    let parent = CollectionParent()

    /// A property that is nil.
    public init() { stored = Value._makeDefault() }

    /// A property with a default value.
    public init(_ value: Value) { stored = value }

    deinit {
        guard !Value._isScalar, let object = Value._linkedObject(stored) else { return }
        stored = Value._makeDefault()
        ObjectRelease.release { $0.append(object) }
    }

    /// The value. Of a managed object it is read from its row, and assigned inside of a write transaction only; reading
    /// and assigning trap if the object is gone.
    public var value: Value {
        get {
            if let row { return Persisted<Value>.read(row, column) }
            if let recorder = parent.recorder, let (owner, property) = recorder.owner(of: self) {
                return Value._record(owner, property.column)
            }
            return stored
        }
        set {
            if let row {
                _ = Persisted<Value>.write(newValue, row, column)
            } else {
                parent.changing(.wholesale) { stored = newValue }
            }
        }
    }

    /// The value of an unmanaged object, for the object that becomes managed.
    func promote(_ owner: ObjectBase, _ bound: Int, _ adder: _ObjectAdder) {
        var promoted: Value? = stored
        Value._promote(&promoted, owner, bound, adder)
        become(managed: owner, owner.kivoContext.info.property(bound: bound))
    }

    func become(managed owner: ObjectBase, _ property: PropertyInfo) {
        row = _BareRow.of(owner)
        column = property.column
        stored = Value._makeDefault()
    }

    var linkedObject: ObjectBase? { Value._linkedObject(stored) }
}

extension _BareValue: Equatable where Value: Equatable {
    /// Whether two properties have equal values.
    public static func == (a: _BareValue, b: _BareValue) -> Bool { a.value == b.value }
}

extension _BareValue: CustomStringConvertible {
    /// The value in words.
    public var description: String { String(describing: value) }
}

extension _BareValue: Decodable where Value: Decodable {
    /// Decodes the value.
    public convenience init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(Value.self))
    }
}

extension _BareValue: Encodable where Value: Encodable {
    /// Encodes the value, also of a managed object.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

extension _BareValue: ChangesByItself {}

// Declared with the type, so that linkers keep the conformance; see `WrapperLocator`.
extension _BareValue: BareDeclaration {}
