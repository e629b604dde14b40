import Kivo

/// An object that can link to others of its class in every way.
class Stop: Object {
    @Persisted var number = 0
    @Persisted var next: Stop?
    @Persisted var list: List<Stop>
    @Persisted var set: MutableSet<Stop>
    @Persisted var map: Map<String, Stop?>
}

/// One with a primary key.
class Station: Object {
    @Persisted(primaryKey: true) var name = ""
    @Persisted var size = 0
    @Persisted var next: Station?
    @Persisted var list: List<Station>
    @Persisted var set: MutableSet<Station>
    @Persisted var map: Map<String, Station?>
    @Persisted var platform: Platform?
    @Persisted var platforms: List<Platform>
    @Persisted var tracks: Map<String, Platform?>
}

/// An embedded object that owns others of its class.
class Platform: EmbeddedObject {
    @Persisted var number = 0
    @Persisted var label = ""
    @Persisted var inner: Platform?
    @Persisted var parts: List<Platform>
    @Persisted var station: Station?

    convenience init(_ number: Int) {
        self.init()
        self.number = number
    }
}
