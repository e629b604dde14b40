extension ObjectId: CustomStringConvertible {
    /// Parses the 24 hexadecimal digits of an id, in upper or lower case.
    ///
    /// - Throws: An error that contains the text, if it has another length or contains any other character.
    public init(string: String) throws {
        guard let parsed = Self.parse(string.utf8) else { throw ParseError(text: string) }
        self = parsed
    }

    /// Parses the 24 hexadecimal digits of an id in a literal.
    ///
    /// - Precondition: The text is an id. Use ``init(string:)`` for text from other sources.
    public init(_ staticString: StaticString) {
        guard let parsed = staticString.withUTF8Buffer({ Self.parse($0) }) else {
            fatalError(ParseError(text: staticString.description).description)
        }
        self = parsed
    }

    /// The id as 24 lowercase hexadecimal digits.
    public var stringValue: String {
        String(unsafeUninitializedCapacity: 24) { buffer in
            for position in 0..<16 {
                buffer[position] = Self.hexDigit(UInt8(high >> UInt64(60 - 4 * position) & 0xF))
            }
            for position in 0..<8 {
                buffer[16 + position] = Self.hexDigit(UInt8(low >> UInt32(28 - 4 * position) & 0xF))
            }
            return 24
        }
    }

    /// The id as 24 lowercase hexadecimal digits, like ``stringValue``.
    public var description: String {
        stringValue
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    private static func parse(_ text: some Collection<UInt8>) -> ObjectId? {
        guard text.count == 24 else { return nil }
        var high: UInt64 = 0
        var low: UInt32 = 0
        for (position, character) in text.enumerated() {
            let digit: UInt8
            switch character {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = character - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = character - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = character - UInt8(ascii: "A") + 10
            default: return nil
            }
            if position < 16 {
                high = high << 4 | UInt64(digit)
            } else {
                low = low << 4 | UInt32(digit)
            }
        }
        return ObjectId(high: high, low: low)
    }

    /// The error for text that is not an id.
    package struct ParseError: Error, Equatable, CustomStringConvertible {
        package let text: String

        package var description: String {
            "'\(text)' is not an ObjectId: expected exactly 24 hexadecimal digits, like '507f1f77bcf86cd799439011'."
        }
    }
}

extension ObjectId: Codable {
    /// Decodes an id from its 24 hexadecimal digits.
    ///
    /// - Throws: A `DecodingError` if there is no string, or if the string is not an id.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let parsed = Self.parse(text.utf8) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: ParseError(text: text).description)
        }
        self = parsed
    }

    /// Encodes the id as a string of 24 hexadecimal digits.
    ///
    /// - Throws: An error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(stringValue)
    }
}
