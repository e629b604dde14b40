/// A writer of JSON text that passes it to a closure piece by piece.
///
/// The creator must release it.
struct JSONWriter {
    private let buffer: UnsafeMutablePointer<UInt8>
    private var used = 0
    private let sink: (UnsafeRawBufferPointer) throws -> Void

    private let capacity: Int

    /// The maximum number of bytes that are written in one step.
    private static let step = 1 << 16

    /// - Parameter capacity: The size of the buffer: at least the bytes of one step, which for names is less than for values.
    init(capacity: Int = 1 << 18, _ sink: @escaping (UnsafeRawBufferPointer) throws -> Void) {
        self.sink = sink
        self.capacity = capacity
        buffer = .allocate(capacity: capacity)
    }

    func release() { buffer.deallocate() }

    /// Passes on the buffered text.
    mutating func flush() throws {
        if used == 0 { return }
        try sink(UnsafeRawBufferPointer(start: buffer, count: used))
        used = 0
    }

    /// Reserves space for a number of bytes, at most `step`.
    @inline(__always)
    private mutating func reserve(_ count: Int) throws {
        if capacity - used < count {
            try flush()
            precondition(count <= capacity)
        }
    }

    @inline(__always)
    mutating func write(_ text: StaticString) throws {
        try reserve(text.utf8CodeUnitCount)
        (buffer + used).update(from: text.utf8Start, count: text.utf8CodeUnitCount)
        used += text.utf8CodeUnitCount
    }

