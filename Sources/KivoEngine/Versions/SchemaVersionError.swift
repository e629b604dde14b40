/// A program whose classes have a lower version than the data.
public struct SchemaVersionError: Error, Equatable, CustomStringConvertible {
    /// The version of the data.
    public let stored: UInt64
    /// The version of the program.
    public let given: UInt64

    /// An error of both versions.
    public init(stored: UInt64, given: UInt64) {
        self.stored = stored
        self.given = given
    }

    /// The error in a sentence.
    public var description: String {
        "Provided schema version \(given) is less than last set version \(stored)."
    }
}
