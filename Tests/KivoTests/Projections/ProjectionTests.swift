import Foundation
import Kivo
import XCTest

/// Projected values, and assignments to projections.
final class ProjectionTests: RealmTestCase {
    private func jason() -> ProjectionPerson {
        ProjectionPerson(value: [
            "firstName": "Jason", "lastName": "Bourne", "nickname": "Jay", "age": 33, "number": 7,
            "address": [
                "street": "Hill", "city": "Bree", "region": ["name": "Shire", "country": "Eriador"],
            ],
            "friends": [["firstName": "Marie", "age": 30], ["firstName": "Nicky", "age": 28]],
            "family": [["firstName": "Dad", "age": 60], ["firstName": "Mum", "age": 58]], "tags": ["spy"],
        ])
    }

    private func add(_ person: ProjectionPerson, _ realm: Realm) throws -> ProjectionPerson {
        try realm.write { realm.add(person) }
        return person
    }

    private func check(_ root: ProjectionPerson, file: StaticString = #filePath, line: UInt = #line) {
        let card = PersonCard(projecting: root)
        XCTAssertEqual(card.firstName, "Jason", file: file, line: line)
        XCTAssertEqual(card.lastNameCaps, "BOURNE", file: file, line: line)
        XCTAssertEqual(card.surname, "Bourne", file: file, line: line)
        XCTAssertEqual(card.length, 6, file: file, line: line)
        XCTAssertEqual(card.homeCity, "Bree", file: file, line: line)
        XCTAssertEqual(Array(card.firstFriendsName), ["Marie", "Nicky"], file: file, line: line)
        let sheet = PersonSheet(projecting: root)
        XCTAssertEqual(sheet.nickname, "Jay", file: file, line: line)
        XCTAssertEqual(sheet.age, 33, file: file, line: line)
        XCTAssertEqual(sheet.height, 1.5, file: file, line: line)
        XCTAssertEqual(sheet.born, Date(timeIntervalSinceReferenceDate: 0), file: file, line: line)
        XCTAssertEqual(sheet.isShown, false, file: file, line: line)
        XCTAssertEqual(sheet.number, 7, file: file, line: line)
        XCTAssertEqual(sheet.shout, "JASON", file: file, line: line)
        XCTAssertEqual(sheet.fullName, "Jason Bourne", file: file, line: line)
        XCTAssertEqual(sheet.street, "Hill", file: file, line: line)
        XCTAssertEqual(sheet.country, "Eriador", file: file, line: line)
        XCTAssertEqual(Array(sheet.tags), ["spy"], file: file, line: line)
        XCTAssertEqual(Set(sheet.ages), [60, 58], file: file, line: line)
        XCTAssertNil(sheet.home, file: file, line: line)
        XCTAssertTrue(sheet.address?.isSameObject(as: root.address) ?? false, file: file, line: line)
    }

    func testShowsWhatTheRootHas() throws {
        let root = jason()
        check(root)
        let realm = try openRealm()
        _ = try add(root, realm)
        check(root)
        check(root.freeze())
    }

    func testReadsFollowEveryChangeOfTheRoot() throws {
        let realm = try openRealm()
        let root = try add(jason(), realm)
        let sheet = PersonSheet(projecting: root)
        XCTAssertEqual(sheet.age, 33)
        try realm.write {
            root.age = 34
            XCTAssertEqual(sheet.age, 34)
            root.nickname = nil
            XCTAssertNil(sheet.nickname)
            // Rows of other leaves, so that the row has to be located again.
            for _ in 0..<600 { realm.add(ProjectionPerson()) }
            XCTAssertEqual(sheet.age, 34)
            XCTAssertEqual(sheet.firstName, "Jason")
        }
        try writeElsewhere { realm in
            let person = realm.objects(ProjectionPerson.self).where { $0.firstName == "Jason" }.first!
            person.age = 99
            person.firstName = "David"
            person.isShown = true
        }
        XCTAssertEqual(sheet.age, 34)
        realm.refresh()
        XCTAssertEqual(sheet.age, 99)
        XCTAssertEqual(sheet.firstName, "David")
        XCTAssertEqual(sheet.shout, "DAVID")
        XCTAssertTrue(sheet.isShown)
    }

