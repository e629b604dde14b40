/// An error that a program's schema version is lower than the version of the data.
public struct SchemaVersionError: Error, Equatable, CustomStringConvertible {
    /// The version of the data.
    public let stored: UInt64
    /// The version of the program.
    public let given: UInt64

    /// Creates an error from both versions.
    public init(stored: UInt64, given: UInt64) {
        self.stored = stored
        self.given = given
    }

    /// A description of the error.
    public var description: String {
        "Provided schema version \(given) is less than last set version \(stored)."
    }
}
