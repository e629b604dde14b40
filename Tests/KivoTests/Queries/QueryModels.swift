import Foundation
import Kivo

enum YardMood: String, PersistableEnum { case calm, barking, asleep }

enum YardSize: Int, PersistableEnum { case small = 1, large = 2 }

/// The objects that the queries search, with a property of every type, links, embedded objects and collections.
final class YardDog: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var name = ""
    @Persisted var nickname: String?
    @Persisted var age = 0
    @Persisted var oldAge: Int?
    @Persisted var rank: Int8 = 0
    @Persisted var height: Float = 0
    @Persisted var weight = 0.0
    @Persisted var oldWeight: Double?
    @Persisted var isGood = false
    @Persisted var isLoud = false
    @Persisted var isKnown: Bool?
    @Persisted var born = Date(timeIntervalSince1970: 0)
    @Persisted var died: Date?
    @Persisted var chip = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    @Persisted var ticket = ObjectId("000000000000000000000000")
    @Persisted var price = Decimal128(0)
    @Persisted var scent = Data()
    @Persisted var mood = YardMood.calm
    @Persisted var oldMood: YardMood?
    @Persisted var size = YardSize.small
    @Persisted var owner: YardOwner?
    @Persisted var tag: YardTag?
    @Persisted var numbers: List<Int>
    @Persisted var gaps: List<Int?>
    @Persisted var words: MutableSet<String>
    @Persisted var moods: List<YardMood>
    @Persisted var scores: Map<String, Int>
    @Persisted var oldScores: Map<String, Int?>
    @Persisted var friends: Map<String, YardDog?>
    @Persisted(originProperty: "dogs") var keepers: LinkingObjects<YardOwner>

    /// A property that is not persisted.
    var shout: String { name.uppercased() + (nickname ?? "") }
}

final class YardOwner: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var name = ""
    @Persisted var nickname: String?
    @Persisted var age = 0
    @Persisted var count = 0
    @Persisted var boss: YardOwner?
    @Persisted var dogs: List<YardDog>
    @Persisted var cats: MutableSet<YardCat>
    @Persisted(originProperty: "owner") var owned: LinkingObjects<YardDog>
}

final class YardCat: Object {
    @Persisted var name = ""
    @Persisted var lives = 9
}

final class YardTag: EmbeddedObject {
    @Persisted var text = ""
    @Persisted var maker: YardOwner?
}
