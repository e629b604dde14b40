import KivoEngine

/// The properties of a location: a `type`, which is "Point", and `coordinates`, a list of its longitude and its latitude in
/// degrees.
enum GeoLocation {
    static let type = "type"
    static let coordinates = "coordinates"

    /// Throws if objects of a class are not locations.
    static func check(_ info: ClassInfo, _ path: QueryPath) throws(QueryMismatch) {
        guard let type = info.property(named: type)?.type, type.scalar == .string, type.collection == .none,
            let coordinates = info.property(named: coordinates)?.type, coordinates.scalar == .double,
            coordinates.collection == .list, !coordinates.isOptional
        else {
            throw QueryMismatch(
                """
                '\(path.text)' leads to no location: class '\(info.name)' needs a 'type' that is a String and \
                'coordinates' that are a List<Double>.
                """)
        }
    }

    /// Whether the type of a location is a point, and not another shape that has coordinates.
    static func isPoint(_ type: String) -> Bool { type.lowercased() == "point" }
}

extension QueryComparison {
    /// Returns the path to locations and the area that must contain them; nil for other comparisons. Throws if the shape is invalid,
    /// or if the left operand is not a path.
    func area() throws(QueryMismatch) -> (path: QueryPath, area: GeoArea)? {
        guard case .value(let value) = right, `operator` == .geoWithin || `operator` == .isIn,
            let shape = flatten(value) as? any RLMGeospatial
        else { return nil }
        guard case .path(let path) = left else {
            throw QueryMismatch("GEOWITHIN needs a path to locations on its left.")
        }
        do throws(GeoProblem) {
            return (path, try GeoArea(shape))
        } catch {
            throw QueryMismatch("The shape of GEOWITHIN makes no sense: \(error.words).")
        }
    }

    /// The test of the Boolean that is derived from a location and an area.
    static var isWithin: ValueTest { .compare(.equal, true.cell, .natural) }
}
