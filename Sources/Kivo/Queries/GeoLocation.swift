import KivoEngine

/// How objects say where they are: a location has a `type`, which is "Point", and `coordinates`, a list of its longitude and
/// its latitude in degrees.
enum GeoLocation {
    static let type = "type"
    static let coordinates = "coordinates"

    /// Traps if objects of a class are no locations.
    static func check(_ info: ClassInfo, _ path: QueryPath) {
        guard let type = info.property(named: type)?.type, type.scalar == .string, type.collection == .none,
            let coordinates = info.property(named: coordinates)?.type, coordinates.scalar == .double,
            coordinates.collection == .list, !coordinates.isOptional
        else {
            trap(
                """
                '\(path.text)' leads to no location: class '\(info.name)' needs a 'type' that is a String and \
                'coordinates' that are a List<Double>.
                """)
        }
    }

    /// Whether a location says that it is a point, and not something else that has coordinates.
    static func isPoint(_ type: String) -> Bool { type.lowercased() == "point" }
}

extension QueryComparison {
    /// The path to locations and the area that they have to be in, if that is what the comparison says. Traps if the area is
    /// none, or what is asked has no location.
    var area: (place: QueryPath, area: GeoArea)? {
        guard case .value(let value) = right, `operator` == .geoWithin || `operator` == .isIn,
            let shape = flatten(value) as? any RLMGeospatial
        else { return nil }
        guard case .path(let path) = left else { trap("GEOWITHIN needs a path to locations on its left.") }
        do throws(GeoProblem) {
            return (path, try GeoArea(shape))
        } catch {
            trap("The shape of GEOWITHIN makes no sense: \(error.words).")
        }
    }

    /// The test of what is derived from a location and an area.
    static var isWithin: RowPredicate.Test { .compare(.equal, true._cell, .natural) }
}
