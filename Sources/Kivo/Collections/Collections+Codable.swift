/// Lists are coded as arrays.
extension List: Decodable where Element: Decodable {
    /// Decodes an unmanaged list from an array.
    ///
    /// - Throws: An error of the decoder, for example a `DecodingError` if an element is of another type.
    /// - Complexity: O(n).
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        unmanaged = try [Element](elementsOf: decoder)
    }
}

extension List: Encodable where Element: Encodable {
    /// Encodes the elements as an array.
    ///
    /// - Throws: An error of the encoder, or of an element that cannot be encoded.
    /// - Complexity: O(n).
    public func encode(to encoder: any Encoder) throws { try encodeElements(to: encoder) }
}

/// Sets are coded as arrays. A duplicate element is decoded once.
extension MutableSet: Decodable where Element: Decodable {
    /// Decodes an unmanaged set from an array.
    ///
    /// - Throws: An error of the decoder, for example a `DecodingError` if an element is of another type.
    /// - Complexity: O(n²): each element is compared with the others.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        insert(objectsIn: try [Element](elementsOf: decoder))
    }
}

extension MutableSet: Encodable where Element: Encodable {
    /// Encodes the elements as an array.
    ///
    /// - Throws: An error of the encoder, or of an element that cannot be encoded.
    /// - Complexity: O(n).
    public func encode(to encoder: any Encoder) throws { try encodeElements(to: encoder) }
}

/// Maps are coded as dictionaries.
extension Map: Decodable where Key: Decodable, Value: Decodable {
    /// Decodes an unmanaged map from a dictionary.
    ///
    /// - Throws: A `DecodingError`, also for invalid keys: those that contain `.` or begin with `$`.
    /// - Complexity: O(n) on average.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        let container = try decoder.container(keyedBy: MapCodingKey.self)
        for key in container.allKeys {
            guard MapReference.isAllowed(key.stringValue) else {
                throw DecodingError.dataCorruptedError(
                    forKey: key, in: container,
                    debugDescription: "Keys of a map do not contain '.' or begin with '$'.")
            }
            updateValue(
                try container.decode(Value.self, forKey: key), forKey: Key(_mapKey: key.stringValue))
        }
    }
}

extension Map: Encodable where Key: Encodable, Value: Encodable {
    /// Encodes the entries as a dictionary.
    ///
    /// - Throws: An error of the encoder, or of an element that cannot be encoded.
    /// - Complexity: O(n) for a managed map, O(n log n) for an unmanaged one.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MapCodingKey.self)
        for (key, value) in entries {
            try container.encode(value, forKey: MapCodingKey(stringValue: key._mapKey))
        }
    }
}

/// Linking objects are encoded as an array, and never decoded: they are not stored.
extension LinkingObjects: Encodable where Element: Encodable {
    /// Encodes the origins as an array.
    ///
    /// - Throws: An error of the encoder, or of an element that cannot be encoded.
    /// - Complexity: O(n).
    public func encode(to encoder: any Encoder) throws { try encodeElements(to: encoder) }
}

/// The key of an entry of a map.
private struct MapCodingKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension Array where Element: Decodable {
    /// Decodes the elements of an array.
    fileprivate init(elementsOf decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        self.init()
        reserveCapacity(container.count ?? 0)
        while !container.isAtEnd { append(try container.decode(Element.self)) }
    }
}

extension RealmCollection where Element: Encodable {
    /// Encodes the elements as an array.
    func encodeElements(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for element in self { try container.encode(element) }
    }
}
