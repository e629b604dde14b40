import Foundation

/// The reason why a shape is invalid.
struct GeoProblem: Error {
    let words: String

    init(_ words: String) { self.words = words }
}

/// A shape that is prepared for tests of points.
struct GeoArea: Sendable {
    private enum Kind {
        case box(GeoBox)
        /// The centre, and the square of the straight distance from there to the border of the circle.
        case circle(SpherePoint, Double)
        case polygon(SphereRing, holes: [SphereRing])
    }

    private let kind: Kind

    /// Creates the area of a shape. Throws if the shape is invalid.
    init(_ shape: any RLMGeospatial) throws(GeoProblem) {
        switch shape {
        case let box as GeoBox:
            if box.bottomLeft.latitude > box.topRight.latitude {
                throw GeoProblem("the bottom of the box is above its top")
            }
            kind = .box(box)
        case let circle as GeoCircle:
            let half = sin(min(circle.radians, .pi) / 2)
            kind = .circle(SpherePoint(circle.center), 4 * half * half)
        case let polygon as GeoPolygon:
            let outer = try SphereRing(polygon.outerRing)
            var holes: [SphereRing] = []
            for ring in polygon.holes ?? [] {
                let hole = try SphereRing(ring)
                if !outer.encloses(hole) {
                    throw GeoProblem("a hole is not in the outer ring of the polygon")
                }
                if holes.contains(where: { !$0.isApart(from: hole) }) {
                    throw GeoProblem("two holes of the polygon overlap")
                }
                holes.append(hole)
            }
            kind = .polygon(outer, holes: holes)
        default: throw GeoProblem("a '\(type(of: shape))' is no GeoBox, GeoCircle or GeoPolygon")
        }
    }

    /// Returns whether the area contains a point, in degrees. Coordinates that are out of range wrap around the earth. No area
    /// contains a point whose coordinates are not finite.
    func contains(latitude: Double, longitude: Double) -> Bool {
        guard latitude.isFinite, longitude.isFinite else { return false }
        switch kind {
        case .box(let box):
            if abs(latitude) <= 90, abs(longitude) <= 180 { return box.contains(latitude, longitude) }
            let (latitude, longitude) = SpherePoint(latitude: latitude, longitude: longitude).degrees
            return box.contains(latitude, longitude)
        case .circle(let center, let square):
            return center.squaredLine(to: SpherePoint(latitude: latitude, longitude: longitude)) <= square
        case .polygon(let outer, let holes):
            let point = SpherePoint(latitude: latitude, longitude: longitude)
            return outer.position(of: point) != .outside
                && !holes.contains { $0.position(of: point) == .inside }
        }
    }
}

extension GeoBox {
    fileprivate func contains(_ latitude: Double, _ longitude: Double) -> Bool {
        guard latitude >= bottomLeft.latitude, latitude <= topRight.latitude else { return false }
        var (west, east) = (bottomLeft.longitude, topRight.longitude)
        // The antimeridian has two longitudes.
        if west == -180, east != 180 { west = 180 }
        if east == -180, west != 180 { east = 180 }
        let longitude = longitude == -180 ? 180 : longitude
        if west <= east { return longitude >= west && longitude <= east }
        return longitude >= west || longitude <= east
    }
}
