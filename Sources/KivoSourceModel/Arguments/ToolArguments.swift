/// The words behind the name of a tool that a plugin runs.
package enum ToolArguments {
    /// A tool was called in a way that it does not know.
    package struct Misuse: Error, CustomStringConvertible {
        package let description: String

        package init(_ description: String) { self.description = description }

        /// A word that the tool does not know.
        package static func unknown(_ argument: String) -> Misuse {
            Misuse("'\(argument)' is not known; see --help")
        }
    }

    /// Hands over the words that are options, each with a function that takes the word behind it as its value.
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
