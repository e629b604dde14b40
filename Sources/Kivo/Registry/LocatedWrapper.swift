/// A property wrapper that the registry finds in objects.
protocol LocatedWrapper {
    /// A number that says which property of its class this is, or a pattern while that is not known.
    var column: UInt32 { get }
    /// Where the number is in a wrapper.
    static var columnOffset: Int { get }
}
