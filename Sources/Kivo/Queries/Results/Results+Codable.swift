extension Results: Encodable where Element: Encodable {
    /// Encodes the current elements as an array.
    public func encode(to encoder: any Encoder) throws { try encodeElements(to: encoder) }
}
