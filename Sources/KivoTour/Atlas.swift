import Kivo

/// The tour's countries and zones as plain values.
///
/// Every edit of the tour is made to the realm and to an atlas. The expected notifications are computed from the atlas before and
/// after, without reading the realm.
struct Atlas: Equatable, Sendable {
    struct CountryRow: Equatable, Sendable {
        var code: String
        var name: String
    }

    struct ZoneRow: Equatable, Sendable {
        var name: String
        var latitude: Double
        var longitude: Double
        var comments = ""
        var visits = 0
        /// Country codes, in the order of the table.
        var countries: [String]
        var ratings: [String: Int] = [:]
    }

    var countries: [CountryRow] = []
    var zones: [ZoneRow] = []

    var zoneNames: [String] { zones.map(\.name) }

    /// The names of the zones south of the equator, in insertion order.
    var southernNames: [String] { zones.filter { $0.latitude < 0 }.map(\.name) }

    /// The zone names from west to east; zones on one meridian are in insertion order.
    var namesByLongitude: [String] {
        zones.enumerated()
            .sorted { ($0.element.longitude, $0.offset) < ($1.element.longitude, $1.offset) }
            .map(\.element.name)
    }

    /// The number of links from zones to countries.
    var linkCount: Int { zones.reduce(0) { $0 + $1.countries.count } }

    func position(of zone: String) throws -> Int {
        guard let position = zones.firstIndex(where: { $0.name == zone }) else {
            throw TourError.noZone(zone)
        }
        return position
    }

    func country(_ code: String) throws -> CountryRow {
        guard let row = countries.first(where: { $0.code == code }) else { throw TourError.noCountry(code) }
        return row
    }

    func zones(of country: String) -> [ZoneRow] {
        zones.filter { $0.countries.contains(country) }
    }
}

extension Atlas {
    /// Reads all values from a realm.
    init(reading realm: Realm) {
        countries = realm.objects(Country.self).map { CountryRow(code: $0.code, name: $0.name) }
        zones = realm.objects(Zone.self).map { zone in
            ZoneRow(
                name: zone.name, latitude: zone.latitude, longitude: zone.longitude, comments: zone.comments,
                visits: zone.visits, countries: zone.countries.map(\.code),
                ratings: Dictionary(uniqueKeysWithValues: zip(zone.ratings.keys, zone.ratings.values)))
        }
    }
}

extension Atlas {
    /// Returns the first `count` zones for which `isSuitable` holds. Throws an error with `what` if there are too few.
    func pick(
        _ count: Int, _ what: String, where isSuitable: (ZoneRow) -> Bool = { _ in true }
    ) throws -> [ZoneRow] {
        let found = zones.lazy.filter(isSuitable).prefix(count)
        guard found.count == count else { throw TourError.tooFew(what, needed: count) }
        return Array(found)
    }

    /// Returns the zone that overlaps the most countries.
    func widestZone() throws -> ZoneRow {
        guard let zone = zones.max(by: { $0.countries.count < $1.countries.count }), zone.countries.count > 1
        else { throw TourError.tooFew("zones with several countries", needed: 1) }
        return zone
    }

    /// Returns the country with the most zones.
    func widestCountry() throws -> CountryRow {
        var counts: [String: Int] = [:]
        for code in zones.lazy.flatMap(\.countries) { counts[code, default: 0] += 1 }
        guard let row = countries.max(by: { counts[$0.code, default: 0] < counts[$1.code, default: 0] }),
            counts[row.code, default: 0] > 1
        else { throw TourError.tooFew("countries with several zones", needed: 1) }
        return row
    }

    /// Returns the first `count` countries that `zone` does not overlap.
    func strangers(to zone: ZoneRow, _ count: Int) throws -> [String] {
        let found = countries.lazy.map(\.code).filter { !zone.countries.contains($0) }.prefix(count)
        guard found.count == count else {
            throw TourError.tooFew("countries outside one zone", needed: count)
        }
        return Array(found)
    }
}

/// A country or territory of `iso3166.tab`.
final class Country: Object {
    @Persisted(primaryKey: true) var code: String
    @Persisted var name: String
    @Persisted(originProperty: "countries") var zones: LinkingObjects<Zone>
}

/// A time zone of `zone1970.tab`, with its principal location in degrees (north and east are positive).
final class Zone: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var latitude: Double
    @Persisted var longitude: Double
    @Persisted var comments: String
    /// A counter that only the tour uses; the tables contain no integers to count with.
    @Persisted var visits: Int
    @Persisted var countries: List<Country>
    /// The ratings by visitors, from a visitor's name to a number of stars. Only the tour uses them.
    @Persisted var ratings: Map<String, Int>
}

/// A person who lives in a time zone; never in a realm.
final class Traveller: Object {
    @Persisted var name: String
    @Persisted var home: Zone?

    /// A computed property that can be observed, because the class declares its dependencies.
    var greeting: String { "\(name) of \(home?.name ?? "nowhere")" }

    override class func computedProperties() -> [String: AnyKeyPath] { ["greeting": \Traveller.greeting] }

    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        key == "greeting" ? ["name", "home.name"] : super.keyPathsForValuesAffectingValue(forKey: key)
    }
}
