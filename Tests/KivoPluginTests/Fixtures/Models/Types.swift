import Foundation
import Kivo

enum Mood: String, PersistableEnum { case calm, barking }
enum Plain { case a, b }
enum RawOnly: Int { case one = 1 }
enum ByProtocol: String, Storable { case x }
protocol Storable: PersistableEnum, Sendable {}
enum Extended: String { case x }
extension Extended: PersistableEnum {}
enum Unsigned: UInt, PersistableEnum { case x }
enum FromElsewhere: String, SomeProtocolOfAnotherModule { case x }
struct Size { var width = 0.0 }
struct Mapped { var text = "" }
extension Mapped: CustomPersistable {
    init(persistedValue: String) { text = persistedValue }
    var persistableValue: String { text }
}
extension URL: FailableCustomPersistable {
    public init?(persistedValue: String) { self.init(string: persistedValue) }
    public var persistableValue: String { absoluteString }
}
typealias Names = List<String>
typealias Maybe = Person?
typealias Seconds = TimeInterval
class Address: EmbeddedObject { @Persisted var street: String }

class Person: Object {
    typealias Inner = Map<String, Double>
    enum Role: Int, RealmEnum { case none }
    class Part: EmbeddedObject { @Persisted var number = 0 }

    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted(indexed: true) var name: String
    @Persisted var age: Int?
    @Persisted var mood = Mood.calm
    @Persisted var role: Role
    @Persisted var other: ByProtocol?
    @Persisted var third: Extended
    @Persisted var fourth: FromElsewhere
    @Persisted var fifth: OtherModule.Thing
    @Persisted var mapped: Mapped
    @Persisted var mappedOptional: Mapped?
    @Persisted var link: URL?
    @Persisted var seconds: Seconds
    @Persisted var names: Names
    @Persisted var best: Maybe
    @Persisted var inner: Inner
    @Persisted var tags: MutableSet<String>
    @Persisted var friends: List<Person>
    @Persisted var parts: List<Person.Part>
    @Persisted var address: Address?
    @Persisted var anything: AnyRealmValue
    @Persisted var grid: Map<String, Person?>
    @Persisted var optional: Optional<Int>
    @Persisted var born: Foundation.Date = Foundation.Date()
    @Persisted var qualified: Kivo.List<Kivo.ObjectId>
    @Persisted var numbers: List<Int> // of some kind
    @Persisted(originProperty: "friends") var befriended: LinkingObjects<Person>
    @Ignored var counts: [String: Int] = [:]
    var scratch: [Int] = []
    let constant = 3
    static let table = List<Int>()
    var computed: List<Int> { numbers }

    @Persisted var plain: Plain  // error: declare 'enum Plain: String, PersistableEnum'
    @Persisted var raw: RawOnly?  // error: declare 'enum RawOnly: Int, PersistableEnum'
    @Persisted var unsigned: Unsigned  // error: the raw values of enum 'Unsigned' of property 'Person.unsigned' are of type 'UInt'
    @Persisted var size: Size  // error: make 'Size' CustomPersistable
    @Persisted var numbersArray: [Int]  // error: use a List<Int>; types that can be stored are Bool, Int
    @Persisted var dictionary: [String: Date] = [:]  // error: use a Map<String, Date>
    @Persisted var set: Set<String>  // error: use a MutableSet<String>
    @Persisted var pair: (Int, Int)  // error: property 'Person.pair' has type '(Int, Int)', which cannot be stored: types that
    @Persisted var closure: () -> Void  // error: cannot be stored
    @Persisted var any: Any  // error: use AnyRealmValue
    @Persisted var existential: any Equatable  // error: cannot be stored
    @Persisted var big: UInt64  // error: use Int
    @Persisted var sizes: List<Size>  // error: property 'Person.sizes' holds values of type 'Size'
    @Persisted var decimals: Map<String, Decimal>  // error: use Decimal128
    @Persisted var keyed: Map<Int, String>  // error: the keys of map 'Person.keyed' are of type 'Int'
    @Persisted var owner: Person  // error: declare it 'Person?'
    @Persisted var maybeList: List<Int>?  // error: a collection is never nil
    @Persisted var addresses: MutableSet<Address>  // error: is a set of embedded objects
    @Persisted var maybeFriends: List<Person?>  // error: a list holds no nil: declare it 'List<Person>'
    @Persisted var maybeAddresses: List<Address?>  // error: declare it 'List<Address>'
    @Persisted var maybeSet: MutableSet<Person?>  // error: a set holds no nil: declare it 'MutableSet<Person>'
    @Persisted var byName: Map<String, Person>  // error: declare it 'Map<String, Person?>'
    @Persisted var addressesByName: Map<String, Address>  // error: declare it 'Map<String, Address?>'
    @Persisted var maybeByName: Map<String, Person?>
    @Persisted var base: Object?  // error: name a class that is derived from it
    @Persisted var literals = [1, 2]  // error: use a List<Int>
    @Persisted var inverse: LinkingObjects<Person>  // error: does not say which links
    @Persisted(originProperty: "friends") var notInverse: List<Person>  // error: is no LinkingObjects
    @Persisted let fixed: Int  // error: is a 'let', which can never be set
    @Persisted static var shared: Int  // error: is static
    @Persisted lazy var late = 3  // error: is lazy
    var things = List<Person>()  // warning: is a 'var' and has no '@Persisted', so that nothing is stored of what is assigned to it in a realm: declare it '@Persisted var things
    let older = List<Person>()
    let olderKeyed = Map<Int, String>()  // error: the keys of map 'Person.olderKeyed' are of type 'Int'
    let olderBox = RealmOptional<Int>()
    var wrapped: Map<String, Int> = Map()  // warning: declare it '@Persisted var wrapped: Map<String, Int>'
}

struct Value {
    @Persisted var text: String  // error: 'Value' is none
}

class Free {
    @Persisted var text: String  // error: 'Free' is none
}

class OfAnotherModule: SomeBase {
    @Persisted var text: String
    @Persisted var bad: [Int]
}
