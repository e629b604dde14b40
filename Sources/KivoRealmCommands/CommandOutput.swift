import Foundation

/// Where a command writes.
package struct CommandOutput {
    /// Thrown by ``write`` if nobody reads any more.
    package struct Closed: Error {
        package init() {}
    }

    /// Whether a program reads the answer, and is given JSON.
    package var isJSON: Bool
    /// Takes what the command is asked for. The bytes are valid during the call only.
    package let write: (UnsafeRawBufferPointer) throws -> Void
    /// Takes what there is to say about it: a line without its end.
    package let note: (String) -> Void
    /// Takes how far something is that takes long.
    package let progress: (String) -> Void

    /// An output of functions.
    package init(
        isJSON: Bool = false, write: @escaping (UnsafeRawBufferPointer) throws -> Void,
        note: @escaping (String) -> Void, progress: @escaping (String) -> Void = { _ in }
    ) {
        self.isJSON = isJSON
        self.write = write
        self.note = note
        self.progress = progress
    }

    /// Writes a text.
    func write(_ text: String) throws {
        var text = text
        try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
    }

    /// Writes a value in JSON, in a line.
    func write(json value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(value).withUnsafeBytes { try write($0) }
        try write("\n")
    }
}
