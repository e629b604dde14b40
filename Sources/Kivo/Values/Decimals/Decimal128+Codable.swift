import Foundation

extension Decimal128: Codable {
    /// Decodes a number from its text, or from a number.
    ///
    /// - Throws: A `DecodingError` if there is neither.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let decoded: Decimal128?
        if let text = try? container.decode(String.self) {
            decoded = Self.parse(text.utf8)
        } else if let integer = try? container.decode(Int64.self) {
            decoded = Decimal128(integer)
        } else if let decimal = try? container.decode(Decimal.self) {
            // If the format writes decimal digits, like JSON, this preserves all of them.
            decoded = Self.parse(decimal.description.utf8)
        } else if let double = try? container.decode(Double.self) {
            decoded = Decimal128(double)
        } else {
            decoded = nil
        }
        guard let decoded else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "There is no decimal number.")
        }
        self = decoded
    }

    /// Encodes the number as text, which preserves all of its digits in every format. The text is that of ``description`` or, if
    /// that has a positive exponent, the form of the established engine, `1.5E2`.
    ///
    /// - Throws: An error of the encoder, or of an element that cannot be encoded.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(exchangedText)
    }
}
