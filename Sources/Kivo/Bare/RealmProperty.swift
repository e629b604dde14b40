import KivoEngine

/// The older form, before ``Persisted``, of a property whose type Objective-C cannot represent.
///
/// `@Persisted var age: Int?` is equivalent and is used without `.value`; `swift package kivo-adopt` makes that change.
@available(
    *, deprecated,
    message:
        "declare '@Persisted var name: Type' instead of 'let name = RealmProperty<Type>()', and leave out '.value'; 'swift package kivo-adopt' does so"
)
public typealias RealmProperty<Value: RealmPropertyType> = _BareValue<Value>

/// The older form, before ``Persisted``, of a property that can be nil.
///
/// `@Persisted var age: Int?` is equivalent and is used without `.value`; `swift package kivo-adopt` makes that change.
@available(
    *, deprecated,
    message:
        "declare '@Persisted var name: Type?' instead of 'let name = RealmOptional<Type>()', and leave out '.value'; 'swift package kivo-adopt' does so"
)
public typealias RealmOptional<Value: RealmOptionalType> = _BareValue<Value?>

extension AnyRealmValue: RealmPropertyType {}

/// The value of a property of an ``Object``, which holds this in a `let`: the type of `RealmProperty` and `RealmOptional`.
///
///     let age = RealmProperty<Int?>()
///     dog.age.value = 3
///
/// The value is part of the model like that of a ``Persisted`` property. By name (in predicates, key-value coding and observing,
/// dictionaries) the property is the value. It belongs to the thread or queue of its object, and can outlive the object.
public final class _BareValue<Value: RealmPropertyType> {
    private var stored: Value
    /// The row of a managed object.
    private var row: _BareRow?
    private var column = 0
    let parent = CollectionParent()

    /// Creates a property that is nil.
    public init() { stored = Value._layout.type.makeDefault() }

    /// Creates a property with a default value.
    public init(_ value: Value) { stored = value }

    deinit {
        guard !Value._layout.type.isScalar, let object = Value._access.type.linkedObject(stored) else {
            return
        }
        stored = Value._layout.type.makeDefault()
        ObjectRelease.release { $0.append(object) }
    }

    /// The value. For a managed object it is read from the row, and can be assigned only inside of a write transaction. Reading
    /// and assigning trap if the object was deleted.
    public var value: Value {
        get {
            if let row { return Persisted<Value>.read(row, column) { nil } }
            if let recorder = parent.recorder, let (owner, property) = recorder.owner(of: self) {
                return Value._access.type.record(owner, property.column)
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

    /// Writes the value of an unmanaged object into the row of the object that becomes managed.
    func promote(_ owner: ObjectBase, _ bound: Int, _ adder: ObjectAdder) {
        var promoted: Value? = stored
        Value._access.type.promote(&promoted, owner, bound, adder)
        become(managed: owner, owner.kivoContext.info.property(bound: bound))
    }

    func become(managed owner: ObjectBase, _ property: PropertyInfo) {
        row = _BareRow.of(owner)
        column = property.column
        stored = Value._layout.type.makeDefault()
    }

    var linkedObject: ObjectBase? { Value._access.type.linkedObject(stored) }
}

extension _BareValue: Equatable where Value: Equatable {
    /// Returns whether two properties have equal values.
    public static func == (a: _BareValue, b: _BareValue) -> Bool { a.value == b.value }
}

extension _BareValue: CustomStringConvertible {
    /// A textual description of the value.
    public var description: String { String(describing: value) }
}

extension _BareValue: Decodable where Value: Decodable {
    /// Decodes the value.
    public convenience init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(Value.self))
    }
}

extension _BareValue: Encodable where Value: Encodable {
    /// Encodes the value, even of a managed object.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

extension _BareValue: ChangesByItself {}

// Declared with the type, so that linkers keep the conformance; see `WrapperLocator`.
extension _BareValue: BareDeclaration {}

/// A second accessor of a row, without a class, through which bare values read and write: they can outlive the accessor that
/// holds them. Confined with that accessor.
final class _BareRow: ObjectBase {
    static func of(_ owner: ObjectBase) -> _BareRow {
        let row = _BareRow()
        if let instanceOwner = owner.kivoInstanceOwner { row.kivoHold(instanceOwner) }
        row.kivoRow = owner.kivoRow
        row.kivoTableContext = owner.kivoTableContext
        // Observers of the row are found by the row. The states that belong to the owner instance itself do not apply.
        row.kivoState = owner.kivoState.intersection([.managed, .tracked])
        row.kivoRow.writer = 0
        return row
    }
}
