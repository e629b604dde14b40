import XCTest

@testable import Kivo

/// Declarations of classes: by wrappers, and by class functions that can be called and overridden.
final class DeclarationTests: RealmTestCase {
    func testWhatWrappersDeclareCanBeAskedFor() {
        XCTAssertEqual(Chip.primaryKey(), "code")
        XCTAssertNil(Dog.primaryKey())
        XCTAssertNil(Address.primaryKey())
        XCTAssertEqual(Ticket.indexedProperties(), ["state", "maybe", "rank"])
        XCTAssertEqual(Ticket.ignoredProperties(), ["isOpen"])
        XCTAssertEqual(Dog.indexedProperties(), [])
        XCTAssertEqual(Dog.ignoredProperties(), [])
    }

    func testOverridesTakeEffect() throws {
        let realm = try openRealm()
        try realm.write {
            realm.create(Plate.self, value: ["number": "a", "size": 1])
            realm.create(Plate.self, value: ["number": "b", "size": 2])
            realm.create(Plate.self, value: ["number": "a", "size": 3], update: .modified)
        }
        XCTAssertEqual(realm.object(ofType: Plate.self, forPrimaryKey: "a")?.size, 3)
        XCTAssertEqual(realm.objects(Plate.self).count, 2)
        XCTAssertEqual(realm.objects(Plate.self).where { $0.size == 2 }.map(\.number), ["b"])
        XCTAssertEqual(Plate.primaryKey(), "number")
        XCTAssertEqual(Plate.indexedProperties(), ["colour", "size"])
        XCTAssertEqual(Plate.ignoredProperties(), ["scratch"])
        let context = realm.instance.classes.context(of: Plate.self)
        XCTAssertTrue(context.info.property(named: "size")!.isIndexed)
        XCTAssertTrue(context.info.property(named: "colour")!.isIndexed)
        XCTAssertThrowsError(try realm.write { realm.create(Plate.self, value: ["number": "a"]) })
    }

    /// Like in the established API, the names that the older function returns concern only properties without a wrapper.
    func testWhatIsPersistedIsNotIgnored() throws {
        let realm = try openRealm()
        try realm.write { realm.add(Jar(value: ["size": 3])) }
        XCTAssertEqual(realm.objects(Jar.self).where { $0.size == 3 }.count, 1)
        XCTAssertEqual(realm.objects(Jar.self)[0]["size"] as? Int, 3)
        XCTAssertEqual(Jar.sharedSchema()?.properties.map(\.name), ["size"])
    }

    func testASubclassInheritsAndAddsToThem() throws {
        let realm = try openRealm()
        XCTAssertEqual(SmallPlate.primaryKey(), "number")
        XCTAssertEqual(SmallPlate.indexedProperties(), ["colour", "size", "depth"])
        try realm.write {
            let plate = realm.create(SmallPlate.self, value: ["number": "a", "depth": 4])
            plate.depth = 5
        }
        XCTAssertEqual(realm.objects(SmallPlate.self).where { $0.depth == 5 }.count, 1)
        XCTAssertEqual(realm.object(ofType: SmallPlate.self, forPrimaryKey: "a")?.depth, 5)
    }

    func testEnumsAreIndexed() throws {
        let realm = try openRealm()
        try realm.write {
            for index in 0..<300 {
                realm.create(
                    Ticket.self,
                    value: [
                        "id": index, "state": Mood.allCases[index % 3],
                        "maybe": index % 4 == 0 ? nil : Mood.allCases[index % 2],
                        "rank": Rank.allCases[index % 2],
                    ] as [String: Any?])
            }
        }
        let tickets = realm.objects(Ticket.self)
        XCTAssertEqual(tickets.where { $0.state == .barking }.count, 100)
        XCTAssertEqual(tickets.where { $0.maybe == nil }.count, 75)
        XCTAssertEqual(tickets.where { $0.rank == .high }.count, 150)
        let context = realm.instance.classes.context(of: Ticket.self)
        for name in ["state", "maybe", "rank"] {
            XCTAssertTrue(context.info.property(named: name)!.isIndexed)
        }
        try realm.write { tickets[1].state = .asleep }
        XCTAssertEqual(tickets.where { $0.state == .barking }.count, 99)
        try realm.write { tickets[1]["state"] = "barking" }
        XCTAssertEqual(tickets.where { $0.state == .barking }.count, 100)
    }

