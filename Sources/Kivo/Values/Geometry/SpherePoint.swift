import Foundation

/// A point on the unit sphere, as the vector to it from the centre.
struct SpherePoint: Sendable, Equatable {
    let vector: SIMD3<Double>

    /// Creates the point in the direction of a vector, which must not be 0.
    init(direction: SIMD3<Double>) { vector = direction / direction.length }

    /// Creates a point from degrees.
    init(latitude: Double, longitude: Double) {
        let (latitude, longitude) = (latitude * .pi / 180, longitude * .pi / 180)
        vector = [cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude)]
    }

    init(_ point: GeoPoint) { self.init(latitude: point.latitude, longitude: point.longitude) }

    /// The latitude and the longitude in degrees.
    var degrees: (latitude: Double, longitude: Double) {
        (
            atan2(vector.z, (vector.x * vector.x + vector.y * vector.y).squareRoot()) * 180 / .pi,
            atan2(vector.y, vector.x) * 180 / .pi
        )
    }

    /// Returns the square of the length of the straight line to another point.
    func squaredLine(to other: SpherePoint) -> Double {
        let line = vector - other.vector
        return line.dot(line)
    }
}

extension SIMD3<Double> {
    var length: Double { dot(self).squareRoot() }

    func dot(_ other: SIMD3<Double>) -> Double { (self * other).sum() }

    func cross(_ other: SIMD3<Double>) -> SIMD3<Double> {
        [y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x]
    }
}