    func testAProjectionMadeBeforeItsRootIsAddedReadsTheManagedRoot() throws {
        let realm = try openRealm()
        let root = jason()
        let sheet = PersonSheet(projecting: root)
        root.age = 1
        XCTAssertEqual(sheet.age, 1)
        _ = try add(root, realm)
        XCTAssertEqual(sheet.age, 1)
        try realm.write { root.age = 2 }
        XCTAssertEqual(sheet.age, 2)
    }

    func testAssigningWritesThrough() throws {
        let unmanaged = jason()
        let realm = try openRealm()
        for root in [unmanaged, try add(jason(), realm)] {
            let sheet = PersonSheet(projecting: root)
            realm.beginWrite()
            sheet.firstName = "David"
            sheet.age = 40
            sheet.nickname = nil
            sheet.number = 8
            sheet.street = "Mill"
            sheet.tags.append("agent")
            sheet.address = ProjectionAddress(value: ["street": "New", "city": "Rivendell"])
            sheet.mark = 3
            XCTAssertEqual(root.firstName, "David")
            XCTAssertEqual(root.age, 40)
            XCTAssertNil(root.nickname)
            XCTAssertEqual(root.number, 8)
            XCTAssertEqual(Array(root.tags), ["spy", "agent"])
            XCTAssertEqual(root.address?.city, "Rivendell")
            XCTAssertEqual(sheet.street, "New")
            XCTAssertEqual(root.mark, 3)
            sheet.shout = "PAM"
            XCTAssertEqual(root.firstName, "pam")
            XCTAssertEqual(sheet.shout, "PAM")
            try realm.commitWrite()
        }
    }

    func testInheritedProjectedProperties() throws {
        let realm = try openRealm()
        let card = LongPersonCard(projecting: try add(jason(), realm))
        XCTAssertEqual(card.firstName, "Jason")
        XCTAssertEqual(card.age, 33)
        try realm.write { card.age = 34 }
        XCTAssertEqual(card.rootObject.age, 34)
        XCTAssertEqual(card.surname, "Bourne")
    }

    /// Columns of a subclass have other numbers than those of its superclass.
    func testARootOfASubclass() throws {
        let realm = try openRealm()
        let employee = ProjectionEmployee(value: [
            "firstName": "Ann", "lastName": "Lee", "age": 5, "company": "Kivo",
        ])
        try realm.write { realm.add(employee) }
        let card = EmployeeCard(projecting: employee)
        XCTAssertEqual(card.firstName, "Ann")
        XCTAssertEqual(card.company, "Kivo")
        XCTAssertEqual(card.fullName, "Ann Lee of Kivo")
        let sheet = PersonSheet(projecting: employee)
        XCTAssertEqual(sheet.firstName, "Ann")
        XCTAssertEqual(sheet.age, 5)
        XCTAssertEqual(sheet.fullName, "Ann Lee of Kivo")
        try realm.write { sheet.age = 6 }
        XCTAssertEqual(employee.age, 6)
    }

    func testEqualityIsThatOfTheRoots() throws {
        let realm = try openRealm()
        let root = try add(jason(), realm)
        let card = PersonCard(projecting: root)
        XCTAssertEqual(card, PersonCard(projecting: root))
        XCTAssertEqual(card.hashValue, PersonCard(projecting: root).hashValue)
        XCTAssertNotEqual(card, PersonCard(projecting: root.friends[0]))
        let read = realm.objects(PersonCard.self)[0]
        XCTAssertFalse(read.rootObject === root)
        XCTAssertEqual(card, read, "two accessors of one row")
        XCTAssertEqual(Set([card, read]).count, 1)
        XCTAssertEqual(card.freeze(), PersonCard(projecting: root.freeze()))
    }

