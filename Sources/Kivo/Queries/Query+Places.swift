extension Query where T: OptionalProtocol, T.Wrapped: EmbeddedObject {
    /// Whether a location is in a shape: a ``GeoBox``, a ``GeoCircle`` or a ``GeoPolygon``.
    ///
    ///     restaurants.where { $0.location.geoWithin(GeoCircle(center: home, radius: walk)) }
    ///
    /// A location is an embedded object with a `type`, which is "Point", and `coordinates`, a list of its longitude and its
    /// latitude in degrees. One that is nil, or has fewer than two coordinates, is nowhere. Traps if the class has no such
    /// properties, and on a shape that makes no sense.
    public func geoWithin<U: RLMGeospatial>(_ value: U) -> Query<Bool> { compared(.geoWithin, value) }
}