    func testEnumsArePrimaryKeys() throws {
        let realm = try openRealm()
        try realm.write {
            realm.create(MoodCard.self, value: ["mood": Mood.calm, "count": 1] as [String: Any])
            realm.create(MoodCard.self, value: ["mood": "barking", "count": 2] as [String: Any])
            realm.create(
                MoodCard.self, value: ["mood": Mood.calm, "count": 3] as [String: Any], update: .modified)
            let card = MoodCard()
            card.mood = .barking
            card.count = 4
            realm.add(card, update: .all)
            realm.create(RankCard.self, value: ["rank": nil, "count": 5] as [String: Any?])
            realm.create(RankCard.self, value: ["rank": Rank.low, "count": 6] as [String: Any?])
        }
        XCTAssertEqual(realm.objects(MoodCard.self).map(\.count), [3, 4])
        XCTAssertEqual(realm.object(ofType: MoodCard.self, forPrimaryKey: Mood.calm)?.count, 3)
        XCTAssertEqual(realm.object(ofType: MoodCard.self, forPrimaryKey: "barking")?.count, 4)
        XCTAssertNil(realm.object(ofType: MoodCard.self, forPrimaryKey: Mood.asleep))
        XCTAssertEqual(realm.object(ofType: RankCard.self, forPrimaryKey: Rank?.none)?.count, 5)
        XCTAssertEqual(realm.object(ofType: RankCard.self, forPrimaryKey: Rank.low)?.count, 6)
        XCTAssertEqual(realm.object(ofType: RankCard.self, forPrimaryKey: 1)?.count, 6)
        XCTAssertThrowsError(
            try realm.write { realm.create(MoodCard.self, value: ["mood": Mood.calm] as [String: Any]) })
    }

    func testACollectionThatIsMeantToBeIgnored() throws {
        let realm = try openRealm()
        let showCase = ShowCase(value: ["name": "a"])
        showCase.shown.append("kept")
        try realm.write { realm.add(showCase) }
        XCTAssertEqual(Array(showCase.shown), ["kept"])
        XCTAssertEqual(Array(showCase.selected), [])
        XCTAssertEqual(
            realm.instance.classes.context(of: ShowCase.self).info.properties.map(\.name), ["name"])
    }

    func testNestedClassesOfOneNameInTwoRealms() throws {
        let realm = try openRealm()
        let other = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: name + "other"))
        try realm.write { realm.create(Kitchen.Tool.self, value: ["use": "cut"]) }
        try other.write { other.create(Garage.Tool.self, value: ["power": 5]) }
        XCTAssertEqual(realm.objects(Kitchen.Tool.self).count, 1)
        XCTAssertEqual(other.objects(Garage.Tool.self).count, 1)
        var configuration = Realm.Configuration(inMemoryIdentifier: name + "both")
        configuration.objectTypes = [Kitchen.Tool.self, Garage.Tool.self]
        XCTAssertThrowsError(try Realm(configuration: configuration)) { error in
            let message = "\(error)"
            for word in ["KivoTests.Kitchen.Tool", "KivoTests.Garage.Tool", "'Tool'"] {
                XCTAssertTrue(message.contains(word), message)
            }
        }
    }
}

class Ticket: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted(indexed: true) var state = Mood.calm
    @Persisted(indexed: true) var maybe: Mood?
    @Persisted(indexed: true) var rank: Rank
    @Ignored var isOpen = false
}

class MoodCard: Object {
    @Persisted(primaryKey: true) var mood: Mood
    @Persisted var count = 0
}

class RankCard: Object {
    @Persisted(primaryKey: true) var rank: Rank?
    @Persisted var count = 0
}

class Plate: Object {
    @Persisted var number = ""
    @Persisted var size = 0
    @Persisted(indexed: true) var colour = ""
    var scratch = 0

    override class func primaryKey() -> String? { "number" }
    override class func indexedProperties() -> [String] { super.indexedProperties() + ["size"] }
    override class func ignoredProperties() -> [String] { ["scratch"] }
}

class SmallPlate: Plate {
    @Persisted var depth = 0

    override class func indexedProperties() -> [String] { super.indexedProperties() + ["depth"] }
}

class ShowCase: Object {
    @Persisted var name = ""
    let shown = List<String>()
    @Ignored var selected = List<String>()

    override class func ignoredProperties() -> [String] { ["shown"] }
}

enum Kitchen {
    class Tool: Object { @Persisted var use = "" }
}

enum Garage {
    class Tool: Object { @Persisted var power = 0 }
}

class Jar: Object {
    @Persisted var size = 0
    override class func ignoredProperties() -> [String] { ["size"] }
}
