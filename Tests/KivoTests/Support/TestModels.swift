import Foundation
import Kivo

enum Mood: String, PersistableEnum { case calm, barking, asleep }

enum Rank: Int, PersistableEnum { case low = 1, high = 2 }

class Dog: Object {
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted var owner: Person?
    @Persisted(originProperty: "dogs") var holders: LinkingObjects<Person>
}

class Person: Object {
    @Persisted var name = ""
    @Persisted var dogs: List<Dog>
    @Persisted var favourite: Dog?
    @Persisted var friend: Person?
    @Persisted(originProperty: "friend") var befriendedBy: LinkingObjects<Person>
    @Persisted(originProperty: "owner") var owned: LinkingObjects<Dog>
}

/// A class with a primary key.
class Chip: Object {
    @Persisted(primaryKey: true) var code = 0
    @Persisted var label = ""
    @Persisted var count = 0
    @Persisted var next: Chip?
    @Persisted var notes: List<String>
}

/// A class with collections of plain values.
class Bag: Object {
    @Persisted var name = ""
    @Persisted var numbers: List<Int>
    @Persisted var words: List<String>
    @Persisted var gaps: List<Int?>
    @Persisted var dogs: List<Dog>
    @Persisted var numberSet: MutableSet<Int>
    @Persisted var wordSet: MutableSet<String>
    @Persisted var dogSet: MutableSet<Dog>
    @Persisted var counts: Map<String, Int>
    @Persisted var maybeCounts: Map<String, Int?>
    @Persisted var dogsByName: Map<String, Dog?>
}

class Address: EmbeddedObject {
    @Persisted var street = ""
    @Persisted var city: City?
    @Persisted var rooms: List<Room>
}

class Room: EmbeddedObject {
    @Persisted var name = ""
}

class City: Object {
    @Persisted var name = ""
}

class House: Object {
    @Persisted var name = ""
    @Persisted var address: Address?
    @Persisted var formerAddresses: List<Address>
}
