extension Query where T: OptionalProtocol, T.Wrapped: EmbeddedObject {
    /// Returns the condition that a location is in a shape: a ``GeoBox``, a ``GeoCircle`` or a ``GeoPolygon``.
    ///
    ///     restaurants.where { $0.location.geoWithin(GeoCircle(center: home, radius: walk)) }
    ///
    /// A location is an embedded object with a `type`, which is "Point", and `coordinates`, a list of its longitude and its
    /// latitude in degrees. A location that is nil, or has fewer than two coordinates, is in no shape.
    ///
    /// - Precondition: The class has such properties, and the shape is valid.
    public func geoWithin<U: RLMGeospatial>(_ value: U) -> Query<Bool> { compared(.geoWithin, value) }
}
