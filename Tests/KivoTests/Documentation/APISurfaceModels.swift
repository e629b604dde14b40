import Foundation
import Kivo

enum SurfaceKind: Int, PersistableEnum { case small = 1, large = 2 }

enum SurfaceName: String, RealmEnum { case first, second }

/// A class with properties of every kind, declared in every way.
class SurfaceThing: Object, ObjectKeyIdentifiable {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name = ""
    @Persisted(indexed: true) var number = 0
    @Persisted var flag: Bool
    @Persisted var tiny: Int8
    @Persisted var short: Int16 = 1
    @Persisted var medium: Int32
    @Persisted var long: Int64
    @Persisted var ratio: Float
    @Persisted var weight: Double
    @Persisted var data: Data
    @Persisted var when: Date
    @Persisted(indexed: true) var uuid: UUID
    @Persisted var amount: Decimal128
    @Persisted var maybeName: String?
    @Persisted var maybeNumber: Int?
    @Persisted var maybeWeight: Double?
    @Persisted var maybeFlag: Bool?
    @Persisted var maybeData: Data?
    @Persisted var maybeWhen: Date?
    @Persisted var maybeId: ObjectId?
    @Persisted var maybeUUID: UUID?
    @Persisted var maybeAmount: Decimal128?
    @Persisted var kind: SurfaceKind = .small
    @Persisted var maybeKind: SurfaceKind?
    @Persisted var title: SurfaceName = .first
    @Persisted var other: SurfaceThing?
    @Persisted var part: SurfacePart?
    @Persisted var parts: List<SurfacePart>
    @Persisted var things: List<SurfaceThing>
    @Persisted var numbers: List<Int>
    @Persisted var gaps: List<Int?>
    @Persisted var kinds: List<SurfaceKind>
    @Persisted var words: MutableSet<String>
    @Persisted var others: MutableSet<SurfaceThing>
    @Persisted var counts: Map<String, Int>
    @Persisted var named: Map<String, SurfaceThing?>
    @Persisted var partsByName: Map<String, SurfacePart?>
    @Persisted(originProperty: "things") var holders: LinkingObjects<SurfaceThing>
}

class SurfacePart: EmbeddedObject, ObjectKeyIdentifiable {
    @Persisted var value = 0
}

/// Older declarations that exist beside the wrappers.
class SurfaceOlder: Object {
    @Persisted var key = ""
    @Persisted var rank = 0
    var unsaved = 1

    override class func primaryKey() -> String? { "key" }
    override class func indexedProperties() -> [String] { ["rank"] }
    override class func ignoredProperties() -> [String] { ["unsaved"] }
}
