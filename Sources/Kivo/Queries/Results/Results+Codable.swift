extension Results: Encodable where Element: Encodable {
    /// Encodes the current elements as an array.
    ///
    /// - Throws: An error of the encoder, or of an element that cannot be encoded.
    /// - Complexity: O(n).
    public func encode(to encoder: any Encoder) throws { try encodeElements(to: encoder) }
}
