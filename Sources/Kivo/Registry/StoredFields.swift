/// Whether a stored property of a class is a `let`, which reflection does not tell.
///
/// The runtime's record of a class has it, for itself. Where that is laid out in another way than is known here, nothing is
/// said.
enum StoredFields {
    /// Whether a class itself declares a stored property as `var`; nil if that is not known.
    static func isVariable(_ name: String, in type: AnyClass) -> Bool? {
        #if canImport(ObjectiveC)
        return nil
        #else
        // A class is a pointer to its metadata, which lives as long as the program; nothing of it is written.
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        // Five words in: what kind of metadata it is, the superclass, and flags and sizes.
        guard metadata.load(as: UInt.self) == 0 else { return nil }
        let word = MemoryLayout<UInt>.size
        let record = metadata.load(fromByteOffset: 2 * word + 24, as: UnsafeRawPointer?.self)
        guard let record, record.load(as: UInt32.self) & 0x1F == 16 else { return nil }
        let fields = relative(record + 16)
        let (size, count) = (
            fields.load(fromByteOffset: 10, as: UInt16.self), fields.load(fromByteOffset: 12, as: UInt32.self)
        )
        guard size == 12 else { return nil }
        for index in 0..<Int(count) {
            let field = fields + 16 + index * 12
            let text = String(cString: relative(field + 8).assumingMemoryBound(to: CChar.self))
            if text == name { return field.load(as: UInt32.self) & 2 != 0 }
        }
        return nil
        #endif
    }

    /// The address that is written down as how far it is from here.
    private static func relative(_ place: UnsafeRawPointer) -> UnsafeRawPointer {
        place + Int(place.load(as: Int32.self))
    }
}
