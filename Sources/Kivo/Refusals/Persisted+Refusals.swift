/// Compiler messages for properties that cannot be stored. The compiler chooses these declarations only if no other one fits.
extension Persisted {
    /// Unavailable: values of this type cannot be stored.
    @available(
        *, unavailable,
        message: """
            a property of this type cannot be stored: use Bool, Int, Double, String, Date, Data, UUID or another type of the page \
            'Models', or conform the type to CustomPersistable; @Ignored and plain properties can have any type
            """
    )
    public init() { trap("unavailable") }

    /// Unavailable: values of this type cannot be stored.
    @available(
        *, unavailable,
        message: """
            a property of this type cannot be stored: use Bool, Int, Double, String, Date, Data, UUID or another type of the page \
            'Models', or conform the type to CustomPersistable; @Ignored and plain properties can have any type
            """
    )
    public init(wrappedValue: Value) { trap("unavailable") }
}

extension Persisted where Value: RangeReplaceableCollection & ExpressibleByArrayLiteral {
    /// Unavailable: an array cannot be stored.
    @available(
        *, unavailable,
        message: "an array cannot be stored: declare a list, '@Persisted var names: List<String>'"
    )
    public init() { trap("unavailable") }

    /// Unavailable: an array cannot be stored.
    @available(
        *, unavailable,
        message: "an array cannot be stored: declare a list, '@Persisted var names: List<String>'"
    )
    public init(wrappedValue: Value) { trap("unavailable") }
}

extension Persisted where Value: ExpressibleByDictionaryLiteral {
    /// Unavailable: a dictionary cannot be stored.
    @available(
        *, unavailable,
        message: "a dictionary cannot be stored: declare a map, '@Persisted var counts: Map<String, Int>'"
    )
    public init() { trap("unavailable") }

    /// Unavailable: a dictionary cannot be stored.
    @available(
        *, unavailable,
        message: "a dictionary cannot be stored: declare a map, '@Persisted var counts: Map<String, Int>'"
    )
    public init(wrappedValue: Value) { trap("unavailable") }
}

extension Persisted where Value: SetAlgebra & Swift.Collection {
    /// Unavailable: a set of the standard library cannot be stored.
    @available(
        *, unavailable,
        message: "a Set cannot be stored: declare a set of Kivo's, '@Persisted var tags: MutableSet<String>'"
    )
    public init() { trap("unavailable") }

    /// Unavailable: a set of the standard library cannot be stored.
    @available(
        *, unavailable,
        message: "a Set cannot be stored: declare a set of Kivo's, '@Persisted var tags: MutableSet<String>'"
    )
    public init(wrappedValue: Value) { trap("unavailable") }
}

extension Persisted where Value: UnsignedInteger {
    /// Unavailable: unsigned integers cannot be stored.
    @available(
        *, unavailable, message: "unsigned integers cannot be stored: use Int, or Int64 for all bits of it"
    )
    public init() { trap("unavailable") }

    /// Unavailable: unsigned integers cannot be stored.
    @available(
        *, unavailable, message: "unsigned integers cannot be stored: use Int, or Int64 for all bits of it"
    )
    public init(wrappedValue: Value) { trap("unavailable") }
}

extension Persisted where Value: RawRepresentable {
    /// Unavailable: the type must declare that it can be stored.
    @available(
        *, unavailable,
        message:
            "this type cannot be stored as it is: declare the enum with PersistableEnum, 'enum Kind: Int, PersistableEnum', or another type with CustomPersistable"
    )
    public init() { trap("unavailable") }

    /// Unavailable: the type must declare that it can be stored.
    @available(
        *, unavailable,
        message:
            "this type cannot be stored as it is: declare the enum with PersistableEnum, 'enum Kind: Int, PersistableEnum', or another type with CustomPersistable"
    )
    public init(wrappedValue: Value) { trap("unavailable") }
}

extension Persisted where Value: ObjectBase {
    /// Unavailable: a link can be nil.
    @available(
        *, unavailable, message: "a link to an object is optional: write '@Persisted var owner: Person?'"
    )
    public init() { trap("unavailable") }

