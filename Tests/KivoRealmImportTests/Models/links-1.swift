// swift-format-ignore-file
import Foundation
import Kivo

enum Links1 {
    class Person: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String
        @Persisted var best: Person?
        @Persisted var friends: List<Person>
        @Persisted var pets: MutableSet<Pet>
        @Persisted var byName: Map<String, Person?>
        @Persisted var any: AnyRealmValue
        @Persisted var anys: List<AnyRealmValue>
    }

    class Pet: Object {
        @Persisted(primaryKey: true) var tag: String
        @Persisted var owner: Person?
    }
}
