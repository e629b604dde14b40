/// Models are `Codable` if they declare the conformance and their properties are: the compiler synthesises the rest.
///
///     class Dog: Object, Codable {
///         @Persisted var name: String
///         @Persisted var age: Int?
///         @Persisted var friends: List<Dog>
///     }
///
/// A missing key is nil for an optional property. For other properties decoding throws, like for plain stored properties.
extension Persisted: Decodable where Value: _Persistable & Decodable {
    /// Decodes the value of a property.
    ///
    /// - Throws: An error of the decoder, for example a `DecodingError` if an element is of another type.
    public init(from decoder: any Decoder) throws {
        // The container converts dates, bytes and numbers by its own strategies.
        stored = try decoder.singleValueContainer().decode(Value.self)
        column = PersistedColumn.unbound
    }
}

extension Persisted: Encodable where Value: _Persistable & Encodable {
    /// Encodes the value of a property of an unmanaged object. A property without a default that was never read has the default
    /// of its type.
    ///
    /// - Throws: An `EncodingError` if the object is managed: its values are in the realm, and a property alone has no reference
    ///   to them. Encode an unmanaged copy, `Dog(value: dog)`, or write `encode(to:)` of the class by hand.
    public func encode(to encoder: any Encoder) throws {
        guard PersistedColumn.isUnmanaged(column) else {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription: """
                        Only unmanaged objects can be encoded by the 'encode(to:)' that the compiler makes. Encode an \
                        unmanaged copy, made by 'init(value:)', or write 'encode(to:)' of the class by hand.
                        """))
        }
        var container = encoder.singleValueContainer()
        try container.encode(stored ?? Value._layout.type.makeDefault())
    }
}

/// A property wrapper whose value can be nil, so that its key can be missing. Not for use by applications.
public protocol _OptionalCodingWrapper {
    associatedtype WrappedType: ExpressibleByNilLiteral
    init(wrappedValue: WrappedType)
}

extension Persisted: _OptionalCodingWrapper where Value: _Persistable & ExpressibleByNilLiteral {}

extension KeyedDecodingContainer {
    /// Decodes an optional property: it is nil if its key is missing.
    ///
    /// - Throws: An error of the decoder, for example a `DecodingError` if the value is of another type.
    public func decode<Wrapper: Decodable & _OptionalCodingWrapper>(_ type: Wrapper.Type, forKey key: Key)
        throws
        -> Wrapper
    {
        try decodeIfPresent(type, forKey: key) ?? Wrapper(wrappedValue: nil)
    }
}
