/// A point on the earth, for shapes of `geoWithin`: a latitude and a longitude in degrees.
///
/// It cannot be stored. Objects store a location as an embedded object with a `type`, which is "Point", and `coordinates`, the
/// longitude first:
///
///     class Location: EmbeddedObject {
///         @Persisted private var type = "Point"
///         @Persisted private var coordinates: List<Double>
///     }
public struct GeoPoint: Hashable, Sendable {
    /// The latitude in degrees, north of the equator.
    public let latitude: Double
    /// The longitude in degrees, east of Greenwich.
    public let longitude: Double
    /// The height, which queries ignore.
    public let altitude: Double

    /// Creates a point. Returns nil unless the latitude is from -90 to 90 and the longitude from -180 to 180.
    public init?(latitude: Double, longitude: Double) {
        self.init(latitude: latitude, longitude: longitude, altitude: 0)
    }

    /// Creates a point. Returns nil unless the latitude is from -90 to 90, the longitude from -180 to 180, and the altitude not
    /// negative.
    public init?(latitude: Double, longitude: Double, altitude: Double) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude), altitude >= 0 else {
            return nil
        }
        (self.latitude, self.longitude, self.altitude) = (latitude, longitude, altitude)
    }

    /// Creates a point. Returns nil unless the latitude is from -90 to 90, the longitude from -180 to 180, and the altitude not
    /// negative.
    public init?(_ latitude: Double, _ longitude: Double, _ altitude: Double = 0) {
        self.init(latitude: latitude, longitude: longitude, altitude: altitude)
    }
}
