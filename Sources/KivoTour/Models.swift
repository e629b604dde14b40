import Kivo

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
