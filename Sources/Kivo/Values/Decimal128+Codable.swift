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
            // Where the format writes decimal digits, as JSON does, this keeps them all.
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

    /// Encodes the number as text, which keeps all of its digits in every format: that of ``description`` or, where this has a
    /// positive exponent, as the established engine writes it, `1.5E2`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(exchangedText)
    }
}
