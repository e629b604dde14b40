/// JSON text that is built piece by piece. The caller is responsible for the order of the pieces; commas are inserted
/// automatically.
struct JSONText {
    private var bytes: [UInt8] = []
    /// Whether the open object or array already has a member or element.
    private var needsComma = false

    func withBytes(_ body: (UnsafeBufferPointer<UInt8>) -> Void) { bytes.withUnsafeBufferPointer(body) }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    private mutating func begin() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func write(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Writes an object. `body` writes its members.
    mutating func object(_ body: (inout JSONText) throws -> Void) rethrows {
        try enclosed("{", "}", body)
    }

    /// Writes an array. `body` writes its elements.
    mutating func array(_ body: (inout JSONText) throws -> Void) rethrows {
        try enclosed("[", "]", body)
    }

    private mutating func enclosed(
        _ start: StaticString, _ end: StaticString, _ body: (inout JSONText) throws -> Void
    ) rethrows {
        begin()
        write(start)
        needsComma = false
        try body(&self)
        write(end)
        needsComma = true
    }

    /// Writes the name of a member; its value follows.
    mutating func name(_ name: String) {
        string(name)
        write(":")
        needsComma = false
    }

    mutating func null() {
        begin()
        write("null")
    }

    mutating func bool(_ value: Bool) {
        begin()
        write(value ? "true" : "false")
    }

    /// Writes a number. Numbers beyond ±2^53 become strings, because many readers of JSON cannot represent them.
    mutating func number(_ value: Int) {
        if UInt64(value.magnitude) > 1 << 53 { return string(String(value)) }
        begin()
        bytes.append(contentsOf: String(value).utf8)
    }

    /// Writes a finite number with as few digits as identify it.
    mutating func number(finite value: Double) {
        begin()
        bytes.append(contentsOf: value.description.utf8)
    }

    mutating func number(finite value: Float) {
        begin()
        bytes.append(contentsOf: value.description.utf8)
    }

    mutating func string(_ value: String) {
        begin()
        bytes.append(UInt8(ascii: "\""))
        var value = value
        value.withUTF8 { utf8 in
            // Whether the byte before is the first of two, which may be a control character beyond ASCII.
            var isSecond = false
            for byte in utf8 {
                if isSecond {
                    isSecond = false
                    if byte < 0xA0 {
                        write("\\u00")
                        hexadecimal(byte)
                        continue
                    }
                    bytes.append(0xC2)
                }
                switch byte {
                case 0xC2: isSecond = true
                case UInt8(ascii: "\""): write("\\\"")
                case UInt8(ascii: "\\"): write("\\\\")
                case UInt8(ascii: "\n"): write("\\n")
                case UInt8(ascii: "\r"): write("\\r")
                case UInt8(ascii: "\t"): write("\\t")
                case 0..<0x20, 0x7F:
                    write("\\u00")
                    hexadecimal(byte)
                default: bytes.append(byte)
                }
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes bytes as a string of hexadecimal digits.
    mutating func hexadecimal(_ value: some Sequence<UInt8>) {
        begin()
        bytes.append(UInt8(ascii: "\""))
        for byte in value { hexadecimal(byte) }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func hexadecimal(_ byte: UInt8) {
        for digit in [byte >> 4, byte & 15] {
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
        }
    }

    /// Writes a word as a string of 16 hexadecimal digits.
    mutating func bits(_ word: UInt64) {
        withUnsafeBytes(of: word.bigEndian) { hexadecimal($0) }
    }

    /// Writes a value that was written elsewhere.
    mutating func value(_ other: JSONText) {
        begin()
        bytes += other.bytes
    }

    /// Ends the line; another document follows.
    mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
        needsComma = false
    }
}

extension JSONText {
    mutating func member(_ name: String, _ value: String?) {
        self.name(name)
        if let value { string(value) } else { null() }
    }

    mutating func member(_ name: String, _ value: Int?) {
        self.name(name)
        if let value { number(value) } else { null() }
    }

    mutating func member(_ name: String, _ value: Bool) {
        self.name(name)
        bool(value)
    }

    mutating func member(_ name: String, _ numbers: [Int]) {
        self.name(name)
        array { json in for number in numbers { json.number(number) } }
    }

    /// Returns one document on a line of its own.
    static func line(_ body: (inout JSONText) throws -> Void) rethrows -> JSONText {
        var json = JSONText()
        try json.object(body)
        json.endLine()
        return json
    }
}
