/// How the values of a type lie in a column.
///
/// These members see only the memory of a column. All of them are inlined into the accessors of properties, also into those of
/// other modules. Access through an object is in `ValueAccess`.
@usableFromInline
protocol ValueLayout<Accessed> {
    /// The type of the values.
    associatedtype Accessed

    /// Returns the value of an unmanaged property without a default.
    static func makeDefault() -> Accessed
    /// Whether the default is free to create and equal for all, so that unmanaged properties always hold a value.
    static var isPlain: Bool { get }
    /// Whether a column stores the whole value, so that it can be loaded and stored directly.
    static var isScalar: Bool { get }
    /// Whether stored values are self-describing, so that some of them can be loaded directly and others cannot.
    static var isTagged: Bool { get }
    /// Whether the app's code converts between values and stored values. That code may have any side effect: it runs before
    /// addresses are looked up and before collections are edited, never in between.
    static var isConverted: Bool { get }

    /// Loads a tagged value from a column; nil if that takes more than a load.
    static func loadTagged(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Accessed?
    /// Loads a scalar from a column.
    static func load(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Accessed
    /// Stores a scalar into a column of the open transaction and marks the column; false if that takes more than a store.
    static func store(_ value: Accessed, _ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool
    /// Loads a scalar from a column of optionals.
    static func loadOptional(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Accessed?
    /// Stores a scalar into a column of optionals, like ``store(_:_:_:)``.
    static func storeOptional(_ value: Accessed?, _ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool
}

extension ValueLayout {
    @inlinable static var isTagged: Bool { false }
    @inlinable static var isConverted: Bool { false }
    @inlinable static func loadTagged(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Accessed? { nil }
}

/// The layout of values that are not stored whole in a column: links, collections, and values of any type.
@usableFromInline
protocol ReferenceLayout: ValueLayout {}

extension ReferenceLayout {
    @inlinable static var isScalar: Bool { false }

    @usableFromInline
    static func load(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Accessed { trap("not a scalar") }
    @usableFromInline
    static func store(_ value: Accessed, _ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool { false }
    @usableFromInline
    static func loadOptional(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Accessed? {
        trap("not a scalar")
    }
    @usableFromInline
    static func storeOptional(_ value: Accessed?, _ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool {
        false
    }
}
