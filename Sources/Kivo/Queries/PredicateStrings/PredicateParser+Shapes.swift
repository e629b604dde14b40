/// Shapes in predicate strings: `geoBox([lng, lat], [lng, lat])`, `geoCircle([lng, lat], radians)`, `geoPolygon({[lng, lat], …},
/// {…})`. The first ring of a polygon is the outer one; the others are holes.
extension PredicateParser {
    /// Parses a shape that is written in the format or is an argument.
    mutating func shape() throws(PredicateSyntaxError) -> any RLMGeospatial {
        let token = current
        if let argument = try argument() {
            guard let shape = argument.value as? any RLMGeospatial else {
                throw refusal(
                    """
                    GEOWITHIN takes a GeoBox, a GeoCircle or a GeoPolygon, not \
                    \(Self.description(of: argument.value))
                    """, at: token)
            }
            return shape
        }
        guard case .word(let word) = token.kind, following.kind == .sign("(") else {
            throw unexpected(expected: "a shape")
        }
        let parse: (inout PredicateParser) throws(PredicateSyntaxError) -> (any RLMGeospatial)?
        switch word.lowercased() {
        case "geobox":
            parse = { parser throws(PredicateSyntaxError) in
                let bottomLeft = try parser.point()
                try parser.expect(",")
                return GeoBox(bottomLeft: bottomLeft, topRight: try parser.point())
            }
        case "geocircle":
            parse = { parser throws(PredicateSyntaxError) in
                let center = try parser.point()
                try parser.expect(",")
                return GeoCircle(center: center, radiusInRadians: try parser.coordinate())
            }
        case "geopolygon":
            parse = { parser throws(PredicateSyntaxError) in
                var rings = [try parser.ring()]
                while parser.accept(",") { rings.append(try parser.ring()) }
                return GeoPolygon(outerRing: rings[0], holes: rings.count > 1 ? Array(rings[1...]) : nil)
            }
        default: throw unexpected(expected: "geoBox, geoCircle or geoPolygon")
        }
        advance()
        try expect("(")
        guard let shape = try parse(&self) else {
            throw refusal(
                word.lowercased() == "geocircle"
                    ? "The radius of a circle is a number of radians that is not negative"
                    : "A ring of a polygon has at least four points, of which the first and the last are the same",
                at: token)
        }
        try expect(")", or: "','")
        return shape
    }

    private mutating func ring() throws(PredicateSyntaxError) -> [GeoPoint] {
        try expect("{")
        var points = [try point()]
        while accept(",") { points.append(try point()) }
        try expect("}", or: "','")
        return points
    }

    private mutating func point() throws(PredicateSyntaxError) -> GeoPoint {
        let token = current
        try expect("[")
        let longitude = try coordinate()
        try expect(",")
        let latitude = try coordinate()
        let altitude = accept(",") ? try coordinate() : 0
        try expect("]")
        guard let point = GeoPoint(latitude: latitude, longitude: longitude, altitude: altitude) else {
            throw refusal(
                """
                A point is a longitude from -180 to 180 and a latitude from -90 to 90, not \
                [\(longitude), \(latitude)]
                """, at: token)
        }
        return point
    }

    private mutating func coordinate() throws(PredicateSyntaxError) -> Double {
        let token = current
        guard case .value(let value) = try operand().operand, let value,
            let number = floatingPoint(value)
        else { throw refusal("A coordinate is a number", at: token) }
        return number
    }
}
