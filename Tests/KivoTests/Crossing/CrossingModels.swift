import Kivo

/// The classes whose objects cross threads in the tests.
class CrossingParcel: Object, ObjectKeyIdentifiable {
    @Persisted(primaryKey: true) var number = 0
    @Persisted var label = ""
    @Persisted var weight = 0
    @Persisted var limit: Int?
    @Persisted var next: CrossingParcel?
    @Persisted var stamp: CrossingStamp?
    @Persisted var parts: List<CrossingParcel>
    @Persisted var codes: List<Int>
    @Persisted var stamps: List<CrossingStamp>
    @Persisted var tags: MutableSet<String>
    @Persisted var counts: Map<String, Int>
    @Persisted var named: Map<String, CrossingParcel?>
    @Persisted(originProperty: "parts") var holders: LinkingObjects<CrossingParcel>

    var title: String { "\(number) \(label)" }
}

class CrossingStamp: EmbeddedObject, ObjectKeyIdentifiable {
    @Persisted var value = 0
}

/// A class with a property that is stored in each accessor.
class CrossingCounter: Object {
    @Persisted var start = 0
    lazy var steps: [Int] = [start, start + 1]
}

/// A class that no other test adds to a realm before a write is open.
class CrossingLatecomer: Object {
    @Persisted var codes: List<Int>
}
