/// A shape on the earth, for `geoWithin`: ``GeoBox``, ``GeoCircle`` or ``GeoPolygon``.
public protocol RLMGeospatial: Sendable {}

/// The points between two latitudes and two longitudes.
///
/// A box whose left side lies east of its right side crosses the antimeridian. Its sides belong to it. A query traps if the
/// bottom of the box is above its top.
public struct GeoBox: RLMGeospatial, Hashable {
    /// The corner in the south-west.
    public let bottomLeft: GeoPoint
    /// The corner in the north-east.
    public let topRight: GeoPoint

    /// Creates a box between two corners.
    public init(bottomLeft: GeoPoint, topRight: GeoPoint) {
        (self.bottomLeft, self.topRight) = (bottomLeft, topRight)
    }

    /// Creates a box between two corners, which are latitudes and longitudes. Returns nil if one of them is no valid point.
    public init?(bottomLeft: (Double, Double), topRight: (Double, Double)) {
        guard let bottomLeft = GeoPoint(bottomLeft.0, bottomLeft.1),
            let topRight = GeoPoint(topRight.0, topRight.1)
        else { return nil }
        self.init(bottomLeft: bottomLeft, topRight: topRight)
    }
}

/// The points within a distance of a centre.
public struct GeoCircle: RLMGeospatial, Hashable {
    /// The centre.
    public let center: GeoPoint
    /// The radius, as an angle.
    public let radians: Double

    /// Creates a circle around a point. Returns nil if the radius is negative.
    public init?(center: GeoPoint, radiusInRadians: Double) {
        guard radiusInRadians >= 0 else { return nil }
        (self.center, radians) = (center, radiusInRadians)
    }

    /// Creates a circle around a point.
    public init(center: GeoPoint, radius: Distance) {
        (self.center, radians) = (center, radius.radians)
    }

    /// Creates a circle around a latitude and a longitude. Returns nil if these are no valid point, or the radius is negative.
    public init?(center: (Double, Double), radiusInRadians: Double) {
        guard let center = GeoPoint(center.0, center.1) else { return nil }
        self.init(center: center, radiusInRadians: radiusInRadians)
    }

    /// Creates a circle around a latitude and a longitude. Returns nil if these are no valid point.
    public init?(center: (Double, Double), radius: Distance) {
        guard let center = GeoPoint(center.0, center.1) else { return nil }
        self.init(center: center, radius: radius)
    }
}

/// The points within a ring, except for those in its holes.
///
/// Rings are closed: their first point is their last. Edges are the shortest paths on the sphere, and a ring encloses the smaller
/// of its two sides. The rings themselves belong to the polygon.
///
/// A query traps if a ring has fewer than three different points or crosses itself, or if a hole crosses another ring. It also
/// traps if a hole is not in the outer ring, or is in another hole.
public struct GeoPolygon: RLMGeospatial, Hashable {
    /// The ring around the polygon.
    public let outerRing: [GeoPoint]
    /// The rings of the holes.
    public let holes: [[GeoPoint]]?

    /// Creates a polygon within a ring. Returns nil if a ring has fewer than four points or is not closed.
    public init?(outerRing: [GeoPoint], holes: [[GeoPoint]]? = nil) {
        for ring in [outerRing] + (holes ?? []) where ring.count < 4 || ring.first != ring.last { return nil }
        (self.outerRing, self.holes) = (outerRing, holes)
    }

    /// Creates a polygon from latitudes and longitudes. Returns nil if one of them is no valid point, or if a ring has fewer than
    /// four points or is not closed.
    public init?(outerRing: [(Double, Double)], holes: [[(Double, Double)]]? = nil) {
        guard let outerRing = GeoPolygon.ring(outerRing) else { return nil }
        var rings: [[GeoPoint]]?
        for hole in holes ?? [] {
            guard let ring = GeoPolygon.ring(hole) else { return nil }
            rings = (rings ?? []) + [ring]
        }
        self.init(outerRing: outerRing, holes: rings)
    }

    /// Creates a polygon from latitudes and longitudes. Returns nil if one of them is no valid point, or if a ring has fewer than
    /// four points or is not closed.
    public init?(outerRing: [(Double, Double)], holes: [(Double, Double)]...) {
        self.init(outerRing: outerRing, holes: holes)
    }

    private static func ring(_ pairs: [(Double, Double)]) -> [GeoPoint]? {
        let points = pairs.compactMap { GeoPoint($0.0, $0.1) }
        return points.count == pairs.count ? points : nil
    }
}

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

/// A distance on the earth, for example the radius of a ``GeoCircle``, as an angle at the centre of the earth.
///
/// The earth is a sphere with a radius of 6378.1 kilometers.
public struct Distance: Hashable, Sendable {
    /// The distance in radians.
    public let radians: Double

    private init?(checked radians: Double) {
        guard radians >= 0 else { return nil }
        self.radians = radians
    }

    /// Returns a distance in kilometers, or nil if it is negative.
    public static func kilometers(_ kilometers: Double) -> Distance? {
        Distance(checked: kilometers / earthRadius)
    }

    /// Returns a distance in miles of 1609.344 meters, or nil if it is negative.
    public static func miles(_ miles: Double) -> Distance? {
        Distance(checked: miles * kilometersPerMile / earthRadius)
    }

    /// Returns a distance in degrees, or nil if it is negative.
    public static func degrees(_ degrees: Double) -> Distance? { Distance(checked: degrees * .pi / 180) }

    /// Returns a distance in radians, or nil if it is negative.
    public static func radians(_ radians: Double) -> Distance? { Distance(checked: radians) }

    /// Returns the distance in kilometers.
    public func asKilometers() -> Double { radians * Distance.earthRadius }
    /// Returns the distance in miles.
    public func asMiles() -> Double { asKilometers() / Distance.kilometersPerMile }
    /// Returns the distance in degrees.
    public func asDegrees() -> Double { radians * 180 / .pi }

    private static let earthRadius = 6378.1
    private static let kilometersPerMile = 1.609344
}
