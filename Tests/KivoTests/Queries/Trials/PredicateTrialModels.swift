import Foundation
import Kivo

/// The namespace of the trials of predicates: random conditions, and an evaluator that says what they mean.
enum Trial {}

/// A class with properties of all types.
final class TrialThing: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var int = 0
    @Persisted(indexed: true) var optInt: Int?
    @Persisted var small: Int8 = 0
    @Persisted var float: Float = 0
    @Persisted var double = 0.0
    @Persisted var optDouble: Double?
    @Persisted var decimal: Decimal128 = 0
    @Persisted var optDecimal: Decimal128?
    @Persisted var text = ""
    @Persisted var optText: String?
    @Persisted var data: Data?
    @Persisted var flag = false
    @Persisted var date: Date?
    @Persisted var uuid: UUID?
    @Persisted var oid: ObjectId?
    @Persisted var mixed: AnyRealmValue
    @Persisted var link: TrialThing?
    @Persisted var things: List<TrialThing>
    @Persisted var ints: List<Int>
    @Persisted var doubles: List<Double?>
    @Persisted var decimals: MutableSet<Decimal128>
    @Persisted var texts: Map<String, String?>
    @Persisted var mixeds: List<AnyRealmValue>
    @Persisted var mixedMap: Map<String, AnyRealmValue>
    @Persisted(originProperty: "link") var linkedBy: LinkingObjects<TrialThing>
}

extension Trial {
    /// The type of a property's values.
    enum Kind: Equatable {
        case integer, float, double, decimal, text, data, flag, date, uuid, objectId, mixed, link
    }

    /// The properties that have one value.
    static let scalars: [(name: String, kind: Kind)] = [
        ("int", .integer), ("optInt", .integer), ("small", .integer), ("float", .float), ("double", .double),
        ("optDouble", .double), ("decimal", .decimal), ("optDecimal", .decimal), ("text", .text),
        ("optText", .text),
        ("data", .data), ("flag", .flag), ("date", .date), ("uuid", .uuid), ("oid", .objectId),
        ("mixed", .mixed),
        ("link", .link),
    ]

    /// The collections of plain values.
    static let collections: [(name: String, kind: Kind)] = [
        ("ints", .integer), ("doubles", .double), ("decimals", .decimal), ("texts", .text),
        ("mixeds", .mixed),
        ("mixedMap", .mixed),
    ]

    /// An object as it is: the values of its properties by name.
    typealias Row = [String: Value]

    static func row(_ thing: TrialThing) -> Row {
        [
            "id": .int(thing.id), "int": .int(thing.int), "optInt": Value(thing.optInt),
            "small": .int(Int(thing.small)),
            "float": .double(Double(thing.float)), "double": .double(thing.double),
            "optDouble": Value(thing.optDouble),
            "decimal": .decimal(thing.decimal), "optDecimal": Value(thing.optDecimal),
            "text": .text(thing.text),
            "optText": Value(thing.optText), "data": Value(thing.data), "flag": .bool(thing.flag),
            "date": Value(thing.date),
            "uuid": Value(thing.uuid), "oid": Value(thing.oid), "mixed": Value(thing.mixed),
            "link": thing.link.map { .object($0.id) } ?? .null,
            "things": .list(thing.things.map { .object($0.id) }),
            "ints": .list(thing.ints.map { .int($0) }), "doubles": .list(thing.doubles.map { Value($0) }),
            "decimals": .list(thing.decimals.map { .decimal($0) }),
            "texts": .dictionary(
                Dictionary(uniqueKeysWithValues: thing.texts.map { ($0.key, Value($0.value)) })),
            "mixeds": .list(thing.mixeds.map { Value($0) }),
            "mixedMap": .dictionary(
                Dictionary(uniqueKeysWithValues: thing.mixedMap.map { ($0.key, Value($0.value)) })),
            "linkedBy": .list(thing.linkedBy.map { .object($0.id) }),
        ]
    }
}
