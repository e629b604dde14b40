import KivoRealmFiles

extension RealmFile {
    /// Writes the whole file as JSON: the format, and each table with its columns and its objects, including their values and
    /// inverse links.
    ///
    /// Integers beyond ±2^53 are strings. Floating-point and decimal numbers include their bits. Strings and data of more than
    /// 4096 bytes are written as their length, their start and a SHA-256 hash. The memory use does not depend on the size of the
    /// file, except for dictionaries that are not stored in order.
    ///
    /// - Parameters:
    ///   - name: The name of the file in the output.
    ///   - sink: Called with the text piece by piece. The bytes are UTF-8 and valid only during the call.
    /// - Throws: Errors of `sink`, and ``RealmFileError`` if the file is damaged. The text that was passed to `sink` before is
    ///   then incomplete, and not valid JSON.
    package func dump(name: String, to sink: (_ text: UnsafeRawBufferPointer) throws -> Void) throws {
        try reading { view in
            try withoutActuallyEscaping(sink) { sink in
                var dumper = FileDumper(self, view, JSONWriter(sink))
                defer { dumper.release() }
                try dumper.dump(name: name)
            }
        }
    }
}
