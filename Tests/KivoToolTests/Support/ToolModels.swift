import Foundation
import Kivo

class ToolPerson: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name = ""
    @Persisted var dogs: List<ToolDog>
    @Persisted var friends: MutableSet<ToolPerson>
    @Persisted var home: ToolAddress?
    @Persisted var places: List<ToolAddress>
    @Persisted var scores: Map<String, Int>
    @Persisted var pets: Map<String, ToolDog?>
}

class ToolDog: Object {
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted var mother: ToolDog?
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<ToolPerson>
}

class ToolAddress: EmbeddedObject {
    @Persisted var street = ""
    @Persisted var inside: ToolAddress?
}

/// A property of each type.
class ToolThing: Object {
    @Persisted(primaryKey: true) var key: String
    @Persisted var bool = false
    @Persisted var int8: Int8 = 0
    @Persisted var int16: Int16 = 0
    @Persisted var int32: Int32 = 0
    @Persisted var int64: Int64 = 0
    @Persisted var float: Float = 0
    @Persisted var double = 0.0
    @Persisted var string = ""
    @Persisted var data = Data()
    @Persisted(indexed: true) var date = Date(timeIntervalSinceReferenceDate: 0)
    @Persisted var uuid = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    @Persisted var objectId = ObjectId("000000000000000000000000")
    @Persisted var decimal = Decimal128(0)
    @Persisted var any = AnyRealmValue.none
    @Persisted var optionalBool: Bool?
    @Persisted var optionalInt: Int?
    @Persisted var optionalDouble: Double?
    @Persisted var optionalString: String?
    @Persisted var optionalData: Data?
    @Persisted var optionalDate: Date?
    @Persisted var optionalUUID: UUID?
    @Persisted var ints: List<Int>
    @Persisted var optionalInts: List<Int?>
    @Persisted var optionalStrings: List<String?>
    @Persisted var doubles: MutableSet<Double>
    @Persisted var strings: MutableSet<String>
    @Persisted var anys: List<AnyRealmValue>
    @Persisted var anySet: MutableSet<AnyRealmValue>
    @Persisted var dates: Map<String, Date?>
    @Persisted var anyMap: Map<String, AnyRealmValue>
}
