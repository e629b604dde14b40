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
    /// A counter of the tour's own; the tables have no whole numbers to count with.
    @Persisted var visits: Int
    @Persisted var countries: List<Country>
}
