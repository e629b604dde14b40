import Foundation
import Kivo

class DynamicDog: Object {
    @Persisted(primaryKey: true) var tag = 0
    @Persisted(indexed: true) var name = "nameless"
    @Persisted var age: Int?
    @Persisted var mood = Mood.barking
    @Persisted var temperature = MappedCelsius(38)
    @Persisted var id: UUID
    @Persisted var born = Date(timeIntervalSince1970: 5)
    @Persisted var owner: DynamicPerson?
    @Persisted var chip: DynamicChip?
    @Persisted var friends: List<DynamicDog>
    @Persisted var chips: List<DynamicChip>
    @Persisted var numbers: List<Int>
    @Persisted var gaps: List<String?>
    @Persisted var pack: MutableSet<DynamicDog>
    @Persisted var words: MutableSet<String>
    @Persisted var byName: Map<String, DynamicDog?>
    @Persisted var scores: Map<String, Int>
}

class DynamicPerson: Object {
    @Persisted var name = ""
    @Persisted var favourite: DynamicDog?
    @Persisted(originProperty: "owner") var dogs: LinkingObjects<DynamicDog>
}

class DynamicChip: EmbeddedObject {
    @Persisted var number = 0
}

/// A class with other names in the file than in the program.
class DynamicRenamed: Object {
    @Persisted(primaryKey: true) var key = 0
    @Persisted var firstName = ""
    @Persisted(indexed: true) var count = 0
    @Persisted var scores: Map<String, Int>
    @Persisted var next: DynamicRenamed?
    @Persisted(originProperty: "next") var previous: LinkingObjects<DynamicRenamed>

    override class func propertiesMapping() -> [String: String] {
        ["firstName": "a_first_name", "scores": "all_scores", "next": "z_next"]
    }
}

class DynamicExcluded: Object {
    @Persisted var name = ""
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
