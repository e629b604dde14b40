/// A property wrapper that the registry finds in objects.
protocol LocatedWrapper {
    /// The number of the property in its class, or a pattern until that is known.
    var column: UInt32 { get }
    /// The offset of the number in a wrapper.
    static var columnOffset: Int { get }
}
