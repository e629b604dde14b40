import Foundation

/// The output of a command.
package struct CommandOutput {
    /// An error that ``write`` throws if there is no reader any more.
    package struct Closed: Error {
        package init() {}
    }

    /// Whether a program reads the result, which is then JSON.
    package var isJSON: Bool
    /// Writes the result. The bytes are valid during the call only.
    package let write: (UnsafeRawBufferPointer) throws -> Void
    /// Prints a note that is not part of the result: a line without its end.
    package let note: (String) -> Void
    /// Reports the progress of a long operation.
    package let progress: (String) -> Void
    /// Reports the path of a file that is incomplete from now on, so that an interruption can remove it, or complete again.
    package let isIncomplete: (_ path: String, Bool) -> Void

    /// Creates an output from closures.
    package init(
        isJSON: Bool = false, write: @escaping (UnsafeRawBufferPointer) throws -> Void,
        note: @escaping (String) -> Void, progress: @escaping (String) -> Void = { _ in },
        isIncomplete: @escaping (_ path: String, Bool) -> Void = { _, _ in }
    ) {
        self.isJSON = isJSON
        self.write = write
        self.note = note
        self.progress = progress
        self.isIncomplete = isIncomplete
    }

    /// Writes a text.
    func write(_ text: String) throws {
        var text = text
        try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
    }

    /// Writes a value in JSON, on one line.
    func write(json value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(value).withUnsafeBytes { try write($0) }
        try write("\n")
    }
}
