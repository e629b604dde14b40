import Foundation
import Kivo

/// A number with a unit: every stored value means one.
struct MappedCelsius: CustomPersistable, Hashable, Codable {
    var degrees: Double
    init(_ degrees: Double) { self.degrees = degrees }
    init(persistedValue: Double) { degrees = persistedValue }
    var persistableValue: Double { degrees }
}

/// A count that is stored as an integer.
struct MappedCount: CustomPersistable, Hashable, Codable {
    var number: Int
    init(_ number: Int) { self.number = number }
    init(persistedValue: Int) { number = persistedValue }
    var persistableValue: Int { number }
}

/// A tag in angle brackets: not every string is one, the empty one neither.
struct MappedTag: FailableCustomPersistable, Equatable, Codable {
    var name: String
    init(_ name: String) { self.name = name }
    init?(persistedValue: String) {
        guard persistedValue.hasPrefix("<"), persistedValue.hasSuffix(">") else { return nil }
        name = String(persistedValue.dropFirst().dropLast())
    }
    var persistableValue: String { "<\(name)>" }
}

/// An identifier of one's own, in a binary type.
struct MappedTicket: CustomPersistable, Equatable {
    let id: UUID
    init(_ id: UUID = UUID()) { self.id = id }
    init(persistedValue: UUID) { id = persistedValue }
    var persistableValue: UUID { id }
}

/// A mapped type on top of an enum.
enum MappedLevel: Int, PersistableEnum { case low = 1, high = 2 }

struct MappedAlarm: CustomPersistable, Equatable {
    var level: MappedLevel
    init(persistedValue: MappedLevel) { level = persistedValue }
    var persistableValue: MappedLevel { level }
}

class MappedRoom: Object {
    @Persisted var label = ""
    @Persisted var temperature = MappedCelsius(20)
    @Persisted var plain: MappedCelsius
    @Persisted var outside: MappedCelsius?
    @Persisted var count = MappedCount(1)
    @Persisted var tag = MappedTag("room")
    @Persisted var oldTag: MappedTag?
    @Persisted var ticket: MappedTicket
    @Persisted var alarm: MappedAlarm
    @Persisted var history: List<MappedCelsius>
    @Persisted var gaps: List<MappedTag?>
    @Persisted var tags: MutableSet<MappedTag>
    @Persisted var counts: Map<String, MappedCount>
    @Persisted var maybeCounts: Map<String, MappedCount?>
    @Persisted var rooms: List<MappedRoom>
}

class MappedKeyed: Object {
    @Persisted(primaryKey: true) var key = MappedTag("none")
    @Persisted(indexed: true) var count = MappedCount(0)
    @Persisted(indexed: true) var maybe: MappedTag?
}

class MappedOptionallyKeyed: Object {
    @Persisted(primaryKey: true) var key: MappedCount?
}

/// The stored form of coordinates.
class MappedPlace: EmbeddedObject {
    @Persisted var latitude = 0.0
    @Persisted var longitude = 0.0
}

struct MappedCoordinate: CustomPersistable, Equatable {
    var latitude: Double
    var longitude: Double
    init(_ latitude: Double, _ longitude: Double) { (self.latitude, self.longitude) = (latitude, longitude) }
    init(persistedValue: MappedPlace) {
        self.init(persistedValue.latitude, persistedValue.longitude)
    }
    var persistableValue: MappedPlace { MappedPlace(value: [latitude, longitude]) }
}

class MappedTrip: Object {
    @Persisted var name = ""
    @Persisted var start = MappedCoordinate(1, 2)
    @Persisted var plain: MappedCoordinate
    @Persisted var end: MappedCoordinate?
    @Persisted var stops: List<MappedCoordinate>
    @Persisted var named: Map<String, MappedCoordinate?>
}

class MappedTour: Object {
    @Persisted var trips: List<MappedTrip>
    @Persisted var byName: Map<String, MappedTrip?>
}
