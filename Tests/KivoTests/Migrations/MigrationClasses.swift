import Foundation
import Kivo

/// Classes of one stored name as they were and as they are.
enum MigrationClasses {
    enum Old {
        static let people: [ObjectBase.Type] = [Person.self, Place.self]
        static let kinds: [ObjectBase.Type] = [Kinds.self, Place.self]
        static let owners: [ObjectBase.Type] = [Owner.self, Part.self]

        static func addPeople(to realm: Realm) {
            for index in 0..<300 {
                let person = Person(value: ["id": index, "first": "F\(index)", "last": "L\(index)"])
                person.age = index % 3 == 0 ? nil : index
                person.scores.append(objectsIn: [index, index + 1])
                person.tags["k"] = "v\(index)"
                person.home = Place(value: ["city": "C\(index)"])
                if index > 0 { person.friend = realm.object(ofType: Person.self, forPrimaryKey: index - 1) }
                realm.add(person)
            }
        }

        class Person: Object {
            @Persisted(primaryKey: true) var id = 0
            @Persisted var first = ""
            @Persisted var last = ""
            @Persisted var age: Int?
            @Persisted var friend: Person?
            @Persisted var scores: List<Int>
            @Persisted var tags: Map<String, String>
            @Persisted var home: Place?
        }

        class Place: EmbeddedObject {
            @Persisted var city = ""
        }

        class Kinds: Object {
            @Persisted var retyped = 0
            @Persisted var list: List<Int>
            @Persisted var map: Map<String, Int>
            @Persisted var text: List<String>
            @Persisted var places: List<Place>
            @Persisted var linked: Place?
        }

        class Optionals: Object {
            @Persisted var word: Int?
            @Persisted var text: String?
            @Persisted var data: Data?
            @Persisted var wide: UUID?
            @Persisted var toOptional = 0
            @Persisted var textToOptional = ""
            @Persisted var words: List<Int?>
            @Persisted var texts: MutableSet<String?>
            @Persisted var map: Map<String, Int?>
            @Persisted var plain: List<Int>
            @Persisted var plainTexts: List<String>
        }

        class Keyed: Object {
            @Persisted(primaryKey: true) var code = ""
            @Persisted var number = 0
        }

        class Owner: Object {
            @Persisted var part: Part?
            @Persisted var parts: List<Part>
        }

        class Part: EmbeddedObject {
            @Persisted var number = 0
        }

        class Ring: EmbeddedObject {
            @Persisted var next: Ring?
        }

        class RingHolder: Object {
            @Persisted var first: Ring?
        }
    }

    enum New {
        static let people: [ObjectBase.Type] = [Person.self, Place.self]
        static let renamed: [ObjectBase.Type] = [Renamed.self, Place.self]
        static let kinds: [ObjectBase.Type] = [Kinds.self, Place.self, Other.self]
        static let owners: [ObjectBase.Type] = [Owner.self, Part.self]

        class Place: EmbeddedObject {
            @Persisted var city = ""
        }

        class Person: Object {
            @Persisted var fullName = "given by the class"
            @Persisted(primaryKey: true) var id = 0
            @Persisted(indexed: true) var last = ""
            @Persisted var age = 0
            @Persisted var weight = 1.5
            @Persisted var note: String?
            @Persisted var friend: Person?
            @Persisted(originProperty: "friend") var admirers: LinkingObjects<Person>
            @Persisted var scores: List<Int>
            @Persisted var tags: Map<String, String>
            @Persisted var home: Place?
            @Persisted var more: List<String>
            @Persisted var added: Map<String, Person?>
        }

        class Renamed: Object {
            @Persisted(primaryKey: true) var id = 0
            @Persisted var name = ""
            @Persisted var last = ""
            @Persisted var isOld = false
            @Persisted var years = 0
            @Persisted var points: List<Int>
            @Persisted var labels: Map<String, String>
            @Persisted var house: Place?
            @Persisted var pal: Renamed?
            @Persisted(originProperty: "pal") var pals: LinkingObjects<Renamed>

            override class func _realmObjectName() -> String? { "Person" }
        }

