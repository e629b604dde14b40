import KivoRealmFiles

extension ValueDumper {
    /// The size beyond which strings and data are written as their length, start and hash.
    static let longest = 4096
    private static let prefixCharacters = 32
    private static let prefixBytes = 32

    /// Accounts for the bytes of a value that the file stores once.
    mutating func spend(_ bytes: RawBytes) throws(RealmFileError) {
        try limit.spend(bytes: bytes.count, at: Int(truncatingIfNeeded: bytes.pieces))
    }

    /// Writes a string, which may not be valid UTF-8.
    @inline(__always)
    mutating func dumpString(_ bytes: RawBytes) throws {
        if bytes.pieces == 0, bytes.count <= ValueDumper.longest, try writer.writePlain(bytes.whole) {
            return
        }
        try dumpText(bytes)
    }

    private mutating func dumpText(_ bytes: RawBytes) throws {
        let parts = try bytes.parts(view)
        var validity = UTF8Validity()
        for part in parts { validity.update(part) }
        if !validity.isValid {
            try writer.write("{\"invalidUTF8\":\"")
            for part in parts { try writer.write(hexadecimal: part) }
            return try writer.write("\"}")
        }
        if bytes.count <= ValueDumper.longest {
            if parts.count == 1 { return try writer.write(text: parts[0]) }
            return try bytes.array(view).withUnsafeBytes { try writer.write(text: $0) }
        }
        try writer.write("{\"utf8Length\":")
        try writer.write(digits: Int64(bytes.count))
        try dumpHash(parts)
        try writer.write(",\"prefix\":")
        // A character has at most 4 bytes. The start may be in several parts.
        var start: [UInt8] = []
        for part in parts where start.count < 4 * ValueDumper.prefixCharacters {
            start.append(contentsOf: part.prefix(4 * ValueDumper.prefixCharacters - start.count))
        }
        var prefix = ""
        prefix.unicodeScalars.append(
            contentsOf: String(decoding: start, as: UTF8.self).unicodeScalars.prefix(
                ValueDumper.prefixCharacters))
        try writer.write(text: prefix)
        try writer.write("}")
    }

    /// Writes data.
    mutating func dumpData(_ bytes: RawBytes) throws {
        try spend(bytes)
        let parts = try bytes.parts(view)
        if bytes.count <= ValueDumper.longest {
            try writer.write("{\"hex\":\"")
            for part in parts { try writer.write(hexadecimal: part) }
            return try writer.write("\"}")
        }
        try writer.write("{\"byteLength\":")
        try writer.write(digits: Int64(bytes.count))
        try dumpHash(parts)
        try writer.write(",\"prefixHex\":\"")
        var remaining = ValueDumper.prefixBytes
        for part in parts where remaining > 0 {
            try writer.write(hexadecimal: UnsafeRawBufferPointer(rebasing: part.prefix(remaining)))
            remaining -= min(remaining, part.count)
        }
        try writer.write("\"}")
    }

    private mutating func dumpHash(_ parts: [UnsafeRawBufferPointer]) throws {
        var hash = SHA256()
        for part in parts { hash.update(part) }
        try writer.write(",\"sha256\":\"")
        try hash.finish().withUnsafeBytes { try writer.write(hexadecimal: $0) }
        try writer.write("\"")
    }

    /// Writes a floating-point number of 32 bits.
    mutating func dumpFloat(_ bits: UInt32) throws {
        let value = Float(bitPattern: bits)
        try writer.write("{\"repr\":\"")
        if try !writeWhole(Double(value)) { try writePlain(value.isNaN ? "nan" : value.description) }
        try writer.write("\",\"bits\":\"")
        try writer.write(bits: UInt64(bits), digits: 8)
        try writer.write("\"}")
    }

    /// Writes a floating-point number of 64 bits.
    mutating func dumpDouble(_ bits: UInt64) throws {
        let value = Double(bitPattern: bits)
        try writer.write("{\"repr\":\"")
        if try !writeWhole(value) { try writePlain(value.isNaN ? "nan" : value.description) }
        try writer.write("\",\"bits\":\"")
        try writer.write(bits: bits, digits: 16)
        try writer.write("\"}")
    }

    /// Writes a decimal number.
    mutating func dumpDecimal(_ decimal: RealmFile.Decimal128) throws {
        try writer.write("{\"repr\":\"")
        try writePlain(decimal.description)
        try writer.write("\",\"hi\":\"")
        try writer.write(bits: decimal.high, digits: 16)
        try writer.write("\",\"lo\":\"")
        try writer.write(bits: decimal.low, digits: 16)
        try writer.write("\"}")
    }

    /// Writes a number without fractional digits, faster than other numbers. Returns whether the value is one.
    private mutating func writeWhole(_ value: Double) throws -> Bool {
        guard abs(value) < 1e7, let whole = Int64(exactly: value), whole != 0 else { return false }
        try writer.write(digits: whole)
        try writer.write(".0")
        return true
    }

    /// Writes text without quotes. It must not contain characters that require escaping.
    private mutating func writePlain(_ text: String) throws {
        var text = text
        try text.withUTF8 { try writer.write(UnsafeRawBufferPointer($0)) }
    }
}
