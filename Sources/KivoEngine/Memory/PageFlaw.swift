/// What is wrong with a page that passed its checksum.
public struct PageFlaw: Error, Equatable, CustomStringConvertible {
    /// The flaw in words.
    public let description: String

    /// A flaw in words.
    public init(_ description: String) { self.description = description }
}
