import Kivo

class House: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var street: String
    @Persisted var owner: Tenant?
    @Persisted var tenants: List<Tenant>
    @Persisted var byName: Map<String, Tenant?>
    @Persisted var door: Door?
    @Persisted(originProperty: "house") var keys: LinkingObjects<Key>
    @Ignored var isOpen = false
    var visits = 0  // note: property 'House.visits' is a 'var' and has no '@Persisted'
    var tenantsOnce: [Int] = []
    var closure: () -> Void = {}
    weak var neighbour: House?
    lazy var later = 3
    let constant = 4
    static var total = 0
    var computed: Int { number }
    var observed = 0 { didSet {} }  // note: declare it '@Ignored'
    var guest: Tenant?  // note: 'House.guest'
    var elsewhere: ClassOfAnotherModule?

    convenience init(_ number: Int) {
        self.init(value: ["numbr": number])  // error: class 'House' has no property 'numbr', so that this value is ignored; did you mean 'number'?
    }
}

class Tenant: Object {
    @Persisted var name: String
    @Persisted var phones: Map<String, String>
}

class Door: EmbeddedObject {
    @Persisted var colour: String
    @Persisted var locks: List<Lock>
    class Lock: EmbeddedObject { @Persisted var code: Int }
}

class Key: Object { @Persisted var house: House? }

class Plain: Object { var size = 0 }

class Scattered: SomeBase { @Persisted var a: Int }

class Branched: Object {
    @Persisted var a: Int
    #if os(Linux)
    @Persisted var b: Int
    #endif
}

func creating(_ realm: Realm, _ key: String, _ made: [String: Any]) throws {
    _ = House(value: ["number": 3, "street": "Elm"])
    _ = House(value: ["number": 3, "stret": "Elm"])  // error: class 'House' has no property 'stret', so that this value is ignored; did you mean 'street'?
    _ = House(value: ["nothing": 3] as [String: Any])  // error: class 'House' has no property 'nothing'
    _ = House.init(value: ["nothing": 3])  // error: has no property 'nothing'
    let house: House = .init(value: ["numbr": 3])  // error: class 'House' has no property 'numbr', so that this value is ignored; did you mean 'number'?
    var lock: Door.Lock? = .init(value: ["codes": 1])  // error: class 'Lock' has no property 'codes'
    realm.create(House.self, values: [["number": 3], ["numbr": 3]])  // error: class 'House' has no property 'numbr'
    let fine: House = .init(value: ["number": 3]), other: Something = .init(value: ["numbr": 3])
    let closure = { let tenant: Tenant = try! .init(value: ["nam": 3]) }  // error: class 'Tenant' has no property 'nam'
    _ = House(value: ["isOpen": true])  // warning: property 'House.isOpen' is not persisted, so that this value is ignored
    _ = House(value: ["keys": []])  // warning: property 'House.keys' is not persisted
    _ = House(value: [key: 3, "\(key)": 4])
    _ = House(value: made)
    _ = House(value: [3, "Elm"])
    realm.create(House.self, value: ["number": 1, "owner": ["nmae": "Ida"]], update: .modified)  // error: class 'Tenant' has no property 'nmae', so that this value is ignored; did you mean 'name'?
    realm.create(House.self, value: ["tenants": [["name": "Ida"], ["nam": "Odd"]]])  // error: class 'Tenant' has no property 'nam'
    realm.create(House.self, value: ["byName": ["anything": ["name": "Ida"], "other": ["names": "Odd"]]])  // error: 'names'
    realm.create(House.self, value: ["owner": ["name": "Ida", "phones": ["anything": "1"]]])
    realm.create(House.self, value: ["door": ["color": "red", "locks": [["code": 1]]]])  // error: 'color', so that this value is ignored; did you mean 'colour'?
    realm.create(Door.Lock.self, value: ["codes": 1])  // error: class 'Lock' has no property 'codes'
    realm.create(House.self)
    realm.create(made, value: ["anything": 1])
    _ = Scattered(value: ["b": 1])
    _ = Branched(value: ["b": 1, "c": 1])
    _ = Something(value: ["b": 1])
    realm.write { [weak realm] in realm?.create(House.self, value: ["numbers": 1]) }  // error: class 'House' has no property 'numbers'
}

struct Estate {
    var first: House = .init(value: ["stret": "Elm"])  // error: class 'House' has no property 'stret'
    let second: House? = .init(value: ["street": "Elm"])
}
