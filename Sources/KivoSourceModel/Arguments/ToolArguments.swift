/// A namespace for reading the arguments of a tool that a plugin runs.
package enum ToolArguments {
    /// An error for invalid arguments.
    package struct Misuse: Error, CustomStringConvertible {
        package let description: String

        package init(_ description: String) { self.description = description }

        /// Returns an error for an unknown argument.
        package static func unknown(_ argument: String) -> Misuse {
            Misuse("'\(argument)' is not known; see --help")
        }
    }

    /// Calls `body` with each argument that is not the value of another one, and a closure that reads the next argument as its
    /// value.
    package static func forEach(
        _ arguments: [String], _ body: (_ argument: String, _ value: () throws -> String) throws -> Void
    ) throws {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            try body(argument) {
                guard let value = rest.popFirst() else { throw Misuse("'\(argument)' needs a value") }
                return value
            }
        }
    }
}
