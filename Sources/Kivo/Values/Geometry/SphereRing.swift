import Foundation

/// A closed ring of shortest paths on the sphere, and the smaller of its two sides.
///
/// The side of a point follows from the number of times that the shortest path from there to a reference point crosses the ring.
struct SphereRing: Sendable {
    enum Position { case inside, border, outside }

    /// A point that is far from the great circles of all edges.
    private struct Reference {
        let point: SpherePoint
        /// Whether the point is to the left of each edge.
        let isLeft: [Bool]
        var isInside = false
    }

    private let vertices: [SIMD3<Double>]
    /// The unit vector to the left of each edge, from a vertex to the next.
    private let normals: [SIMD3<Double>]
    private var references: [Reference] = []
    /// If the ring is small, the center of a cap that contains it, and the smallest cosine between the center and a point inside.
    private var cap: (center: SIMD3<Double>, cosine: Double)?

    /// The distance, in radians, within which a point is on an edge: some nanometers on the earth.
    private static let width = 1e-15

    /// Creates a ring from points, of which the last equals the first. Throws if it encloses nothing or crosses itself.
    init(_ points: [GeoPoint]) throws(GeoProblem) {
        var vertices: [SIMD3<Double>] = []
        for point in points.dropLast() {
            let vector = SpherePoint(point).vector
            if vertices.last != vector { vertices.append(vector) }
        }
        while vertices.count > 1, vertices.first == vertices.last { vertices.removeLast() }
        guard vertices.count >= 3 else { throw GeoProblem("a ring has fewer than three different points") }
        if Set(vertices).count < vertices.count { throw GeoProblem("a ring passes through a point twice") }
        self.vertices = vertices
        var normals: [SIMD3<Double>] = []
        for (index, vertex) in vertices.enumerated() {
            let next = vertices[(index + 1) % vertices.count]
            // Twice the cross product of the two vertices, but accurate also if they are close to each other.
            let normal = (vertex + next).cross(next - vertex)
            guard normal.length > 1e-14 else {
                throw GeoProblem(
                    "two neighbours in a ring are on opposite sides of the earth, or almost the same")
            }
            normals.append(normal / normal.length)
        }
        self.normals = normals
        if crossesItself { throw GeoProblem("a ring crosses itself") }
        references = makeReferences()
        cap = makeCap()
    }

    /// Returns the position of a point. O(vertices), unless it is far away from a small ring.
    func position(of point: SpherePoint) -> Position {
        let vector = point.vector
        if let cap, cap.center.dot(vector) < cap.cosine { return .outside }
        if vertices.indices.contains(where: { isOn(edge: $0, vector) }) { return .border }
        // There is no unique shortest path to the opposite point of the sphere.
        let reference = references.min {
            abs($0.point.vector.dot(vector)) < abs($1.point.vector.dot(vector))
        }!
        return crossings(from: vector, to: reference).isMultiple(of: 2) == reference.isInside
            ? .inside : .outside
    }

    /// Returns whether a ring lies in this one. It may touch the border.
    func encloses(_ other: SphereRing) -> Bool {
        !crosses(other) && other.vertices.allSatisfy { position(of: SpherePoint(direction: $0)) != .outside }
    }

    /// Returns whether two rings have no points in common except on their borders.
    func isApart(from other: SphereRing) -> Bool {
        !crosses(other)
            && !other.vertices.contains { position(of: SpherePoint(direction: $0)) == .inside }
            && !vertices.contains { other.position(of: SpherePoint(direction: $0)) == .inside }
    }
}

extension SphereRing {
    private func next(_ index: Int) -> Int { index + 1 == vertices.count ? 0 : index + 1 }

    private func isOn(edge: Int, _ vector: SIMD3<Double>) -> Bool {
        let normal = normals[edge]
        return abs(normal.dot(vector)) <= SphereRing.width
            && normal.cross(vertices[edge]).dot(vector) >= -SphereRing.width
            && vertices[next(edge)].cross(normal).dot(vector) >= -SphereRing.width
    }

