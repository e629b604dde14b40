import Foundation
import Kivo

/// Classes as an application would have them for some of the files: within others, because a file's class has one name in
/// several of them.
enum OrderModels {
    class Geo: EmbeddedObject {
        @Persisted var lat: Double
        @Persisted var lon: Double
    }

    class Address: EmbeddedObject {
        @Persisted var street: String
        @Persisted var geo: Geo?
        @Persisted var country = "DE"
    }

    class Line: EmbeddedObject {
        @Persisted var sku: String
        @Persisted var qty: Int?
        @Persisted var tags: List<String>
        @Persisted(originProperty: "lines") var orders: LinkingObjects<Order>
    }

    class Order: Object {
        @Persisted(primaryKey: true) var id: ObjectId
        @Persisted var addr: Address?
        @Persisted var lines: List<Line>
        @Persisted var extra: Map<String, Line?>
    }
}

enum PersonModels {
    class Person: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String
        @Persisted var best: Person?
        @Persisted var friends: List<Person>
        @Persisted var pets: MutableSet<Pet>
        @Persisted var byName: Map<String, Person?>
        @Persisted var any: AnyRealmValue
        @Persisted var anys: List<AnyRealmValue>
        @Persisted(originProperty: "friends") var friendOf: LinkingObjects<Person>
    }

    class Pet: Object {
        @Persisted(primaryKey: true) var tag: String
        @Persisted var owner: Person?
    }
}

enum MappedModels {
    class DB_Person: Object {
        @Persisted var name: String
        @Persisted var age: Int
        @Persisted var link: DB_Person?

        override class func propertiesMapping() -> [String: String] {
            ["name": "name_in_db", "age": "_p_age", "link": "link_db"]
        }
    }
}

enum NumberModels {
    class All: Object {
        @Persisted var int: Int16
        @Persisted var bool: Int
        @Persisted var float: Double
        @Persisted var double: Float
        @Persisted var string: Int
        @Persisted var data: AnyRealmValue
        @Persisted var decimal: Double
        @Persisted var uuid: String?
        @Persisted var added = "as declared"
        @Persisted var identifier = UUID()
        @Persisted var words: List<String> = WordList.initial
        @Persisted var home: Home? = Home(value: ["city": "Köln"])
    }

    class Home: EmbeddedObject {
        @Persisted var city: String
    }

    enum WordList {
        static var initial: List<String> {
            let list = List<String>()
            list.append(objectsIn: ["a", "b"])
            return list
        }
    }
}

enum RequiredModels {
    class All: Object {
        @Persisted var int: Int
        @Persisted var string = "none"
        @Persisted var date: Date?
        @Persisted var mixed: AnyRealmValue
    }
}

enum OwnedModels {
    class Dst: EmbeddedObject {
        @Persisted var n: Int
    }

    class Src: Object {
        @Persisted var to: Dst?
    }
}

enum SetModels {
    /// Sets as lists, which loses nothing.
    class CollS: Object {
        @Persisted var int: List<Int>
        @Persisted var string: List<String>
    }
}

#if compiler(>=6.2)
enum DottedModels {
    class `Class.With.Dots`: Object {
        @Persisted var number: Int

        override class func propertiesMapping() -> [String: String] { ["number": "x y"] }
    }
}
#endif
