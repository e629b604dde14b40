import KivoEngine

/// A collection as the value of a ``Persisted`` property: ``List``, ``MutableSet`` and ``Map``.
///
/// The requirements differ between the kinds of collections. The tables of a property's value are derived from them.
@usableFromInline
protocol CollectionProperty: AnyObject, ReferenceLayout, PropertyLayout, _Persistable where Accessed == Self {
    /// Creates an empty, unmanaged collection.
    init()
    /// Whether the collection belongs, or belonged, to a managed object.
    var isManaged: Bool { get }
    /// Assigns the elements of another collection, which may be this one.
    func assign(_ other: Self)
    /// Copies the elements of another collection without notifying observers. Only while unmanaged.
    func take(_ other: Self)
}

extension CollectionProperty {
    @usableFromInline static func makeDefault() -> Self { Self() }
    @inlinable static var isPlain: Bool { false }
    @inlinable static var isCached: Bool { true }

    @usableFromInline
    static func replace(_ value: Self, _ current: Self?) -> Bool {
        current?.assign(value)
        return current != nil
    }

    @usableFromInline
    static func adopt(_ value: Self, _ current: Self?) -> Self {
        if let current, current === value { return current }
        let kept = current.flatMap { $0.isManaged ? nil : $0 } ?? Self()
        kept.take(value)
        return kept
    }
}

/// The access to a collection as the value of a property.
protocol CollectionAccess: CollectionProperty, NoElementAccess, NoOptionalAccess {
    static var kind: CollectionKind { get }
    /// Creates the collection of a managed object's property, by column.
    init(managed owner: ObjectBase, _ property: Int)
    static func describeElements(_ type: inout DeclaredType)
    /// Writes the elements of an unmanaged collection into the row of an object that is being added, and makes it the managed
    /// collection. Returns false if it belongs to another object, and remains that object's. The property is given in the form
    /// that wrappers of managed objects store.
    func promote(_ owner: ObjectBase, _ property: Int, _ adder: ObjectAdder) -> Bool
    /// Makes this collection one through which a recorded key path continues.
    func record(for owner: ObjectBase)
    /// Returns the collection for a value that is neither nil nor a collection of this type, or nil if the value represents none.
    static func made(of any: Any) -> Self?
}

extension CollectionAccess {
    static func get(_ owner: ObjectBase, _ property: Int) -> Self { Self(managed: owner, property) }

    /// Assigns all elements; the collection remains the same object.
    static func set(_ value: Self, _ owner: ObjectBase, _ property: Int) {
        get(owner, property).assign(value)
    }

    static func promote(_ value: inout Self?, _ owner: ObjectBase, _ property: Int, _ adder: ObjectAdder) {
        // A collection that was never used is empty.
        guard let collection = value ?? (adder.isUpdating ? Self() : nil) else { return }
        let isManaged = collection.promote(owner, property, adder)
        let column = PersistedColumn.index(UInt32(property))
        value = isManaged ? collection : Self(managed: owner, column)
    }

    static func record(_ owner: ObjectBase, _ property: Int) -> Self {
        owner.kivoRecord(property)
        let collection = Self()
        collection.record(for: owner)
        owner.kivoRecorder?.expect(collection)
        return collection
    }

    static func describe(_ type: inout DeclaredType) {
        type.collection = kind
        describeElements(&type)
    }

    static func fromAny(_ any: Any?) -> Self? {
        guard let any = nonNull(any) else { return Self() }
        return cast(any, as: self) ?? made(of: any)
    }
}
