/// Where a command writes.
package struct CommandOutput {
    /// Takes what the command is asked for. The bytes are valid during the call only.
    package let write: (UnsafeRawBufferPointer) throws -> Void
    /// Takes what there is to say about it: a line without its end.
    package let note: (String) -> Void

    /// An output of two functions.
    package init(write: @escaping (UnsafeRawBufferPointer) throws -> Void, note: @escaping (String) -> Void) {
        self.write = write
        self.note = note
    }

    /// Writes a text.
    func write(_ text: String) throws {
        var text = text
        try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
    }
}
