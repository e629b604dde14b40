/// A distance on the earth, for example the radius of a ``GeoCircle``, as an angle at the centre of the earth.
///
/// The earth is a sphere with a radius of 6378.1 kilometers.
public struct Distance: Hashable, Sendable {
    /// The distance in radians.
    public let radians: Double

    private init?(checked radians: Double) {
        guard radians >= 0 else { return nil }
        self.radians = radians
    }

    /// Returns a distance in kilometers, or nil if it is negative.
    public static func kilometers(_ kilometers: Double) -> Distance? {
        Distance(checked: kilometers / earthRadius)
    }

    /// Returns a distance in miles of 1609.344 meters, or nil if it is negative.
    public static func miles(_ miles: Double) -> Distance? {
        Distance(checked: miles * kilometersPerMile / earthRadius)
    }

    /// Returns a distance in degrees, or nil if it is negative.
    public static func degrees(_ degrees: Double) -> Distance? { Distance(checked: degrees * .pi / 180) }

    /// Returns a distance in radians, or nil if it is negative.
    public static func radians(_ radians: Double) -> Distance? { Distance(checked: radians) }

    /// Returns the distance in kilometers.
    public func asKilometers() -> Double { radians * Distance.earthRadius }
    /// Returns the distance in miles.
    public func asMiles() -> Double { asKilometers() / Distance.kilometersPerMile }
    /// Returns the distance in degrees.
    public func asDegrees() -> Double { radians * 180 / .pi }

    private static let earthRadius = 6378.1
    private static let kilometersPerMile = 1.609344
}