    /// Unavailable: a link can be nil.
    @available(
        *, unavailable, message: "a link to an object is optional: write '@Persisted var owner: Person?'"
    )
    public init(wrappedValue: Value) { trap("unavailable") }
}

/// Compiler messages for keys and indexes on types that cannot have them.
extension Persisted where Value: _Persistable {
    /// Unavailable: values of this type cannot be primary keys.
    @available(
        *, unavailable,
        message: "a primary key is an integer, a Bool, a String, a UUID or an ObjectId, or an optional of one"
    )
    @_disfavoredOverload
    public init(primaryKey: Bool) { trap("unavailable") }

    /// Unavailable: values of this type cannot be primary keys.
    @available(
        *, unavailable,
        message: "a primary key is an integer, a Bool, a String, a UUID or an ObjectId, or an optional of one"
    )
    @_disfavoredOverload
    public init(wrappedValue: Value, primaryKey: Bool) { trap("unavailable") }

    /// Unavailable: properties of this type cannot be indexed.
    @available(
        *, unavailable,
        message:
            "what is indexed is an integer, a Bool, a String, a Date, a UUID, an ObjectId or an AnyRealmValue"
    )
    @_disfavoredOverload
    public init(indexed: Bool) { trap("unavailable") }

    /// Unavailable: properties of this type cannot be indexed.
    @available(
        *, unavailable,
        message:
            "what is indexed is an integer, a Bool, a String, a Date, a UUID, an ObjectId or an AnyRealmValue"
    )
    @_disfavoredOverload
    public init(wrappedValue: Value, indexed: Bool) { trap("unavailable") }

    /// Unavailable: a primary key needs no index.
    @available(*, unavailable, message: "a primary key is looked up by itself: leave out 'indexed'")
    public init(primaryKey: Bool, indexed: Bool) { trap("unavailable") }

    /// Unavailable: a primary key needs no index.
    @available(*, unavailable, message: "a primary key is looked up by itself: leave out 'indexed'")
    public init(wrappedValue: Value, primaryKey: Bool, indexed: Bool) { trap("unavailable") }
}

/// Compiler messages for code that expects results where a block can only produce an array.
///
/// `filter` and `sorted` with a block are those of the standard library, which still work. The compiler chooses these
/// declarations only if no other one fits.
extension RealmCollection {
    /// Unavailable: a block produces an array or a lazy sequence, not results.
    @available(
        *, unavailable,
        message:
            "a block of Bool makes no results: write the condition as 'where { $0.age > 3 }' or 'filter(\"age > 3\")'"
    )
    public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> Results<Element> {
        trap("unavailable")
    }

    /// Unavailable: a block produces an array, not results.
    @available(
        *, unavailable,
        message:
            "a block makes no results: write the order as 'sorted(by: \\.age)' or 'sorted(byKeyPath: \"age\")'"
    )
    public func sorted(by areInIncreasingOrder: (Element, Element) throws -> Bool) rethrows -> Results<
        Element
    > {
        trap("unavailable")
    }
}

extension Query<String> {
    /// Unavailable: see ``starts(with:options:)``.
    @available(*, unavailable, message: "write 'starts(with:)'")
    public func hasPrefix(_ prefix: String) -> Query<Bool> { trap("unavailable") }

    /// Unavailable: see ``ends(with:options:)``.
    @available(*, unavailable, message: "write 'ends(with:)'")
    public func hasSuffix(_ suffix: String) -> Query<Bool> { trap("unavailable") }

    /// Unavailable: comparisons have options.
    @available(
        *, unavailable,
        message: "write 'equals(_:options: .caseInsensitive)' or another comparison with options"
    )
    public func lowercased() -> Query<String> { trap("unavailable") }

    /// Unavailable: comparisons have options.
    @available(
        *, unavailable,
        message: "write 'equals(_:options: .caseInsensitive)' or another comparison with options"
    )
    public func uppercased() -> Query<String> { trap("unavailable") }
}
