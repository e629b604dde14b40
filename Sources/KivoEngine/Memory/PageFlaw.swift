/// A description of the damage of a page whose checksum is right.
public struct PageFlaw: Error, Equatable, CustomStringConvertible {
    /// The flaw in words.
    public let description: String

    /// Creates a flaw with a description.
    public init(_ description: String) { self.description = description }
}