    /// Returns the number of edges, optionally without one, that the shortest path to a reference crosses.
    ///
    /// A vertex on the great circle of the path counts as being on one side of it, the same for both of its edges.
    private func crossings(
        from vector: SIMD3<Double>, to reference: Reference, without excluded: Int? = nil
    ) -> Int {
        let normal = vector.cross(reference.point.vector)
        var count = 0
        var isLeft = normal.dot(vertices[0]) >= 0
        for edge in vertices.indices {
            let isNextLeft = normal.dot(vertices[next(edge)]) >= 0
            if isLeft != isNextLeft, reference.isLeft[edge] == isLeft, edge != excluded,
                (normals[edge].dot(vector) >= 0) == isNextLeft
            {
                count += 1
            }
            isLeft = isNextLeft
        }
        return count
    }

    private func crosses(_ edge: Int, _ other: SphereRing, _ otherEdge: Int) -> Bool {
        let (a, b) = (vertices[edge], vertices[next(edge)])
        let (c, d) = (other.vertices[otherEdge], other.vertices[other.next(otherEdge)])
        let (normal, otherNormal) = (normals[edge], other.normals[otherEdge])
        let sides = [normal.dot(c), normal.dot(d), otherNormal.dot(a), otherNormal.dot(b)]
        // Touching is not crossing.
        if sides.contains(where: { abs($0) <= SphereRing.width }) { return false }
        return sides[0] > 0
            ? sides[1] < 0 && sides[2] < 0 && sides[3] > 0 : sides[1] > 0 && sides[2] > 0 && sides[3] < 0
    }

    private var crossesItself: Bool {
        vertices.indices.contains { edge in
            (edge + 1..<max(edge + 1, vertices.count)).contains { crosses(edge, self, $0) }
        }
    }

    private func crosses(_ other: SphereRing) -> Bool {
        vertices.indices.contains { edge in other.vertices.indices.contains { crosses(edge, other, $0) } }
    }

    /// The sum of the angles at the vertices: positive if the smaller side is on the left.
    private var turning: Double {
        vertices.indices.reduce(0) { sum, edge in
            let (normal, following) = (normals[edge], normals[next(edge)])
            return sum + atan2(normal.cross(following).dot(vertices[next(edge)]), normal.dot(following))
        }
    }

    /// Returns two reference points, so that for any point one of them is not opposite to it.
    private func makeReferences() -> [Reference] {
        let middle = SpherePoint(direction: vertices[0] + vertices[next(0)]).vector
        let candidates = SphereRing.directions.map { direction in
            let point = SpherePoint(direction: direction)
            return (point, normals.reduce(1) { min($0, abs($1.dot(point.vector))) })
        }
        let ranked = candidates.filter { abs($0.0.vector.dot(middle)) < 0.99 }.sorted { $0.1 > $1.1 }.map(\.0)
        let second = ranked.first { abs($0.vector.dot(ranked[0].vector)) < 0.8 }!
        let isInteriorLeft = turning >= 0
        return [ranked[0], second].map { point in
            var reference = Reference(point: point, isLeft: normals.map { $0.dot(point.vector) >= 0 })
            // The path from the middle of an edge begins on the point's side of that edge.
            let isEven = crossings(from: middle, to: reference, without: 0).isMultiple(of: 2)
            reference.isInside = (isEven == reference.isLeft[0]) == isInteriorLeft
            return reference
        }
    }

    /// Irregular directions, of which some are far from any given great circles.
    private static let directions: [SIMD3<Double>] = [
        [0.3141, 0.5926, 0.7415], [-0.7182, 0.2818, 0.6364], [0.1414, -0.9213, 0.3621],
        [0.8346, -0.1618, -0.5279],
        [-0.5772, -0.6156, 0.5366], [-0.2613, 0.8743, -0.4091], [0.6931, 0.4717, -0.5450],
        [-0.3028, -0.4669, -0.8309],
    ]

    private func makeCap() -> (center: SIMD3<Double>, cosine: Double)? {
        let sum = vertices.reduce(SIMD3<Double>(), +)
        guard sum.length > 1e-3 else { return nil }
        let center = sum / sum.length
        let cosine = vertices.reduce(1) { min($0, center.dot($1)) }
        // A cap that is smaller than a hemisphere contains the shortest paths between its points, and therefore the smaller side.
        return cosine > 0.01 ? (center, cosine - 1e-12) : nil
    }
}

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
