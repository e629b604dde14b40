/// Classes with observed properties are `Codable` if they declare the conformance and their values are: the compiler synthesises the
/// rest.
///
///     final class Account: KeyValueObservable, Codable {
///         @Observed var balance = 0
///         @Observed var owner: String?
///     }
///
/// A missing key is nil for an optional property, and nil has no key. For other properties decoding throws, like for plain stored
/// properties. Decoding notifies no observer, since it creates the object.
extension Observed: Decodable where Value: Decodable {
    /// Decodes the value of a property.
    ///
    /// - Throws: An error of the decoder, for example a `DecodingError` if the value is of another type.
    public init(from decoder: any Decoder) throws {
        // The container converts dates, bytes and numbers by its own strategies.
        self.init(wrappedValue: try decoder.singleValueContainer().decode(Value.self))
    }
}

extension Observed: Encodable where Value: Encodable {
    /// Encodes the value of a property.
    ///
    /// - Throws: An error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(stored)
    }
}

extension KeyedDecodingContainer {
    /// Decodes an optional observed property: it is nil if its key is missing.
    ///
    /// - Throws: An error of the decoder, for example a `DecodingError` if the value is of another type.
    public func decode<Value: Decodable>(_ type: Observed<Value?>.Type, forKey key: Key) throws -> Observed<
        Value?
    > {
        Observed(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
    }
}

extension KeyedEncodingContainer {
    /// Encodes an optional observed property: nil is encoded as no key.
    ///
    /// - Throws: An error of the encoder.
    public mutating func encode<Value: Encodable>(_ property: Observed<Value?>, forKey key: Key) throws {
        try encodeIfPresent(property.stored, forKey: key)
    }
}
