/// A point on the earth, of which shapes for `geoWithin` are made: a latitude and a longitude in degrees.
///
/// It cannot be stored. Objects say where they are by an embedded object with a `type`, which is "Point", and `coordinates`,
/// the longitude first:
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
    /// The height, which no query looks at.
    public let altitude: Double

    /// A point; nil if the latitude is not from -90 to 90 or the longitude not from -180 to 180.
    public init?(latitude: Double, longitude: Double) {
        self.init(latitude: latitude, longitude: longitude, altitude: 0)
    }

    /// A point; nil if the latitude is not from -90 to 90, the longitude not from -180 to 180, or the altitude negative.
    public init?(latitude: Double, longitude: Double, altitude: Double) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude), altitude >= 0 else {
            return nil
        }
        (self.latitude, self.longitude, self.altitude) = (latitude, longitude, altitude)
    }

    /// A point; nil if the latitude is not from -90 to 90 or the longitude not from -180 to 180.
    public init?(_ latitude: Double, _ longitude: Double, _ altitude: Double = 0) {
        self.init(latitude: latitude, longitude: longitude, altitude: altitude)
    }
}
