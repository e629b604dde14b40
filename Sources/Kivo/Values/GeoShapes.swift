/// A shape on the earth, for `geoWithin`: ``GeoBox``, ``GeoCircle`` or ``GeoPolygon``.
public protocol RLMGeospatial: Sendable {}

/// The points between two latitudes and two longitudes.
///
/// A box whose left side lies east of its right one goes over the antimeridian. Its sides belong to it. A query traps if
/// its bottom is above its top.
public struct GeoBox: RLMGeospatial, Hashable {
    /// The corner in the south-west.
    public let bottomLeft: GeoPoint
    /// The corner in the north-east.
    public let topRight: GeoPoint

    /// A box between two corners.
    public init(bottomLeft: GeoPoint, topRight: GeoPoint) {
        (self.bottomLeft, self.topRight) = (bottomLeft, topRight)
    }

    /// A box between two corners, which are latitudes and longitudes; nil if these are no points.
    public init?(bottomLeft: (Double, Double), topRight: (Double, Double)) {
        guard let bottomLeft = GeoPoint(bottomLeft.0, bottomLeft.1),
            let topRight = GeoPoint(topRight.0, topRight.1)
        else { return nil }
        self.init(bottomLeft: bottomLeft, topRight: topRight)
    }
}

/// The points that are no farther from a point than a distance.
public struct GeoCircle: RLMGeospatial, Hashable {
    /// The point in the middle.
    public let center: GeoPoint
    /// The radius, as an angle.
    public let radians: Double

    /// A circle around a point; nil if the radius is negative.
    public init?(center: GeoPoint, radiusInRadians: Double) {
        guard radiusInRadians >= 0 else { return nil }
        (self.center, radians) = (center, radiusInRadians)
    }

    /// A circle around a point.
    public init(center: GeoPoint, radius: Distance) {
        (self.center, radians) = (center, radius.radians)
    }

    /// A circle around a latitude and a longitude; nil if these are no point, or the radius is negative.
    public init?(center: (Double, Double), radiusInRadians: Double) {
        guard let center = GeoPoint(center.0, center.1) else { return nil }
        self.init(center: center, radiusInRadians: radiusInRadians)
    }

    /// A circle around a latitude and a longitude; nil if these are no point.
    public init?(center: (Double, Double), radius: Distance) {
        guard let center = GeoPoint(center.0, center.1) else { return nil }
        self.init(center: center, radius: radius)
    }
}

/// The points within a ring, without those in holes of it.
///
/// Rings are closed: their first point is their last. What joins two points is the shortest way on the sphere, and what a
/// ring encloses is the smaller of the two sides. The rings themselves belong to the polygon. A query traps if a ring has
/// fewer than three different points or crosses itself, or a hole another ring; if a hole is not in the outer ring, or is
/// in another hole.
public struct GeoPolygon: RLMGeospatial, Hashable {
    /// The ring around the polygon.
    public let outerRing: [GeoPoint]
    /// The rings around what is cut out of it.
    public let holes: [[GeoPoint]]?

    /// A polygon within a ring; nil if a ring has fewer than four points or is not closed.
    public init?(outerRing: [GeoPoint], holes: [[GeoPoint]]? = nil) {
        for ring in [outerRing] + (holes ?? []) where ring.count < 4 || ring.first != ring.last { return nil }
        (self.outerRing, self.holes) = (outerRing, holes)
    }

    /// A polygon of latitudes and longitudes; nil if these are no points, or a ring has fewer than four or is not closed.
    public init?(outerRing: [(Double, Double)], holes: [[(Double, Double)]]? = nil) {
        guard let outerRing = GeoPolygon.ring(outerRing) else { return nil }
        var rings: [[GeoPoint]]?
        for hole in holes ?? [] {
            guard let ring = GeoPolygon.ring(hole) else { return nil }
            rings = (rings ?? []) + [ring]
        }
        self.init(outerRing: outerRing, holes: rings)
    }

    /// A polygon of latitudes and longitudes; nil if these are no points, or a ring has fewer than four or is not closed.
    public init?(outerRing: [(Double, Double)], holes: [(Double, Double)]...) {
        self.init(outerRing: outerRing, holes: holes)
    }

    private static func ring(_ pairs: [(Double, Double)]) -> [GeoPoint]? {
        let points = pairs.compactMap { GeoPoint($0.0, $0.1) }
        return points.count == pairs.count ? points : nil
    }
}