    func testTheIdentityIsThatOfTheRow() throws {
        let realm = try openRealm()
        let card = LongPersonCard(projecting: try add(jason(), realm))
        let cards = realm.objects(LongPersonCard.self)
        XCTAssertEqual(card.id, cards[0].id)
        XCTAssertEqual(card.id, card.freeze().id)
        XCTAssertEqual(Set(cards.map(\.id)).count, 5)
    }

    func testDescription() throws {
        let card = LongPersonCard(projecting: jason())
        XCTAssertTrue(card.description.hasPrefix("LongPersonCard<ProjectionPerson> {\n"), card.description)
        XCTAssertTrue(card.description.contains("\tfirstName(\\.firstName) = Jason;\n"), card.description)
        XCTAssertTrue(card.description.contains("\tlastNameCaps(\\.lastName) = BOURNE;\n"), card.description)
        XCTAssertTrue(card.description.contains("\thomeCity(\\.address.city) = Bree;\n"), card.description)
        XCTAssertTrue(
            card.description.contains("\tfirstFriendsName(\\.friends.firstName) = "), card.description)
        XCTAssertTrue(card.description.hasSuffix("\tage(\\.age) = 33;\n}"), card.description)
    }

    // MARK: Frozen, thawed, gone

    func testDeletedAndInvalidatedRoots() throws {
        let realm = try openRealm()
        let card = PersonCard(projecting: try add(jason(), realm))
        XCTAssertEqual(card.realm, realm)
        XCTAssertFalse(card.isInvalidated)
        try realm.write { realm.delete(card.rootObject) }
        XCTAssertTrue(card.isInvalidated)
        XCTAssertEqual(card.description, "PersonCard<ProjectionPerson> { invalidated }")
        XCTAssertNil(PersonCard(projecting: jason()).realm)
    }

    func testFreezeInsideOfAWriteShowsTheStateBefore() throws {
        let realm = try openRealm()
        let card = PersonCard(projecting: try add(jason(), realm))
        realm.beginWrite()
        card.firstName = "David"
        let frozen = card.freeze()
        XCTAssertTrue(frozen.isFrozen)
        XCTAssertEqual(frozen.firstName, "Jason")
        try realm.commitWrite()
        XCTAssertEqual(frozen.firstName, "Jason")
        XCTAssertEqual(frozen.thaw()?.firstName, "David")
        XCTAssertEqual(card.freeze().firstName, "David")
        XCTAssertFalse(card.isFrozen)
    }

    func testAFrozenProjectionIsReadOnOtherThreads() throws {
        let realm = try openRealm()
        let frozen = Held(PersonSheet(projecting: try add(jason(), realm)).freeze())
        try onAnotherThread {
            XCTAssertEqual(frozen.value.firstName, "Jason")
            XCTAssertEqual(frozen.value.age, 33)
            XCTAssertEqual(Set(frozen.value.ages), [58, 60])
        }
    }

    /// The live projection of a thread is of that thread's version, which may be older.
    func testThawedOnAThreadThatIsBehind() throws {
        let realm = try openRealm()
        _ = try add(jason(), realm)
        let frozen = Shared<[Held<PersonCard>]>([])
        XCTAssertEqual(realm.objects(PersonCard.self).count, 5)
        realm.autorefresh = false
        try elsewhere { other in
            try other.write {
                other.objects(PersonCard.self)[0].firstName = "David"
                other.add(ProjectionPerson(value: ["firstName": "New"]))
            }
            let cards = other.objects(PersonCard.self)
            let found = [Held(cards[0].freeze()), Held(cards[5].freeze())]
            frozen.update { $0 = found }
        }
        let cards = frozen.value.map(\.value)
        XCTAssertEqual(cards.map(\.firstName), ["David", "New"])
        XCTAssertEqual(cards[0].thaw()?.firstName, "Jason")
        XCTAssertNil(cards[1].thaw())
        realm.refresh()
        XCTAssertEqual(cards[0].thaw()?.firstName, "David")
        XCTAssertEqual(cards[1].thaw()?.firstName, "New")
    }

    // MARK: Other threads

