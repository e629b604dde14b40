import Kivo

/// One change of the data, as a value. The same edit is made to a realm, on any thread, and to the atlas.
enum Edit: Sendable {
    case add(Atlas.ZoneRow)
    case delete(zone: String)
    case latitude(Double, zone: String)
    case comments(String, zone: String)
    case visits(Int, zone: String)
    case rename(country: String, to: String)
    /// Appends countries to the list of a zone, in one call.
    case append(countries: [String], zone: String)
    case remove(position: Int, zone: String)
    case replace(position: Int, country: String, zone: String)
    /// Sets a visitor's stars for a zone; nil removes them.
    case rate(Int?, visitor: String, zone: String)
}

extension Edit {
    /// Makes the edit inside a write transaction of `realm`.
    func make(in realm: Realm) throws {
        switch self {
        case .add(let row): realm.add(try row.object(in: realm))
        case .delete(let zone): realm.delete(try realm.zone(zone))
        case .latitude(let degrees, let zone): try realm.zone(zone).latitude = degrees
        case .comments(let text, let zone): try realm.zone(zone).comments = text
        case .visits(let count, let zone): try realm.zone(zone).visits = count
        case .rename(let country, let name): try realm.country(country).name = name
        case .append(let codes, let zone):
            try realm.zone(zone).countries.append(objectsIn: codes.map(realm.country))
        case .remove(let position, let zone): try realm.zone(zone).countries.remove(at: position)
        case .replace(let position, let country, let zone):
            try realm.zone(zone).countries[position] = realm.country(country)
        case .rate(let stars, let visitor, let zone): try realm.zone(zone).ratings[visitor] = stars
        }
    }

    /// Makes the edit in plain values.
    func make(in atlas: inout Atlas) throws {
        switch self {
        case .add(let row): atlas.zones.append(row)
        case .delete(let zone): atlas.zones.remove(at: try atlas.position(of: zone))
        case .latitude(let degrees, let zone):
            atlas.zones[try atlas.position(of: zone)].latitude = degrees
        case .comments(let text, let zone): atlas.zones[try atlas.position(of: zone)].comments = text
        case .visits(let count, let zone): atlas.zones[try atlas.position(of: zone)].visits = count
        case .rename(let country, let name):
            guard let position = atlas.countries.firstIndex(where: { $0.code == country }) else {
                throw TourError.noCountry(country)
            }
            atlas.countries[position].name = name
        case .append(let codes, let zone):
            atlas.zones[try atlas.position(of: zone)].countries.append(contentsOf: codes)
        case .remove(let position, let zone):
            atlas.zones[try atlas.position(of: zone)].countries.remove(at: position)
        case .replace(let position, let country, let zone):
            atlas.zones[try atlas.position(of: zone)].countries[position] = country
        case .rate(let stars, let visitor, let zone):
            atlas.zones[try atlas.position(of: zone)].ratings[visitor] = stars
        }
    }
}

extension Edit {
    /// The edit as Swift code.
    var code: String {
        switch self {
        case .add(let row): "realm.add(Zone(value: [\"name\": \"\(row.name)\", …]))"
        case .delete(let zone): "realm.delete(realm.zone(\"\(zone)\"))"
        case .latitude(let degrees, let zone): "realm.zone(\"\(zone)\").latitude = \(degrees)"
        case .comments(let text, let zone): "realm.zone(\"\(zone)\").comments = \"\(text)\""
        case .visits(let count, let zone): "realm.zone(\"\(zone)\").visits = \(count)"
        case .rename(let country, let name): "realm.country(\"\(country)\").name = \"\(name)\""
        case .append(let codes, let zone):
            "realm.zone(\"\(zone)\").countries.append(objectsIn: \(codes))"
        case .remove(let position, let zone):
            "realm.zone(\"\(zone)\").countries.remove(at: \(position))"
        case .replace(let position, let country, let zone):
            "realm.zone(\"\(zone)\").countries[\(position)] = \(country)"
        case .rate(let stars, let visitor, let zone):
            "realm.zone(\"\(zone)\").ratings[\"\(visitor)\"] = \(stars.map { "\($0)" } ?? "nil")"
        }
    }

    /// Returns the code of a transaction, in one line if it has one edit.
    static func code(of edits: [Edit], _ call: String) -> [String] {
        switch edits.count {
        case 0: ["\(call) {}"]
        case 1: ["\(call) { \(edits[0].code) }"]
        case ...6: ["\(call) {"] + edits.map { "    \($0.code)" } + ["}"]
        default: ["\(call) {", "    \(edits[0].code)", "    … and \(edits.count - 1) more", "}"]
        }
    }
}

extension Atlas {
    /// Returns this atlas after `edits`.
    func after(_ edits: [Edit]) throws -> Atlas {
        var copy = self
        for edit in edits { try edit.make(in: &copy) }
        return copy
    }
}

extension Atlas.ZoneRow {
    /// Returns an unmanaged zone with these values, linked to the countries of `realm`.
    func object(in realm: Realm) throws -> Zone {
        let zone = Zone()
        zone.name = name
        zone.latitude = latitude
        zone.longitude = longitude
        zone.comments = comments
        zone.visits = visits
        zone.countries.append(objectsIn: try countries.map(realm.country))
        for (visitor, stars) in ratings { zone.ratings[visitor] = stars }
        return zone
    }
}

extension Realm {
    /// Returns the zone with a name.
    func zone(_ name: String) throws -> Zone {
        guard let zone = object(ofType: Zone.self, forPrimaryKey: name) else {
            throw TourError.noZone(name)
        }
        return zone
    }

    /// Returns the country with a code.
    func country(_ code: String) throws -> Country {
        guard let country = object(ofType: Country.self, forPrimaryKey: code) else {
            throw TourError.noCountry(code)
        }
        return country
    }
}