        class Kinds: Object {
            @Persisted var retyped = ""
            @Persisted var list: MutableSet<Int>
            @Persisted var map: Map<String, String>
            @Persisted var text: MutableSet<String>
            @Persisted var places: Map<String, Place?>
            @Persisted var linked: Other?
        }

        class Optionals: Object {
            @Persisted var word = 0
            @Persisted(indexed: true) var text = ""
            @Persisted var data = Data()
            @Persisted var wide = UUID()
            @Persisted var toOptional: Int?
            @Persisted var textToOptional: String?
            @Persisted var words: List<Int>
            @Persisted var texts: MutableSet<String>
            @Persisted var map: Map<String, Int>
            @Persisted var plain: List<Int?>
            @Persisted var plainTexts: List<String?>
        }

        class Keyed: Object {
            @Persisted var code = ""
            @Persisted(primaryKey: true) var number = 0
        }

        class Indexed: Object {
            @Persisted(primaryKey: true) var code = ""
            @Persisted(indexed: true) var number = 0

            override class func _realmObjectName() -> String? { "Keyed" }
        }

        class Unkeyed: Object {
            @Persisted var code = ""
            @Persisted var number = 0

            override class func _realmObjectName() -> String? { "Keyed" }
        }

        class Rekeyed: Object {
            @Persisted(primaryKey: true) var id = ""
            @Persisted var code = ""

            override class func _realmObjectName() -> String? { "Keyed" }
        }

        class Owner: Object {
            @Persisted var part: Part?
            @Persisted var parts: List<Part>
        }

        class Part: Object {
            @Persisted var number = 0
        }

        class Other: Object {
            @Persisted var name = ""
        }

        class Ring: Object {
            @Persisted var next: Ring?
        }

        class City: Object {
            @Persisted var name = ""
            @Persisted var people: List<Person>
            @Persisted var mayor: Person?
        }
    }

    /// Stored names that differ from those in Swift, of classes and properties.
    enum Mapped {
        enum One {
            class Item: Object {
                @Persisted var title = ""
                @Persisted var count = 0

                override class func propertiesMapping() -> [String: String] {
                    ["title": "item_title", "count": "item_count"]
                }
            }
        }

        enum Two {
            class Thing: Object {
                @Persisted var count = 0
                @Persisted var heading = ""

                override class func _realmObjectName() -> String? { "Item" }
                override class func propertiesMapping() -> [String: String] {
                    ["heading": "item_title", "count": "item_count"]
                }
            }
        }

        enum Three {
            class Thing: Object {
                @Persisted var heading = ""
                @Persisted var number = 0

                override class func _realmObjectName() -> String? { "Item" }
                override class func propertiesMapping() -> [String: String] {
                    ["heading": "item_title", "number": "n"]
                }
            }
        }
    }

    enum Unmapped {
        class Item: Object {
            @Persisted var label = ""
            @Persisted var count = 0
        }
    }

    enum AnyValues {
        enum One {
            class Box: Object {
                @Persisted var name = ""
                @Persisted var value: AnyRealmValue
                @Persisted var values: List<AnyRealmValue>
                @Persisted var set: MutableSet<AnyRealmValue>
                @Persisted var gone: AnyRealmValue
                @Persisted var nested: AnyRealmValue
            }
        }

        enum Two {
            class Box: Object {
                @Persisted var more: AnyRealmValue
                @Persisted var name = ""
                @Persisted(indexed: true) var value: AnyRealmValue
                @Persisted var values: List<AnyRealmValue>
                @Persisted var set: MutableSet<AnyRealmValue>
                @Persisted var nested: AnyRealmValue
            }
        }
    }

    enum Narrow {
        class Sheet: Object {
            @Persisted var a = 0
        }
    }

    enum Wide {
        class Sheet: Object {
            @Persisted var a = 0
            @Persisted var b = 0
            @Persisted var c = ""
            @Persisted var d = 0
            @Persisted var e = 0
            @Persisted var f = 0
            @Persisted var g = 0
            @Persisted var h: String?
            @Persisted var i = 0
            @Persisted var j = 0
            @Persisted var k = 0
            @Persisted var l = 0
            @Persisted var m = 0
            @Persisted var n = 0
            @Persisted var o = 0
            @Persisted var p = 0
            @Persisted var q = 0
            @Persisted var r: Double?
        }
    }
}
