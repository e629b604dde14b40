extension RealmFile {
    /// Writes all of the file as JSON: the format, each table with its columns, and its objects with their values and inverse
    /// links.
    ///
    /// Integers beyond ±2^53 are strings; floating-point and decimal numbers come with their bits; strings and data of more
    /// than 4096 bytes as their length, the start and a SHA-256 hash. The memory it takes does not depend on the size of the file, except
    /// for dictionaries that are not stored in order.
    ///
    /// - Parameters:
    ///   - name: What stands as the file's name.
    ///   - sink: Called with the text piece by piece; the bytes are UTF-8 and valid only during the call.
    /// - Throws: What `sink` throws, and ``RealmFileError`` where the file is damaged. What was given to `sink` before is then
    ///   not all, and not valid JSON.
    public func dump(name: String, to sink: (_ text: UnsafeRawBufferPointer) throws -> Void) throws {
        try reading { view in
            try withoutActuallyEscaping(sink) { sink in
                var dumper = FileDumper(self, view, JSONWriter(sink))
                defer { dumper.release() }
                try dumper.dump(name: name)
            }
        }
    }
}
