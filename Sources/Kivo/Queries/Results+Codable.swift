extension Results: Encodable where Element: Encodable {
    /// Encodes the elements, as they are now, as an array.
    public func encode(to encoder: any Encoder) throws { try encodeElements(to: encoder) }
}