    func testAReferenceToAProjection() throws {
        let realm = try openRealm()
        let root = try add(jason(), realm)
        let reference = ThreadSafeReference(to: PersonCard(projecting: root))
        let names = ThreadSafeReference(to: PersonCard(projecting: root).firstFriendsName)
        let configuration = configuration
        try onAnotherThread {
            let realm = try Realm(configuration: configuration)
            let card = try XCTUnwrap(realm.resolve(reference))
            XCTAssertEqual(card.firstName, "Jason")
            XCTAssertEqual(try XCTUnwrap(realm.resolve(names)).map { $0 }, ["Marie", "Nicky"])
            try realm.write { card.firstName = "David" }
        }
        realm.refresh()
        XCTAssertEqual(root.firstName, "David")
    }

    func testAThreadSafeVariableOfAProjection() throws {
        let realm = try openRealm()
        let root = try add(jason(), realm)
        @ThreadSafe var card = LongPersonCard(projecting: root)
        try onAnotherThread { [carried = $card] in
            let card = try XCTUnwrap(carried.wrappedValue)
            try XCTUnwrap(card.realm).write { card.age = 50 }
        }
        XCTAssertEqual(card?.age, 50)
        try realm.write { realm.delete(root) }
        XCTAssertNil(card)
    }

    // MARK: Results

    func testResultsOfProjections() throws {
        let realm = try openRealm()
        let root = try add(jason(), realm)
        let cards = realm.objects(PersonCard.self)
        XCTAssertEqual(cards.count, 5)
        XCTAssertEqual(cards.map(\.firstName), ["Jason", "Marie", "Nicky", "Dad", "Mum"])
        XCTAssertEqual((0..<5).map { cards[$0].firstName }, ["Jason", "Marie", "Nicky", "Dad", "Mum"])
        let kept = cards.map { $0 }
        XCTAssertEqual(kept.map(\.firstName), ["Jason", "Marie", "Nicky", "Dad", "Mum"])
        XCTAssertEqual(cards.first?.firstName, "Jason")
        XCTAssertEqual(cards.last?.firstName, "Mum")
        XCTAssertEqual(cards.first(where: { $0.firstName == "Nicky" })?.rootObject.age, 28)
        XCTAssertEqual(cards.index(of: PersonCard(projecting: root.friends[1])), 2)
        XCTAssertNil(cards.index(of: PersonCard(projecting: ProjectionPerson())))
        let adults = realm.objects(PersonSheet.self).filter("age > %@", 29).sorted(byKeyPath: "age")
        XCTAssertEqual(adults.map(\.age), [30, 33, 58, 60])
        XCTAssertEqual(adults[1].firstName, "Jason")
        XCTAssertEqual(adults.first?.age, 30)
        XCTAssertEqual(adults.last?.age, 60)
        XCTAssertEqual(adults.index(of: PersonSheet(projecting: root)), 1)
        XCTAssertEqual(adults.sum(ofProperty: "age") as Int, 181)
        XCTAssertEqual(adults.freeze().map(\.age), [30, 33, 58, 60])
        XCTAssertTrue(adults.freeze()[0].isFrozen)
        try realm.write { adults[0].age = 1 }
        XCTAssertEqual(adults.map(\.age), [33, 58, 60])
    }

    func testAnIterationKeepsWhatIsKept() throws {
        let realm = try openRealm()
        try realm.write { for age in 0..<700 { realm.add(ProjectionPerson(value: ["age": age])) } }
        let sheets = realm.objects(PersonSheet.self)
        XCTAssertEqual(sheets.reduce(0) { $0 + $1.age }, 700 * 699 / 2)
        XCTAssertEqual(Array(sheets).map(\.age), Array(0..<700))
        var last: PersonSheet?
        for sheet in sheets {
            if let last { XCTAssertEqual(last.age + 1, sheet.age) }
            last = sheet
        }
    }
}

/// Hands a frozen value to another thread.
struct Held<Value>: @unchecked Sendable {
    let value: Value
    // A frozen value may be read anywhere.
    init(_ value: Value) { self.value = value }
}
