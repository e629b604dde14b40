import Foundation
import RealmSwift

/// A kennel club's models as they were written before there were property wrappers: collections, inverse links and boxes in
/// `let`s, keys and indexes in class functions.
@available(*, deprecated)
class Club: RealmSwift.Object {
    let code = RealmOptional<Int>()
    let members = List<Keeper>()
    let colours = MutableSet<String>()
    let rooms = Map<String, Int>()
    let founded = RealmProperty<Int?>()
    let motto = RealmProperty<AnyRealmValue>()

    override class func primaryKey() -> String? { "code" }
    override static func indexedProperties() -> [String] { ["founded"] }
}

@available(*, deprecated)
class Keeper: Object {
    @Persisted var name = ""
    let dogs = RealmSwift.List<Hound>()
    let clubs = LinkingObjects(fromType: Club.self, property: "members")
    let visits = RealmSwift.List<Visit>()
    let age = RealmOptional<Int>(18)
    let drafts = List<String>()
    /// Only in memory, as before.
    var selection: [String] = []

    override class func ignoredProperties() -> [String] { ["drafts"] }
}

/// A class derived from a model has its properties, and more.
@available(*, deprecated)
class Animal: Object {
    @Persisted var name = ""
    let temper = RealmOptional<Temper>(.calm)
}

@available(*, deprecated)
class Hound: Animal {
    let keepers = LinkingObjects(fromType: Keeper.self, property: "dogs")
}

@available(*, deprecated)
class Champion: Animal {
    let titles = List<String>()
    let best = RealmProperty<Double?>()
}

@available(*, deprecated)
class Visit: EmbeddedObject {
    let notes = List<String>()
    let weight = RealmProperty<Double?>()
}

@available(*, deprecated)
class MoodBox: Object {
    let mood = RealmProperty<Temper?>()
    let temper = RealmOptional<Temper>(.calm)
}

enum Temper: Int, RealmEnum {
    case calm = 1
    case lively = 4
}
