import Foundation
import Kivo

/// The namespace of the query fuzz tests: a slow model of queries and of their notifications, with which the real ones are
/// compared.
enum QueryFuzz {}

/// The common property of both classes of the query fuzz tests: a number that no other object of either class ever has.
protocol QueryFuzzModel: Object, RealmCollectionValue {
    var id: Int { get }
    static var fuzzClass: QueryFuzz.Class { get }
}

/// A class with a property of most kinds, links to itself and collections of itself.
final class QueryFuzzThing: Object, QueryFuzzModel {
    @Persisted var id = 0
    @Persisted var int = 0
    @Persisted var optInt: Int?
    @Persisted var double = 0.0
    @Persisted var optDouble: Double?
    @Persisted var text = ""
    @Persisted var optText: String?
    @Persisted(indexed: true) var tag = ""
    @Persisted var flag = false
    @Persisted var date = Date(timeIntervalSince1970: 0)
    @Persisted var optDate: Date?
    @Persisted var link: QueryFuzzThing?
    @Persisted var owner: QueryFuzzHolder?
    @Persisted var things: List<QueryFuzzThing>
    @Persisted var numbers: List<Int>
    @Persisted var map: Map<String, Int>
    @Persisted(originProperty: "link") var linkedBy: LinkingObjects<QueryFuzzThing>
    @Persisted(originProperty: "things") var inThings: LinkingObjects<QueryFuzzThing>
    @Persisted(originProperty: "things") var keepers: LinkingObjects<QueryFuzzHolder>

    static var fuzzClass: QueryFuzz.Class { .thing }
}

/// A class with a primary key that holds things and belongs to another of its kind.
final class QueryFuzzHolder: Object, QueryFuzzModel {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var int = 0
    @Persisted var text = ""
    @Persisted(indexed: true) var code: String?
    @Persisted var things: List<QueryFuzzThing>
    @Persisted var set: MutableSet<QueryFuzzThing>
    @Persisted var boss: QueryFuzzHolder?
    @Persisted(originProperty: "owner") var owned: LinkingObjects<QueryFuzzThing>
    @Persisted(originProperty: "boss") var staff: LinkingObjects<QueryFuzzHolder>

    static var fuzzClass: QueryFuzz.Class { .holder }
}

/// Which commit an instance of the realm shows.
final class QueryFuzzCommit: Object {
    @Persisted var number = 0

    static func shown(by realm: Realm) -> Int { realm.objects(QueryFuzzCommit.self).first?.number ?? 0 }

    static func note(_ number: Int, in realm: Realm) {
        let commit = realm.objects(QueryFuzzCommit.self).first ?? realm.create(QueryFuzzCommit.self)
        commit.number = number
    }
}
