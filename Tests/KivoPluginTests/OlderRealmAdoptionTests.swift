import XCTest

@testable import KivoAdoptTool
@testable import KivoSourceModel

/// Forms of older versions of realm-swift, from applications that were ported.
final class OlderRealmAdoptionTests: XCTestCase {
    func testPoliciesOfUpdates() throws {
        let (text, left) = try Fixture.adopt(
            """
            import RealmSwift
            func f(_ realm: Realm, _ dog: Dog, isNew: Bool) {
                realm.add(dog, update: true)
                realm.add([dog], update: false)
                realm.create(Dog.self, value: ["update": true], update: true)
                realm.add(dog, update: isNew)
                realm.add(dog, update: .modified)
                other(update: true)
            }
            """)
        XCTAssertEqual(
            text,
            """
            import Kivo
            func f(_ realm: Realm, _ dog: Dog, isNew: Bool) {
                realm.add(dog, update: .all)
                realm.add([dog], update: .error)
                realm.create(Dog.self, value: ["update": true], update: .all)
                realm.add(dog, update: isNew ? .all : .error)
                realm.add(dog, update: .modified)
                other(update: true)
            }
            """)
        XCTAssertEqual(left, [])
    }

    /// Functions of the program may have the same names.
    func testPoliciesBesideOwnFunctions() throws {
        let source = """
            import RealmSwift
            extension Store { func add(_ dog: Dog, update: Bool) { store(dog) } }
            func f(_ store: Store, _ dog: Dog) { store.add(dog, update: true) }
            """
        let (text, left) = try Fixture.adopt(source)
        XCTAssertEqual(text, source.replacingOccurrences(of: "RealmSwift", with: "Kivo"))
        XCTAssertEqual(left.count, 1)
        XCTAssertTrue(left[0].hasPrefix("3: 'update: true': write '.all' if this is Realm's"), "\(left)")
    }

    func testInitialisersOfSchemasGo() throws {
        let (text, left) = try Fixture.adopt(
            """
            import Foundation
            import Realm
            import RealmSwift

            class Dog: Object {
                @objc dynamic var name = ""

                required init() { super.init() }

                required init(realm: RLMRealm, schema: RLMObjectSchema) {
                    super.init(realm: realm, schema: schema)
                }

                required init(value: Any, schema: RLMSchema) {
                    super.init(value: value, schema: schema)
                }

                func bark() {}
            }
            """)
        XCTAssertEqual(
            text,
            """
            import Foundation
            import Kivo

            class Dog: Object {
                @Persisted var name = ""

                required init() { super.init() }

                func bark() {}
            }
            """)
        XCTAssertEqual(left, [])
        let more = try Fixture.adopt(
            """
            import Realm
            import RealmSwift
            class Dog: Object {
                required init(value: Any, schema: RLMSchema) {
                    super.init(value: value, schema: schema)
                    setUp()
                }
            }
            """)
        XCTAssertTrue(
            more.left.contains { $0.hasPrefix("4: this initialiser of class 'Dog' is not called any more") })
        XCTAssertTrue(more.left.contains { $0.hasPrefix("1: 'import Realm'") }, "\(more.left)")
    }

    func testNamesForObjectiveCAreNoFalseAlarms() throws {
        let (text, left) = try Fixture.adopt(
            """
            import Realm
            import RealmSwift
            @objc(RLMZone) class Zone: Object { @objc dynamic var name = "" }
            """)
        XCTAssertEqual(left, [])
        XCTAssertTrue(text.hasPrefix("import Kivo\nclass Zone: Object {"), text)
        XCTAssertTrue(text.contains("{ \"RLMZone\" }"), text)
    }

    /// realm-swift exports Foundation, and Kivo does not.
    func testFoundationIsImported() throws {
        XCTAssertEqual(
            try Fixture.adopt("import RealmSwift\nlet a = Date()\n").text,
            "import Foundation\nimport Kivo\nlet a = Date()\n")
        for kept in ["import Foundation\nimport Kivo\nlet a = Date()\n", "import Kivo\nlet a = b.Date\n"] {
            XCTAssertEqual(
                try Fixture.adopt(kept.replacingOccurrences(of: "Kivo", with: "RealmSwift")).text, kept)
        }
    }

    func testEqualityOfNSObjectIsListed() throws {
        let (_, left) = try Fixture.adopt(
            """
            import RealmSwift
            class Token: Object {
                @objc dynamic var contract = ""
                override func isEqual(_ object: Any?) -> Bool { (object as? Token)?.contract == contract }
                override var hash: Int { contract.hashValue }
            }
            """)
        XCTAssertEqual(left.map { $0.prefix(2) }, ["4:", "5:"])
        XCTAssertTrue(left.allSatisfy { $0.contains("of class 'Token'") }, "\(left)")
    }

    /// A computed property of a model whose setter Cocoa announced, the rules of a key, and property observers.
    func testModelsThatAreObserved() throws {
        let (text, left) = try Fixture.adopt(
            """
            import RealmSwift
            class Dog: Object {
                @objc dynamic var name = ""
                @objc dynamic var age = 0 { didSet { print(age) } }
                @objc dynamic var years: Int {
                    get { age }
                    set { age = newValue }
                }
                @objc class func keyPathsForValuesAffectingYears() -> Set<String> { ["age"] }
            }
            """)
        XCTAssertEqual(left.map { $0.prefix(2) }, ["4:"], "\(left)")
        XCTAssertEqual(
            text,
            """
            import Kivo
            class Dog: Object {
                override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
                    switch key {
                    case "years": keyPathsForValuesAffectingYears()
                    default: super.keyPathsForValuesAffectingValue(forKey: key)
                    }
                }

                @Persisted var name = ""
                @Persisted var age = 0 { didSet { print(age) } }
                var years: Int {
                    get { age }
                    set {
                        willChangeValue(forKey: "years")
                        defer { didChangeValue(forKey: "years") }
                        age = newValue
                    }
                }

                override class func computedProperties() -> [String: AnyKeyPath] { ["years": \\Dog.years] }
                class func keyPathsForValuesAffectingYears() -> Set<String> { ["age"] }
            }
            """)
        let again = try Fixture.adopt(text)
        XCTAssertEqual(again.text, text)
        XCTAssertEqual(again.left, [])
    }
}