    /// Writes bytes of JSON.
    @inline(__always)
    mutating func write(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try write($0) }
    }

    /// Writes a few bytes of JSON.
    @inline(__always)
    mutating func write(short bytes: UnsafeRawBufferPointer) throws {
        // Copying eight bytes at a time is faster than a call for a few bytes.
        guard let start = bytes.baseAddress, bytes.count <= JSONWriter.step else { return try write(bytes) }
        try reserve(bytes.count)
        let end = UnsafeMutableRawPointer(buffer + used)
        var index = 0
        while index + 8 <= bytes.count {
            end.storeBytes(
                of: start.loadUnaligned(fromByteOffset: index, as: UInt64.self), toByteOffset: index,
                as: UInt64.self)
            index += 8
        }
        while index < bytes.count {
            end.storeBytes(
                of: start.load(fromByteOffset: index, as: UInt8.self), toByteOffset: index, as: UInt8.self)
            index += 1
        }
        used += bytes.count
    }

    /// Writes bytes of JSON.
    mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
        var bytes = bytes
        while bytes.count > JSONWriter.step {
            try write(UnsafeRawBufferPointer(rebasing: bytes[..<JSONWriter.step]))
            bytes = UnsafeRawBufferPointer(rebasing: bytes[JSONWriter.step...])
        }
        guard let start = bytes.baseAddress else { return }
        try reserve(bytes.count)
        UnsafeMutableRawPointer(buffer + used).copyMemory(from: start, byteCount: bytes.count)
        used += bytes.count
    }

    /// Writes a number of any size.
    @inline(__always)
    mutating func write(digits value: Int64) throws {
        try reserve(20)
        var rest = value.magnitude
        if value < 0 {
            buffer[used] = UInt8(ascii: "-")
            used += 1
        }
        if rest < 10 {
            buffer[used] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest)
            used += 1
            return
        }
        var count = 2
        var bound: UInt64 = 100
        while count < 20, rest >= bound {
            count += 1
            // 10^20 exceeds 64 bits, and is not needed.
            bound &*= 10
        }
        var position = used + count
        used = position
        while position > used - count {
            position -= 1
            buffer[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }

    /// Writes a number. Numbers beyond ±2^53 become strings, because many readers of JSON cannot represent them.
    @inline(__always)
    mutating func write(number value: Int64) throws {
        if value.magnitude <= 1 << 53 { return try write(digits: value) }
        try write("\"")
        try write(digits: value)
        try write("\"")
    }

    /// Writes bits as hexadecimal digits.
    mutating func write(bits: UInt64, digits: Int) throws {
        try reserve(digits)
        for index in 0..<digits {
            let digit = UInt8(truncatingIfNeeded: bits >> UInt64(4 * (digits - 1 - index)) & 15)
            buffer[used + index] = JSONWriter.hexadecimal(digit)
        }
        used += digits
    }

    /// Writes bytes as hexadecimal digits.
    mutating func write(hexadecimal bytes: UnsafeRawBufferPointer) throws {
        var bytes = bytes
        while bytes.count > JSONWriter.step / 2 {
            try write(hexadecimal: UnsafeRawBufferPointer(rebasing: bytes[..<(JSONWriter.step / 2)]))
            bytes = UnsafeRawBufferPointer(rebasing: bytes[(JSONWriter.step / 2)...])
        }
        try reserve(2 * bytes.count)
        for byte in bytes {
            buffer[used] = JSONWriter.hexadecimal(byte >> 4)
            buffer[used + 1] = JSONWriter.hexadecimal(byte & 15)
            used += 2
        }
    }

    /// Writes a text with its quotes. The bytes must be valid UTF-8.
    mutating func write(text: UnsafeRawBufferPointer) throws {
        // A byte takes at most 6 bytes of JSON.
        var text = text
        try write("\"")
        while text.count > JSONWriter.step / 8 {
            try write(escaped: UnsafeRawBufferPointer(rebasing: text[..<(JSONWriter.step / 8)]))
            text = UnsafeRawBufferPointer(rebasing: text[(JSONWriter.step / 8)...])
        }
        try write(escaped: text)
        try write("\"")
    }

    mutating func write(text: String) throws {
        var text = text
        try text.withUTF8 { try write(text: UnsafeRawBufferPointer($0)) }
    }

    /// Writes a text with its quotes if it is short and no character requires escaping or validation. Otherwise writes nothing
    /// and returns false.
    @inline(__always)
    mutating func writePlain(_ text: UnsafeRawBufferPointer) throws -> Bool {
        guard text.count <= JSONWriter.step else { return false }
        try reserve(text.count + 2)
        let start = buffer + used
        start[0] = UInt8(ascii: "\"")
        let count = text.count
        var index = 0
        while index + 8 <= count {
            let word = text.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            if JSONWriter.needsCare(word) { return false }
            UnsafeMutableRawPointer(start + 1 + index).storeBytes(of: word, as: UInt64.self)
            index += 8
        }
        while index < count {
            let byte = text[index]
            if byte < 0x20 || byte >= 0x80 || byte == 0x22 || byte == 0x5C { return false }
            start[1 + index] = byte
            index += 1
        }
        start[1 + count] = UInt8(ascii: "\"")
        used += count + 2
        return true
    }

    /// Whether one of eight bytes is not ASCII, a control character, a quote or a backslash.
    @inline(__always)
    private static func needsCare(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        let quotes = word ^ ones &* 0x22
        let backslashes = word ^ ones &* 0x5C
        // The subtractions borrow from the top bit of each byte that is smaller.
        return (word | (word &- ones &* 0x20) | (quotes &- ones) | (backslashes &- ones)) & tops != 0
    }

    private mutating func write(escaped text: UnsafeRawBufferPointer) throws {
        try reserve(6 * text.count)
        for byte in text {
            switch byte {
            case 0x22: put("\"", after: "\\")
            case 0x5C: put("\\", after: "\\")
            case 0x08: put("b", after: "\\")
            case 0x09: put("t", after: "\\")
            case 0x0A: put("n", after: "\\")
            case 0x0C: put("f", after: "\\")
            case 0x0D: put("r", after: "\\")
            case 0..<0x20:
                put("u", after: "\\")
                put("0", after: "0")
                buffer[used] = JSONWriter.hexadecimal(byte >> 4)
                buffer[used + 1] = JSONWriter.hexadecimal(byte & 15)
                used += 2
            default:
                buffer[used] = byte
                used += 1
            }
        }
    }

    private mutating func put(_ second: Unicode.Scalar, after first: Unicode.Scalar) {
        buffer[used] = UInt8(truncatingIfNeeded: first.value)
        buffer[used + 1] = UInt8(truncatingIfNeeded: second.value)
        used += 2
    }

    @inline(__always)
    private static func hexadecimal(_ digit: UInt8) -> UInt8 {
        digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit
    }
}

/// A check whether bytes in several parts are valid UTF-8.
struct UTF8Validity {
    /// The number of bytes that are missing to complete the current character.
    private var remaining = 0
    /// The valid range of the next byte, if the character needs one.
    private var low: UInt8 = 0x80
    private var high: UInt8 = 0xBF
    private var isBroken = false

    var isValid: Bool { !isBroken && remaining == 0 }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var index = 0
        while index < bytes.count, !isBroken {
            if remaining == 0 {
                while index + 8 <= bytes.count,
                    bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
                {
                    index += 8
                }
                if index == bytes.count { return }
            }
            take(bytes[index])
            index += 1
        }
    }

    private mutating func take(_ byte: UInt8) {
        if remaining > 0 {
            guard byte >= low, byte <= high else { return isBroken = true }
            remaining -= 1
            (low, high) = (0x80, 0xBF)
            return
        }
        switch byte {
        case 0..<0x80: break
        case 0xC2...0xDF: remaining = 1
        case 0xE0...0xEF:
            remaining = 2
            // Excludes values that fit into two bytes, and surrogates of UTF-16.
            if byte == 0xE0 { low = 0xA0 }
            if byte == 0xED { high = 0x9F }
        case 0xF0...0xF4:
            remaining = 3
            if byte == 0xF0 { low = 0x90 }
            if byte == 0xF4 { high = 0x8F }
        default: isBroken = true
        }
    }
}
